(* what: factorial by plain recursion
   family: arithmetic
   sizes: 1000..20000/12
   pair: factorial *)
let rec fact n = if n = 0 then 1 else n * fact (n - 1)
let input n = n
let run n = fact n
