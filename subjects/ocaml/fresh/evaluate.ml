(* what: value of an arithmetic expression
   family: symbolic
   sizes: 1000..20000/12 *)
type term = Constant of int | Add of term * term | Subtract of term * term | Times of term * term | Negate of term
let rec make n = if n < 2 then Constant n else
  let k = n / 2 in
  if n mod 7 = 0 then Negate (make (n - 1))
  else if n mod 3 = 0 then Add (make k, make (n - k - 1))
  else if n mod 3 = 1 then Subtract (make k, make (n - k - 1))
  else Times (make k, make (n - k - 1))
let rec value t = match t with
  | Constant k -> k
  | Add (a, b) -> value a + value b
  | Subtract (a, b) -> value a - value b
  | Times (a, b) -> value a * value b
  | Negate a -> - value a
let input n = make n
let run t = value t
