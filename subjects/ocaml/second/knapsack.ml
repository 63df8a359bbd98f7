(* what: best value within a weight, taking or leaving each thing
   family: search
   sizes: 2 3 4 5 6 7 8 9 10 11 12 13 *)
let rec things n = if n = 0 then [] else (1 + n * 7 mod 11, 3 + n * 5 mod 13) :: things (n - 1)
let rec best l room = match l with
  | [] -> 0
  | (w, v) :: rest ->
    let without = best rest room in
    if w > room then without else
    let taken = v + best rest (room - w) in
    if taken > without then taken else without
let input n = things n
let run l = best l 30
