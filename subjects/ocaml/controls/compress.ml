(* what: runs of equal elements made one
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec runs n = if n = 0 then [] else n / 4 :: runs (n - 1)
let rec compress (l : int list) = match l with
  | x :: (y :: _ as r) -> if x = y then compress r else x :: compress r
  | smaller -> smaller
let input n = runs n
let run l = compress l
