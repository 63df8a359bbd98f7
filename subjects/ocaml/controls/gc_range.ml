(* what: a long list, all of it alive
   family: collector
   sizes: 20000..240000/12 *)
let rec down n acc = if n = 0 then acc else down (n - 1) (n :: acc)
let input n = n
let run n = down n []
