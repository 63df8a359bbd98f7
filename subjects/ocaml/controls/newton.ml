(* what: square roots by Newton's rule
   family: numeric
   sizes: 100..2000/12 *)
let rec root x r k = if k = 0 then r else root x (0.5 *. (r +. x /. r)) (k - 1)
let rec all n acc = if n = 0 then acc else all (n - 1) (acc +. root (float_of_int n) 1.0 8)
let input n = n
let run n = all n 0.0
