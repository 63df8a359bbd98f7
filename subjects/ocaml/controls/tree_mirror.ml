(* what: a tree seen from behind
   family: trees
   sizes: 1000..20000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full a b = if a > b then Leaf else let m = (a + b) / 2 in Node (full a (m - 1), m, full (m + 1) b)
let rec mirror t = match t with Leaf -> Leaf | Node (l, x, r) -> Node (mirror r, x, mirror l)
let input n = full 1 n
let run t = mirror t
