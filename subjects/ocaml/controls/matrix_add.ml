(* what: sum of two matrices
   family: matrix
   sizes: 8..96/12 *)
let rec row i n = if n = 0 then [] else i * n :: row i (n - 1)
let rec matrix i n = if i = 0 then [] else row i n :: matrix (i - 1) n
let rec add_row a b = match (a, b) with (x :: r, y :: s) -> (x + y) :: add_row r s | _ -> []
let rec add a b = match (a, b) with (x :: r, y :: s) -> add_row x y :: add r s | _ -> []
let input n = (matrix n (n / 2), matrix n (n / 2))
let run (a, b) = add a b
