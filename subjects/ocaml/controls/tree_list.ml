(* what: the numbers in a tree, in order
   family: trees
   sizes: 1000..20000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full a b = if a > b then Leaf else let m = (a + b) / 2 in Node (full a (m - 1), m, full (m + 1) b)
let rec list t acc = match t with Leaf -> acc | Node (l, x, r) -> list l (x :: list r acc)
let input n = full 1 n
let run t = list t []
