(* what: whether a list reads the same from behind
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec hill i n = if i > n then [] else (if 2 * i > n then n + 1 - i else i) :: hill (i + 1) n
let rec onto acc l = match l with [] -> acc | x :: rest -> onto (x :: acc) rest
let rec same (a : int list) b = match a with
  | [] -> true
  | x :: r -> (match b with [] -> false | y :: s -> if x = y then same r s else false)
let input n = hill 1 n
let run l = same l (onto [] l)
