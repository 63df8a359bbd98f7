(* what: last element
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec last l = match l with [] -> None | [x] -> Some x | _ :: r -> last r
let input n = range 1 n
let run l = last l
