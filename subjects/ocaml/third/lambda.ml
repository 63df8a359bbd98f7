(* what: lambda terms made normal: products of Church's numerals
   family: symbolic
   sizes: 2..46/12 *)
type term = Variable of int | Lambda of term | Apply of term * term

let rec shift by cutoff = function
  | Variable k -> Variable (if k >= cutoff then k + by else k)
  | Lambda body -> Lambda (shift by (cutoff + 1) body)
  | Apply (f, a) -> Apply (shift by cutoff f, shift by cutoff a)

let rec substitute index value = function
  | Variable k -> if k = index then shift index 0 value else if k > index then Variable (k - 1) else Variable k
  | Lambda body -> Lambda (substitute (index + 1) value body)
  | Apply (f, a) -> Apply (substitute index value f, substitute index value a)

let rec normal = function
  | Variable k -> Variable k
  | Lambda body -> Lambda (normal body)
  | Apply (f, a) -> (
    match normal f with Lambda body -> normal (substitute 0 a body) | other -> Apply (other, normal a))

let rec applied n = if n = 0 then Variable 0 else Apply (Variable 1, applied (n - 1))
let church n = Lambda (Lambda (applied n))

(* m n f = m (n f) *)
let times = Lambda (Lambda (Lambda (Apply (Variable 2, Apply (Variable 1, Variable 0)))))
let rec count = function Lambda body -> count body | Apply (_, a) -> 1 + count a | Variable _ -> 0
let input n = Apply (Apply (times, church 6), church n)
let run term = count (normal term)
