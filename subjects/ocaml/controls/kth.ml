(* what: the element in the middle
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec kth k l = match l with [] -> None | x :: r -> if k = 1 then Some x else kth (k - 1) r
let input n = (n / 2, range 1 n)
let run (k, l) = kth k l
