(* what: append by reversing twice
   family: lists
   sizes: 1000..20000/12
   pair: append *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec onto a b = match a with [] -> b | x :: r -> onto r (x :: b)
let append a b = onto (onto a []) b
let input n = (range 1 n, range 1 10)
let run (a, b) = append a b
