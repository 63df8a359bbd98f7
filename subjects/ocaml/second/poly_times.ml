(* what: product of two polynomials as lists of coefficients
   family: arithmetic
   sizes: 8..96/12 *)
let rec coefficients n s = if n = 0 then [] else (s mod 19 - 9) :: coefficients (n - 1) (s * 7 + 3)
let rec plus a b = match a with
  | [] -> b
  | x :: r -> (match b with [] -> a | y :: s -> (x + y) :: plus r s)
let rec scale k l = match l with [] -> [] | x :: rest -> k * x :: scale k rest
let rec times a b = match a with [] -> [] | x :: rest -> plus (scale x b) (0 :: times rest b)
let input n = (coefficients n 5, coefficients n 11)
let run (a, b) = times a b
