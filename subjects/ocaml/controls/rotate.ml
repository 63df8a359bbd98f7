(* what: rotation by a third
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec split i l = if i = 0 then ([], l) else match l with
  | [] -> ([], [])
  | x :: r -> let (a, b) = split (i - 1) r in (x :: a, b)
let input n = (n / 3, range 1 n)
let run (k, l) = let (a, b) = split k l in append b a
