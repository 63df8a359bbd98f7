(* what: distances between all nodes of a graph by Floyd's and Warshall's algorithm
   family: graphs
   sizes: 8..74/12 *)
let infinity_ = 1_000_000

let distances graph =
  let n = Array.length graph in
  let d = Array.map Array.copy graph in
  for k = 0 to n - 1 do
    for i = 0 to n - 1 do
      for j = 0 to n - 1 do
        let through = d.(i).(k) + d.(k).(j) in
        if through < d.(i).(j) then d.(i).(j) <- through
      done
    done
  done;
  d

let input n =
  Array.init n (fun i ->
    Array.init n (fun j ->
      if i = j then 0 else if ((i * 5) + (j * 11)) mod 7 < 2 then 1 + (i * j mod 19) else infinity_))

let run graph = distances graph
