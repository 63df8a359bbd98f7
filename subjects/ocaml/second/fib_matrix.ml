(* what: Fibonacci numbers modulo a prime by powers of a matrix
   family: arithmetic
   sizes: 100..2000/12 *)
let times (a, b, c) (d, e, f) = ((a * d + b * e) mod 9973, (a * e + b * f) mod 9973, (b * e + c * f) mod 9973)
let rec power m n = if n = 0 then (1, 0, 1) else
  let h = power m (n / 2) in
  let s = times h h in
  if n mod 2 = 1 then times s m else s
let rec all n acc = if n = 0 then acc else let (_, f, _) = power (1, 1, 0) n in all (n - 1) (acc + f)
let input n = n
let run n = all n 0
