(* what: the middle half of a list
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec slice i k l = match l with
  | [] -> []
  | x :: rest -> if k < 0 then [] else if i > 0 then slice (i - 1) (k - 1) rest else x :: slice 0 (k - 1) rest
let input n = (n, count_up 1 n)
let run (n, l) = slice (n / 4) (3 * n / 4) l
