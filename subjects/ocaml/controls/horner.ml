(* what: a polynomial of degree n
   family: numeric
   sizes: 1000..20000/12 *)
let rec floats n = if n = 0 then [] else float_of_int (n mod 7) :: floats (n - 1)
let rec value x l acc = match l with [] -> acc | c :: r -> value x r (acc *. x +. c)
let input n = floats n
let run l = value 0.99 l 0.0
