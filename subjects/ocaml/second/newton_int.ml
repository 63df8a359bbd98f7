(* what: whole square roots by Newton with divisions
   family: arithmetic
   sizes: 100..2000/12 *)
let rec root n x = let y = (x + n / x) / 2 in if y >= x then x else root n y
let rec all n acc = if n = 0 then acc else all (n - 1) (acc + root (n * 37) (n * 37))
let input n = n
let run n = all n 0
