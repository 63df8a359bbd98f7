(* what: lists of pairs made, summed and dropped
   family: collector
   sizes: 20..240/12 *)
let rec table n k = if n = 0 then [] else (n, n * k) :: table (n - 1) k
let rec sum l acc = match l with [] -> acc | (a, b) :: rest -> sum rest (acc + b - a)
let rec again k acc = if k = 0 then acc else again (k - 1) (acc + sum (table 500 k) 0)
let input n = n
let run n = again n 0
