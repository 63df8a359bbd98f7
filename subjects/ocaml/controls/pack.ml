(* what: runs of equal elements gathered
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec runs n = if n = 0 then [] else n / 4 :: runs (n - 1)
let rec rev l acc = match l with [] -> acc | x :: r -> rev r (x :: acc)
let rec pack (l : int list) current acc = match l with
  | [] -> rev acc []
  | [x] -> rev ((x :: current) :: acc) []
  | x :: (y :: _ as r) -> if x = y then pack r (x :: current) acc else pack r [] ((x :: current) :: acc)
let input n = runs n
let run l = pack l [] []
