(* what: all numbers looked up in a balanced search tree
   family: trees
   sizes: 100..2000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full a b = if a > b then Leaf else let m = (a + b) / 2 in Node (full a (m - 1), 2 * m, full (m + 1) b)
let rec mem x t = match t with Leaf -> false | Node (l, y, r) -> if x = y then true else if x < y then mem x l else mem x r
let rec hits k t acc = if k = 0 then acc else hits (k - 1) t (if mem k t then acc + 1 else acc)
let input n = (n, full 1 n)
let run (n, t) = hits n t 0
