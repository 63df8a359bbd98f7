(* what: the greatest of pseudo-random numbers, by a fold
   family: higher order
   sizes: 1000..20000/12 *)
let rec noise n s = if n = 0 then [] else let t = (s * 1103 + 12345) mod 32768 in t :: noise (n - 1) t
let rec fold f acc l = match l with [] -> acc | x :: rest -> fold f (f acc x) rest
let greater (a : int) b = if a < b then b else a
let input n = noise n 11
let run l = fold greater 0 l
