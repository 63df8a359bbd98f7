(* what: a binomial coefficient by Pascal's rule
   family: arithmetic
   sizes: 3 4 5 6 7 8 9 10 11 12 13 14
   pair: binomial *)
let rec choose n k = if k = 0 || k = n then 1 else choose (n - 1) (k - 1) + choose (n - 1) k
let input n = n
let run n = choose n (n / 2)
