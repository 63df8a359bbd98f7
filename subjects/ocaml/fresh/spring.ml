(* what: a spring's motion in small steps
   family: numeric
   sizes: 1000..20000/12 *)
let rec move n x v = if n = 0 then x else
  let w = v -. 0.001 *. x in
  move (n - 1) (x +. 0.001 *. w) w
let input n = n
let run n = move n 1.0 0.0
