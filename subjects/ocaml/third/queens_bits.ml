(* what: ways to place five queens on five rows, free columns kept as bits
   family: bits
   sizes: 5..16/12 *)
let rec place all rows columns left right =
  if rows = 0 then 1 else try_each all rows columns left right (all land lnot (columns lor left lor right)) 0

and try_each all rows columns left right free count =
  if free = 0 then count
  else
    let queen = free land -free in
    let below = place all (rows - 1) (columns lor queen) ((left lor queen) lsl 1) ((right lor queen) lsr 1) in
    try_each all rows columns left right (free lxor queen) (count + below)

let input n = n
let run n = place ((1 lsl n) - 1) 5 0 0 0
