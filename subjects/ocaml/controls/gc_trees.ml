(* what: trees built and thrown away
   family: collector
   sizes: 20..240/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full d = if d = 0 then Leaf else Node (full (d - 1), d, full (d - 1))
let rec size t = match t with Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r
let rec again k acc = if k = 0 then acc else again (k - 1) (acc + size (full 8))
let input n = n
let run n = again n 0
