(* what: steps until the numbers of Mandelbrot's set leave a circle
   family: numeric
   sizes: 10..120/12 *)
let rec steps x y a b k = if k = 0 then 0 else
  let p = x *. x in
  let q = y *. y in
  if p +. q > 4.0 then k else steps (p -. q +. a) (2.0 *. x *. y +. b) a b (k - 1)
let rec line n a acc = if n = 0 then acc else line (n - 1) (a +. 0.02) (acc + steps 0.0 0.0 a 0.3 50)
let input n = n
let run n = line n (-1.5) 0
