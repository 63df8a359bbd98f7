(* what: run lengths written out
   family: 99 problems
   sizes: 1000..20000/12 *)
let rec runs n = if n <= 0 then [] else let k = 1 + n mod 5 in (k, n) :: runs (n - k)
let rec write k x rest = if k = 0 then rest else x :: write (k - 1) x rest
let rec decode l = match l with [] -> [] | (k, x) :: rest -> write k x (decode rest)
let input n = runs n
let run l = decode l
