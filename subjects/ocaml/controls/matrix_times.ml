(* what: product of two matrices
   family: matrix
   sizes: 4..26/12 *)
let rec row i n = if n = 0 then [] else i * n :: row i (n - 1)
let rec matrix i n = if i = 0 then [] else row i n :: matrix (i - 1) n
let rec dot a b acc = match a with [] -> acc | x :: r -> (match b with [] -> acc | y :: s -> dot r s (acc + x * y))
let rec dots a columns = match columns with [] -> [] | c :: r -> dot a c 0 :: dots a r
let rec times a columns = match a with [] -> [] | x :: r -> dots x columns :: times r columns
let input n = (matrix n n, matrix n n)
let run (a, b) = times a b
