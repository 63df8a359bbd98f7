(* what: sum by recursion
   family: lists
   sizes: 1000..20000/12
   pair: sum *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec sum l = match l with [] -> 0 | x :: r -> x + sum r
let input n = range 1 n
let run l = sum l
