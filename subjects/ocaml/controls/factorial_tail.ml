(* what: factorial with an accumulator
   family: arithmetic
   sizes: 1000..20000/12
   pair: factorial *)
let rec fact n acc = if n = 0 then acc else fact (n - 1) (n * acc)
let input n = n
let run n = fact n 1
