(* what: primes by trial division of each number
   family: arithmetic
   sizes: 100..2000/12
   pair: sieve *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec divides d n = if d * d > n then false else if n mod d = 0 then true else divides (d + 1) n
let rec primes l = match l with [] -> [] | x :: r -> if divides 2 x then primes r else x :: primes r
let input n = range 2 n
let run l = primes l
