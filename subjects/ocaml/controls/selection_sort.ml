(* what: selection sort of random numbers
   family: sorting
   sizes: 20..240/12
   pair: sort *)
let rec random n seed = if n = 0 then [] else let s = (seed * 25173 + 13849) mod 65536 in s :: random (n - 1) s

let rec least (m : int) rest l = match l with [] -> (m, rest) | x :: r -> if x < m then least x (m :: rest) r else least m (x :: rest) r
let rec sort l = match l with [] -> [] | x :: r -> let (m, rest) = least x [] r in m :: sort rest
let input n = random n 7
let run l = sort l
