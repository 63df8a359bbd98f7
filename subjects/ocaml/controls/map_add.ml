(* what: map of a closure
   family: higher order
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec map f l = match l with [] -> [] | x :: r -> let y = f x in y :: map f r
let input n = (n, range 1 n)
let run (n, l) = map (fun x -> x + n) l
