(* what: pairs made and dropped
   family: collector
   sizes: 20000..240000/12 *)
let rec go n p = if n = 0 then p else let (a, b) = p in go (n - 1) (b, a + n)
let input n = n
let run n = go n (1, 2)
