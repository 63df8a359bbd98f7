(* what: a number put between all neighbours
   family: lists
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec between s l = match l with
  | [] -> []
  | [x] -> [x]
  | x :: rest -> x :: s :: between s rest
let input n = count_up 1 n
let run l = between 0 l
