(* what: records of floats made and soon dropped
   family: collector
   sizes: 20000..240000/12 *)
type point = { x : float; y : float }
let turn p = { x = 0.8 *. p.x -. 0.6 *. p.y; y = 0.6 *. p.x +. 0.8 *. p.y }
let rec spin n p = if n = 0 then p else spin (n - 1) (turn p)
let input n = n
let run n = spin n { x = 1.0; y = 0.0 }
