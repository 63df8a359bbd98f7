(* what: ways to place four queens on a board of four rows
   family: search
   sizes: 4..15/12 *)
let rec safe d q l = match l with [] -> true | x :: r -> x <> q && x <> q + d && x <> q - d && safe (d + 1) q r
let rec place n k q l = if q > n then 0 else (if safe 1 q l then solve n (k - 1) (q :: l) else 0) + place n k (q + 1) l
and solve n k l = if k = 0 then 1 else place n k 1 l
let input n = n
let run n = solve n 4 []
