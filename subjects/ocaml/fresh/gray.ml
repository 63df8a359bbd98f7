(* what: Gray's code of so many bits
   family: 99 problems
   sizes: 2 3 4 5 6 7 8 9 10 11 12 13 *)
let rec map_onto f l acc = match l with [] -> acc | x :: rest -> map_onto f rest (f x :: acc)
let rec append a b = match a with [] -> b | x :: rest -> x :: append rest b
let rec gray n bit = if n = 0 then [0] else
  let half = gray (n - 1) (bit / 2) in
  append half (map_onto (fun x -> x + bit) half [])
let input n = n
let run n = gray n 4096
