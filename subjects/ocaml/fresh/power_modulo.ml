(* what: powers modulo a prime, by squaring
   family: arithmetic
   sizes: 100..2000/12 *)
let rec power b e m acc = if e = 0 then acc else
  power (b * b mod m) (e / 2) m (if e mod 2 = 1 then acc * b mod m else acc)
let rec all n m acc = if n = 0 then acc else all (n - 1) m (acc + power n 1000 m 1)
let input n = n
let run n = all n 10007 0
