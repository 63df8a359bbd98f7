(* what: length by plain recursion
   family: lists
   sizes: 1000..20000/12
   pair: length *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec length l = match l with [] -> 0 | _ :: r -> 1 + length r
let input n = range 1 n
let run l = length l
