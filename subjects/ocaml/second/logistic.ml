(* what: orbit of the logistic map for many parameters
   family: numeric
   sizes: 10..120/12 *)
let rec orbit r x k = if k = 0 then x else orbit r (r *. x *. (1.0 -. x)) (k - 1)
let rec all n r acc = if n = 0 then acc else all (n - 1) (r +. 0.005) (acc +. orbit r 0.5 60)
let input n = n
let run n = all n 3.0 0.0
