(* what: mean and variance of a list
   family: numeric
   sizes: 1000..20000/12 *)
let rec floats n = if n = 0 then [] else float_of_int (n mod 17) :: floats (n - 1)
let rec sums l n s q = match l with [] -> (n, s, q) | x :: r -> sums r (n +. 1.0) (s +. x) (q +. x *. x)
let input n = floats n
let run l = let (n, s, q) = sums l 0.0 0.0 0.0 in (s /. n, (q -. s *. s /. n) /. n)
