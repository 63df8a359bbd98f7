(* what: sorting by a search tree
   family: sorting
   sizes: 100..2000/12
   pair: sorting *)
type tree = Leaf | Node of tree * int * tree
let rec noise n s = if n = 0 then [] else let t = (s * 1103 + 12345) mod 32768 in t :: noise (n - 1) t
let rec add x t = match t with Leaf -> Node (Leaf, x, Leaf) | Node (l, y, r) -> if x <= y then Node (add x l, y, r) else Node (l, y, add x r)
let rec grow l t = match l with [] -> t | x :: rest -> grow rest (add x t)
let rec walk t acc = match t with Leaf -> acc | Node (l, x, r) -> walk l (x :: walk r acc)
let input n = noise n 5
let run l = walk (grow l Leaf) []
