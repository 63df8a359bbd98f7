(* what: sum of the proper divisors of n
   family: arithmetic
   sizes: 1000..20000/12 *)
let rec divisors n d acc = if d = n then acc else divisors n (d + 1) (if n mod d = 0 then acc + d else acc)
let input n = n
let run n = divisors n 1 0
