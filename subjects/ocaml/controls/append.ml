(* what: one list before another
   family: lists
   sizes: 1000..20000/12
   pair: append *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let input n = (range 1 n, range 1 10)
let run (a, b) = append a b
