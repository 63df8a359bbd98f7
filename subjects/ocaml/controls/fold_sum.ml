(* what: sum by a left fold
   family: higher order
   sizes: 1000..20000/12
   pair: sum *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec fold f acc l = match l with [] -> acc | x :: r -> fold f (f acc x) r
let add a b = a + b
let input n = range 1 n
let run l = fold add 0 l
