(* what: tasks in an order in which each comes after those it needs, with maps and sets
   family: graphs
   sizes: 20..1500/12 *)
module Names = Map.Make (Int)
module Seen = Set.Make (Int)

exception Cycle of int

let needed graph task = match Names.find_opt task graph with Some l -> l | None -> []

let order graph =
  let rec visit above (seen, sorted) task =
    if Seen.mem task above then raise (Cycle task)
    else if Seen.mem task seen then (seen, sorted)
    else
      let seen, sorted = List.fold_left (visit (Seen.add task above)) (seen, sorted) (needed graph task) in
      (Seen.add task seen, task :: sorted)
  in
  let _, sorted = Names.fold (fun task _ state -> visit Seen.empty state task) graph (Seen.empty, []) in
  List.rev sorted

let input n =
  let needs i = List.filter (fun j -> j < i && j > 0) [ i / 2; i - 7; i * 2 / 3 ] in
  List.fold_left (fun graph i -> Names.add (i * 37 mod 4999) (List.map (fun j -> j * 37 mod 4999) (needs i)) graph)
    Names.empty
    (List.init n (fun i -> i + 1))

let run graph = order graph
