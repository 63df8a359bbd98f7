(* what: derivative of an expression
   family: symbolic
   sizes: 100..2000/12 *)
type term = Number of int | Variable | Sum of term * term | Product of term * term
let rec make n = if n = 0 then Variable else if n mod 3 = 0 then Product (make (n - 1), Number n) else Sum (make (n - 1), Variable)
let rec derive t = match t with
  | Number _ -> Number 0
  | Variable -> Number 1
  | Sum (a, b) -> Sum (derive a, derive b)
  | Product (a, b) -> Sum (Product (derive a, b), Product (a, derive b))
let input n = make n
let run t = derive t
