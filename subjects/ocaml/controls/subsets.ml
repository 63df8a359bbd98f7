(* what: sums of all subsets
   family: search
   sizes: 3 4 5 6 7 8 9 10 11 12 13 *)
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec sums l s = match l with [] -> if s mod 3 = 0 then 1 else 0 | x :: r -> sums r s + sums r (s + x)
let input n = range 1 n
let run l = sums l 0
