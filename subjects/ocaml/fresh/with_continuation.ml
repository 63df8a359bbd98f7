(* what: length in continuation-passing style
   family: higher order
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec length l k = match l with [] -> k 0 | _ :: rest -> length rest (fun n -> k (n + 1))
let input n = count_up 1 n
let run l = length l (fun n -> n)
