(* what: the same by whole rows of Pascal's triangle
   family: arithmetic
   sizes: 3 4 5 6 7 8 9 10 11 12 13 14
   pair: binomial *)
let rec next l = match l with x :: (y :: _ as rest) -> (x + y) :: next rest | [_] -> [1] | [] -> []
let rec rows n l = if n = 0 then l else rows (n - 1) (1 :: next l)
let rec nth k l = match l with [] -> 0 | x :: rest -> if k = 0 then x else nth (k - 1) rest
let input n = n
let run n = nth (n / 2) (rows n [1])
