(* what: every third element left out
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec drop i n l = match l with [] -> [] | x :: r -> if i = n then drop 1 n r else x :: drop (i + 1) n r
let input n = range 1 n
let run l = drop 1 3 l
