(* what: merge sort from below, runs of one first
   family: sorting
   sizes: 100..2000/12
   pair: sorting *)
let rec noise n s = if n = 0 then [] else let t = (s * 1103 + 12345) mod 32768 in t :: noise (n - 1) t
let rec merge (a : int list) b = match a, b with
  | [], l -> l
  | l, [] -> l
  | x :: r, y :: s -> if x <= y then x :: merge r b else y :: merge a s
let rec singles l = match l with [] -> [] | x :: rest -> [x] :: singles rest
let rec pairs l = match l with a :: b :: rest -> let m = merge a b in m :: pairs rest | short -> short
let rec until_one l = match l with [] -> [] | [a] -> a | more -> until_one (pairs more)
let input n = noise n 5
let run l = until_one (singles l)
