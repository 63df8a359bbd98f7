(* what: a list in two halves
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec split i acc l = match l with
  | [] -> (acc, [])
  | x :: r -> if i = 0 then (acc, l) else split (i - 1) (x :: acc) r
let input n = (n / 2, range 1 n)
let run (k, l) = split k [] l
