(* what: an integral by the midpoint rule
   family: numeric
   sizes: 1000..20000/12 *)
let f x = x *. x +. 1.5 *. x -. 0.25
let rec area i n h acc = if i = n then acc *. h else area (i + 1) n h (acc +. f ((float_of_int i +. 0.5) *. h))
let input n = n
let run n = area 0 n (1.0 /. float_of_int n) 0.0
