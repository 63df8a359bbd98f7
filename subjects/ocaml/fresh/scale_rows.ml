(* what: every number of a matrix times a factor, by map
   family: matrix
   sizes: 8..96/12 *)
let rec row i n = if n = 0 then [] else (i + n) :: row i (n - 1)
let rec rows i n = if i = 0 then [] else row i n :: rows (i - 1) n
let rec map f l = match l with [] -> [] | x :: rest -> let y = f x in y :: map f rest
let input n = (n, rows n n)
let run (k, m) = map (map (fun x -> x * k)) m
