(* what: even numbers of a list
   family: higher order
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec filter f l = match l with [] -> [] | x :: r -> if f x then x :: filter f r else filter f r
let even x = x mod 2 = 0
let input n = range 1 n
let run l = filter even l
