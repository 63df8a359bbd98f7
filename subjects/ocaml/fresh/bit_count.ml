(* what: ones in the binary digits of all numbers up to n
   family: arithmetic
   sizes: 100..2000/12 *)
let rec ones n = if n = 0 then 0 else n mod 2 + ones (n / 2)
let rec all n acc = if n = 0 then acc else all (n - 1) (acc + ones n)
let input n = n
let run n = all n 0
