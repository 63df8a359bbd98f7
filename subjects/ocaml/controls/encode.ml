(* what: run-length encoding
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec runs n = if n = 0 then [] else n / 4 :: runs (n - 1)
let rec encode count (l : int list) = match l with
  | [] -> []
  | [x] -> [(count + 1, x)]
  | x :: (y :: _ as r) -> if x = y then encode (count + 1) r else (count + 1, x) :: encode 0 r
let input n = runs n
let run l = encode 0 l
