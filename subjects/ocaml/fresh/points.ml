(* what: the middle of many points, records of floats
   family: numeric
   sizes: 1000..20000/12 *)
type point = { x : float; y : float }
let rec make n = if n = 0 then [] else { x = float_of_int n; y = float_of_int (n mod 10) } :: make (n - 1)
let rec sum l acc = match l with [] -> acc | p :: rest -> sum rest { x = acc.x +. p.x; y = acc.y +. p.y }
let input n = make n
let run l = sum l { x = 0.0; y = 0.0 }
