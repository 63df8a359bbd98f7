(* what: numbers below n that have no factor in common with it
   family: 99 problems
   sizes: 50..600/12 *)
let rec divisor a b = if b = 0 then a else divisor b (a mod b)
let rec totient n k acc = if k = n then acc else totient n (k + 1) (if divisor n k = 1 then acc + 1 else acc)
let input n = n
let run n = totient n 1 0
