(* what: length with an accumulator
   family: lists
   sizes: 1000..20000/12
   pair: length *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec length l acc = match l with [] -> acc | _ :: r -> length r (acc + 1)
let input n = range 1 n
let run l = length l 0
