(* what: a matrix of floats applied to a vector
   family: matrix
   sizes: 8..96/12 *)
let rec row i n = if n = 0 then [] else float_of_int (i * n mod 13) :: row i (n - 1)
let rec rows i n = if i = 0 then [] else row i n :: rows (i - 1) n
let rec dot a b s = match a with [] -> s | x :: r -> (match b with [] -> s | y :: t -> dot r t (s +. x *. y))
let rec apply m v = match m with [] -> [] | a :: rest -> let d = dot a v 0.0 in d :: apply rest v
let input n = (rows n n, row 1 n)
let run (m, v) = apply m v
