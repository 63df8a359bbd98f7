(* what: a list made by a function of the position, all of it alive
   family: collector
   sizes: 20000..240000/12 *)
let rec init n f acc = if n = 0 then acc else init (n - 1) f (f n :: acc)
let input n = n
let run n = init n (fun i -> i * n) []
