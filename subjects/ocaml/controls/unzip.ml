(* what: two lists of pairs
   family: lists
   sizes: 1000..20000/12 *)
let rec pairs n = if n = 0 then [] else (n, n + 1) :: pairs (n - 1)
let rec unzip l = match l with [] -> ([], []) | (a, b) :: r -> let (x, y) = unzip r in (a :: x, b :: y)
let input n = pairs n
let run l = unzip l
