(* what: bubble sort of random numbers
   family: sorting
   sizes: 20..240/12
   pair: sort *)
let rec random n seed = if n = 0 then [] else let s = (seed * 25173 + 13849) mod 65536 in s :: random (n - 1) s

let rec bubble (l : int list) = match l with
  | x :: y :: r -> if x > y then y :: bubble (x :: r) else x :: bubble (y :: r)
  | short -> short
let rec times n l = if n = 0 then l else times (n - 1) (bubble l)
let rec length l = match l with [] -> 0 | _ :: r -> 1 + length r
let input n = random n 7
let run l = times (length l) l
