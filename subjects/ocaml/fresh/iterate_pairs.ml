(* what: a function on pairs applied n times
   family: higher order
   sizes: 1000..20000/12 *)
let rec times n f x = if n = 0 then x else times (n - 1) f (f x)
let input n = n
let run n = times n (fun (a, b) -> (b, a + b)) (0, 1)
