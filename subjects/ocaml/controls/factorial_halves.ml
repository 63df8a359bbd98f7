(* what: factorial by halves of the range
   family: arithmetic
   sizes: 1000..20000/12
   pair: factorial *)
let rec product a b = if a = b then a else let m = (a + b) / 2 in product a m * product (m + 1) b
let input n = n
let run n = product 1 n
