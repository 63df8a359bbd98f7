(* what: a list of functions applied in turn
   family: higher order
   sizes: 1000..20000/12 *)
let rec adders n = if n = 0 then [] else (fun x -> x + n) :: adders (n - 1)
let rec apply l x = match l with [] -> x | f :: r -> apply r (f x)
let input n = adders n
let run l = apply l 1
