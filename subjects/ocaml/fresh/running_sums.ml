(* what: sums of all beginnings of a list
   family: lists
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec sums acc l = match l with [] -> [] | x :: rest -> let s = acc + x in s :: sums s rest
let input n = count_up 1 n
let run l = sums 0 l
