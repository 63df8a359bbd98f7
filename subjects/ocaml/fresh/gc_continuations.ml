(* what: nested functions, all alive until the end
   family: collector
   sizes: 10000..120000/12 *)
let rec sum n k = if n = 0 then k 0 else sum (n - 1) (fun s -> k (s + n))
let input n = n
let run n = sum n (fun s -> s)
