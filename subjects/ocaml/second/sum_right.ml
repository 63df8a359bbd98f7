(* what: sum by List.fold_right
   family: higher order
   sizes: 1000..20000/12
   pair: folds *)
let rec numbers i n = if i > n then [] else i :: numbers (i + 1) n
let input n = numbers 1 n
let run l = List.fold_right (fun x a -> a + x) l 0
