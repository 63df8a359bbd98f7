(* what: sum of the numbers in a tree
   family: trees
   sizes: 1000..20000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full a b = if a > b then Leaf else let m = (a + b) / 2 in Node (full a (m - 1), m, full (m + 1) b)
let rec sum t = match t with Leaf -> 0 | Node (l, x, r) -> sum l + x + sum r
let input n = full 1 n
let run t = sum t
