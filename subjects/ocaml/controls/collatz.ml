(* what: longest chain below n
   family: arithmetic
   sizes: 50..600/12 *)
let rec chain n c = if n = 1 then c else if n mod 2 = 0 then chain (n / 2) (c + 1) else chain (3 * n + 1) (c + 1)
let rec longest n best = if n = 0 then best else let c = chain n 1 in longest (n - 1) (if c > best then c else best)
let input n = n
let run n = longest n 0
