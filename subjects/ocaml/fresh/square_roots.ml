(* what: whole square roots by halving the interval
   family: arithmetic
   sizes: 100..2000/12 *)
let rec root n low high = if high - low < 2 then low else
  let m = (low + high) / 2 in
  if m * m <= n then root n m high else root n low m
let rec all n acc = if n = 0 then acc else all (n - 1) (acc + root n 0 2048)
let input n = n
let run n = all n 0
