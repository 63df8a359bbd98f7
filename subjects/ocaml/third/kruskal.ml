(* what: the lightest spanning tree by Kruskal's algorithm, with a union-find
   family: graphs
   sizes: 20..800/12 *)
let rec find parent x =
  if parent.(x) = x then x
  else begin
    let root = find parent parent.(x) in
    parent.(x) <- root;
    root
  end

let union parent rank a b =
  let a = find parent a and b = find parent b in
  if a = b then false
  else begin
    if rank.(a) < rank.(b) then parent.(a) <- b
    else begin
      parent.(b) <- a;
      if rank.(a) = rank.(b) then rank.(a) <- rank.(a) + 1
    end;
    true
  end

let kruskal (n, edges) =
  let parent = Array.init n (fun i -> i) in
  let rank = Array.make n 0 in
  let sorted = List.sort (fun (_, _, v) (_, _, w) -> compare (v : int) w) edges in
  List.fold_left (fun total (a, b, w) -> if union parent rank a b then total + w else total) 0 sorted

let input n =
  let edge i =
    let a = i mod n in
    (a, (a + 1 + (i * i mod (n - 1))) mod n, i * 7919 mod 1009)
  in
  (n, List.init (4 * n) edge)

let run graph = kruskal graph
