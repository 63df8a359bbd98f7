(* what: closures made and called
   family: collector
   sizes: 20000..240000/12 *)
let app f x = f (f x)
let rec go n a = if n = 0 then a else go (n - 1) (app (fun x -> x + n) a)
let input n = n
let run n = go n 1
