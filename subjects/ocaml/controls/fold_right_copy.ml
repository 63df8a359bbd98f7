(* what: copy of a list by a right fold
   family: higher order
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec fold f l acc = match l with [] -> acc | x :: r -> f x (fold f r acc)
let cons x l = x :: l
let input n = range 1 n
let run l = fold cons l []
