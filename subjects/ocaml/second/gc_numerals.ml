(* what: digits of all numbers up to n as lists, and their sums
   family: collector
   sizes: 2000..24000/12 *)
let rec digits n acc = if n < 10 then n :: acc else digits (n / 10) (n mod 10 :: acc)
let rec sum l acc = match l with [] -> acc | x :: rest -> sum rest (acc + x)
let rec all n acc = if n = 0 then acc else all (n - 1) (acc + sum (digits n []) 0)
let input n = 8 * n
let run n = all n 0
