(* what: Ackermann's function at 2
   family: arithmetic
   sizes: 10..120/12 *)
let rec ack m n = if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))
let input n = n
let run n = ack 2 n
