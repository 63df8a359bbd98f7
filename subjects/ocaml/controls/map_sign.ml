(* what: signs of numbers by map
   family: higher order
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec map f l = match l with [] -> [] | x :: r -> let y = f x in y :: map f r
let positive x = x > 0
let input n = range (- n / 2) (n / 2)
let run l = map positive l
