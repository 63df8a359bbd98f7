(* what: pairs of two lists
   family: lists
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec zip a b = match (a, b) with (x :: r, y :: s) -> (x, y) :: zip r s | _ -> []
let input n = (range 1 n, range 2 n)
let run (a, b) = zip a b
