(* what: power by squaring, n times
   family: arithmetic
   sizes: 100..2000/12 *)
let rec power x n = if n = 0 then 1 else let h = power x (n / 2) in if n mod 2 = 0 then h * h else x * h * h
let rec sum n acc = if n = 0 then acc else sum (n - 1) (acc + power 3 n)
let input n = n
let run n = sum n 0
