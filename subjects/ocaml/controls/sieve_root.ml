(* what: the same, only up to the square root
   family: arithmetic
   sizes: 100..2000/12
   pair: sieve *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec drop p l = match l with [] -> [] | x :: r -> if x mod p = 0 then drop p r else x :: drop p r
let rec sieve n l = match l with [] -> [] | p :: r -> if p * p > n then l else p :: sieve n (drop p r)
let input n = (n, range 2 n)
let run (n, l) = sieve n l
