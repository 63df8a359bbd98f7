(* what: look-up of the last key
   family: lists
   sizes: 1000..20000/12 *)
let rec pairs i n = if i > n then [] else (i, n - i) :: pairs (i + 1) n
let rec assoc (k : int) l = match l with [] -> raise Not_found | (key, v) :: r -> if key = k then v else assoc k r
let input n = (n, pairs 1 n)
let run (k, l) = assoc k l
