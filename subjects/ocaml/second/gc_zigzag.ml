(* what: a list turned round and doubled until it is long
   family: collector
   sizes: 5 6 7 8 9 10 11 12 13 14 15 16 *)
let rec onto a b = match a with [] -> b | x :: rest -> onto rest (x :: b)
let rec grow k l = if k = 0 then l else grow (k - 1) (onto l l)
let input n = n
let run n = grow n [1; 2; 3]
