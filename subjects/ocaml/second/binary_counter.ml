(* what: a counter of bits in a list, counted up n times
   family: lists
   sizes: 1000..20000/12 *)
let rec succ bits = match bits with [] -> [1] | 0 :: rest -> 1 :: rest | _ :: rest -> 0 :: succ rest
let rec count n bits = if n = 0 then bits else count (n - 1) (succ bits)
let input n = n
let run n = count n []
