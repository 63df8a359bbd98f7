(* what: whether two lists hold the same numbers
   family: lists
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec same (a : int list) b = match a, b with
  | [], [] -> true
  | x :: r, y :: s -> x = y && same r s
  | _ -> false
let input n = (count_up 1 n, count_up 1 n)
let run (a, b) = same a b
