(* what: rows become columns
   family: matrix
   sizes: 8..60/12 *)
let rec row i n = if n = 0 then [] else i * n :: row i (n - 1)
let rec matrix i n = if i = 0 then [] else row i n :: matrix (i - 1) n
let rec heads m = match m with [] -> [] | [] :: _ -> [] | (x :: _) :: r -> x :: heads r
let rec tails m = match m with [] -> [] | [] :: _ -> [] | (_ :: s) :: r -> s :: tails r
let rec transpose m = match m with [] -> [] | [] :: _ -> [] | _ -> let h = heads m in h :: transpose (tails m)
let input n = matrix n n
let run m = transpose m
