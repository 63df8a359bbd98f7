(* what: a long list before another
   family: collector
   sizes: 20000..130000/12 *)
let rec down n acc = if n = 0 then acc else down (n - 1) (n :: acc)
let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let input n = (down n [], [1])
let run (a, b) = append a b
