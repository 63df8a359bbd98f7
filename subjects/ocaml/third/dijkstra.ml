(* what: distances from one node by Dijkstra's algorithm, with a binary heap in an array
   family: graphs
   sizes: 20..1000/12 *)
type heap = { mutable size : int; keys : int array; nodes : int array }

let swap heap i j =
  let k = heap.keys.(i) and v = heap.nodes.(i) in
  heap.keys.(i) <- heap.keys.(j);
  heap.nodes.(i) <- heap.nodes.(j);
  heap.keys.(j) <- k;
  heap.nodes.(j) <- v

let push heap key node =
  let i = ref heap.size in
  heap.size <- heap.size + 1;
  heap.keys.(!i) <- key;
  heap.nodes.(!i) <- node;
  while !i > 0 && heap.keys.((!i - 1) / 2) > heap.keys.(!i) do
    swap heap !i ((!i - 1) / 2);
    i := (!i - 1) / 2
  done

let rec sink heap i =
  let left = (2 * i) + 1 in
  let right = left + 1 in
  let least = if left < heap.size && heap.keys.(left) < heap.keys.(i) then left else i in
  let least = if right < heap.size && heap.keys.(right) < heap.keys.(least) then right else least in
  if least <> i then begin
    swap heap i least;
    sink heap least
  end

let pop heap =
  let key = heap.keys.(0) and node = heap.nodes.(0) in
  heap.size <- heap.size - 1;
  swap heap 0 heap.size;
  sink heap 0;
  (key, node)

let distances graph source =
  let n = Array.length graph in
  let distance = Array.make n max_int in
  let heap = { size = 0; keys = Array.make ((4 * n) + 1) 0; nodes = Array.make ((4 * n) + 1) 0 } in
  distance.(source) <- 0;
  push heap 0 source;
  while heap.size > 0 do
    let d, node = pop heap in
    if d = distance.(node) then
      List.iter
        (fun (next, length) ->
          if d + length < distance.(next) then begin
            distance.(next) <- d + length;
            push heap (d + length) next
          end)
        graph.(node)
  done;
  distance

let input n =
  Array.init n (fun i -> List.init 4 (fun k -> (((i * (k + 2)) + (k * 31) + 1) mod n, 1 + (((i * 17) + (k * k * 29)) mod 97))))

let run graph = distances graph 0
