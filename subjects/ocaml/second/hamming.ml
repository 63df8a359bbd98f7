(* what: numbers without other prime factors than 2, 3 and 5, by merging
   family: lists
   sizes: 10..340/12 *)
let rec up k l = match l with [] -> [] | x :: rest -> k * x :: up k rest
let rec merge (a : int list) b = match a, b with
  | [], l -> l
  | l, [] -> l
  | x :: r, y :: s -> if x < y then x :: merge r b else if y < x then y :: merge a s else x :: merge r s
let rec first n l = if n = 0 then [] else match l with [] -> [] | x :: rest -> x :: first (n - 1) rest
let rec rounds k n l = if k = 0 then l else rounds (k - 1) n (first n (1 :: merge (up 2 l) (merge (up 3 l) (up 5 l))))
let input n = n
let run n = rounds 12 n [1]
