(* what: sum by List.fold_left
   family: higher order
   sizes: 1000..20000/12
   pair: folds *)
let rec numbers i n = if i > n then [] else i :: numbers (i + 1) n
let input n = numbers 1 n
let run l = List.fold_left (fun a x -> a + x) 0 l
