(* what: number of binary trees with n nodes, by the recurrence without memory
   family: arithmetic
   sizes: 2 3 4 5 6 7 8 9 10 11 *)
let rec trees n = if n = 0 then 1 else sum n 0
and sum n i = if i = n then 0 else trees i * trees (n - 1 - i) + sum n (i + 1)
let input n = n
let run n = trees n
