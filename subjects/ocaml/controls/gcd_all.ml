(* what: greatest common divisors of all pairs up to n
   family: arithmetic
   sizes: 10..120/12 *)
let rec gcd a b = if b = 0 then a else gcd b (a mod b)
let rec row i j acc = if j = 0 then acc else row i (j - 1) (acc + gcd i j)
let rec all n i acc = if i = 0 then acc else all n (i - 1) (row i n acc)
let input n = n
let run n = all n n 0
