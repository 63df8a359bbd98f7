(* what: quicksort of random numbers
   family: sorting
   sizes: 100..2000/12 *)
let rec random n seed = if n = 0 then [] else let s = (seed * 25173 + 13849) mod 65536 in s :: random (n - 1) s

let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec part (p : int) l = match l with
  | [] -> ([], [])
  | x :: r -> let (low, high) = part p r in if x < p then (x :: low, high) else (low, x :: high)
let rec sort l = match l with [] -> [] | p :: r -> let (low, high) = part p r in append (sort low) (p :: sort high)
let input n = random n 7
let run l = sort l
