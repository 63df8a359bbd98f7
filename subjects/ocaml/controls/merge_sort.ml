(* what: merge sort of random numbers
   family: sorting
   sizes: 100..2000/12 *)
let rec random n seed = if n = 0 then [] else let s = (seed * 25173 + 13849) mod 65536 in s :: random (n - 1) s

let rec split l a b = match l with [] -> (a, b) | x :: r -> split r (x :: b) a
let rec merge (a : int list) b = match a with
  | [] -> b
  | x :: r -> (match b with [] -> a | y :: s -> if x <= y then x :: merge r b else y :: merge a s)
let rec sort l = match l with
  | [] -> []
  | [x] -> l
  | _ -> let (a, b) = split l [] [] in merge (sort a) (sort b)
let input n = random n 7
let run l = sort l
