(* what: trial division of a prime's square
   family: arithmetic
   sizes: 1009 2003 3001 4001 5003 6007 7001 8009 9001 10007 12007 *)
let rec prime n d = if d * d > n then true else if n mod d = 0 then false else prime n (d + 1)
let input n = n * n
let run n = prime n 2
