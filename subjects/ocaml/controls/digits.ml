(* what: sum of the digits of all numbers up to n
   family: arithmetic
   sizes: 100..2000/12 *)
let rec digits n acc = if n = 0 then acc else digits (n / 10) (acc + n mod 10)
let rec all n acc = if n = 0 then acc else all (n - 1) (acc + digits n 0)
let input n = n
let run n = all n 0
