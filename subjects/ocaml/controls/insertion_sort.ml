(* what: insertion sort of random numbers
   family: sorting
   sizes: 20..240/12
   pair: sort *)
let rec random n seed = if n = 0 then [] else let s = (seed * 25173 + 13849) mod 65536 in s :: random (n - 1) s

let rec insert (x : int) l = match l with [] -> [x] | y :: r -> if x <= y then x :: l else y :: insert x r
let rec sort l = match l with [] -> [] | x :: r -> insert x (sort r)
let input n = random n 7
let run l = sort l
