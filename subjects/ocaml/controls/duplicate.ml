(* what: every element twice
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec duplicate l = match l with [] -> [] | x :: r -> x :: x :: duplicate r
let input n = range 1 n
let run l = duplicate l
