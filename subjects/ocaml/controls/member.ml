(* what: search of an absent number
   family: lists
   sizes: 1000..20000/12
   pair: member *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec mem (x : int) l = match l with [] -> false | y :: r -> x = y || mem x r
let input n = range 1 n
let run l = mem 0 l
