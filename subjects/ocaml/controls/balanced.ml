(* what: brackets of an expression matched
   family: search
   sizes: 1000..20000/12 *)
let rec brackets n = if n = 0 then [] else (if n / 5 mod 2 = 0 then '(' else ')') :: brackets (n - 1)
let rec depth l d most = match l with
  | [] -> (d, most)
  | '(' :: r -> depth r (d + 1) (if d + 1 > most then d + 1 else most)
  | ')' :: r -> depth r (d - 1) most
  | _ :: r -> depth r d most
let input n = brackets n
let run l = depth l 0 0
