(* what: a search tree of random numbers
   family: trees
   sizes: 100..2000/12 *)
let rec random n seed = if n = 0 then [] else let s = (seed * 25173 + 13849) mod 65536 in s :: random (n - 1) s

type tree = Leaf | Node of tree * int * tree
let rec insert x t = match t with
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) -> if x < y then Node (insert x l, y, r) else if x > y then Node (l, y, insert x r) else t
let rec build l t = match l with [] -> t | x :: r -> build r (insert x t)
let input n = random n 7
let run l = build l Leaf
