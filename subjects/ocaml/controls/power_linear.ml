(* what: power by repeated multiplication
   family: arithmetic
   sizes: 1000..20000/12 *)
let rec power x n = if n = 0 then 1 else x * power x (n - 1)
let input n = n
let run n = power 3 n
