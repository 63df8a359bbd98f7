(* what: a search tree grown in a regular order
   family: collector
   sizes: 1000..12000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec add x t = match t with Leaf -> Node (Leaf, x, Leaf) | Node (l, y, r) -> if x <= y then Node (add x l, y, r) else Node (l, y, add x r)
let rec grow n k t = if n = 0 then t else grow (n - 1) ((k * 75 + 74) mod 65537) (add k t)
let input n = n
let run n = grow n 1 Leaf
