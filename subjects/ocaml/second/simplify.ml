(* what: products and sums with 0 and 1 made simpler
   family: symbolic
   sizes: 1000..20000/12 *)
type e = Zero | One | X | Plus of e * e | Mul of e * e
let rec make n = if n <= 1 then (if n = 1 then X else Zero) else
  let k = (n - 1) / 2 in
  if n mod 3 = 0 then Mul (make k, One) else if n mod 3 = 1 then Plus (make k, make (n - 1 - k)) else Mul (make k, make (n - 1 - k))
let plus a b = match a, b with Zero, e -> e | e, Zero -> e | _ -> Plus (a, b)
let mul a b = match a, b with Zero, _ -> Zero | _, Zero -> Zero | One, e -> e | e, One -> e | _ -> Mul (a, b)
let rec simple e = match e with Plus (a, b) -> plus (simple a) (simple b) | Mul (a, b) -> mul (simple a) (simple b) | other -> other
let input n = make n
let run e = simple e
