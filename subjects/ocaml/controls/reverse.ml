(* what: reversal with an accumulator
   family: lists
   sizes: 20..240/12
   pair: reverse *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec rev l acc = match l with [] -> acc | x :: r -> rev r (x :: acc)
let input n = range 1 n
let run l = rev l []
