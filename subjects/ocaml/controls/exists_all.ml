(* what: a test on all elements by two quantifiers
   family: higher order
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec for_all f l = match l with [] -> true | x :: r -> f x && for_all f r
let rec exists f l = match l with [] -> false | x :: r -> f x || exists f r
let input n = (n, range 1 n)
let run (n, l) = for_all (fun x -> x > 0) l && not (exists (fun x -> x > n) l)
