(* what: lists in a list put together
   family: lists
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec flatten l = match l with [] -> [] | a :: r -> append a (flatten r)
let rec blocks n = if n <= 0 then [] else range 1 10 :: blocks (n - 10)
let input n = blocks n
let run l = flatten l
