(* what: depth of a tree
   family: trees
   sizes: 1000..20000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full a b = if a > b then Leaf else let m = (a + b) / 2 in Node (full a (m - 1), m, full (m + 1) b)
let larger a b : int = if (a : int) > b then a else b
let rec depth t = match t with Leaf -> 0 | Node (l, _, r) -> 1 + larger (depth l) (depth r)
let input n = full 1 n
let run t = depth t
