(* what: reversal by appending at the end
   family: lists
   sizes: 20..240/12
   pair: reverse *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec rev l = match l with [] -> [] | x :: r -> append (rev r) [x]
let input n = range 1 n
let run l = rev l
