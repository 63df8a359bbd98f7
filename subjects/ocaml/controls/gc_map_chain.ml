(* what: a list mapped again and again
   family: collector
   sizes: 2000..24000/12 *)
let rec down n acc = if n = 0 then acc else down (n - 1) (n :: acc)
let rec map f l acc = match l with [] -> acc | x :: r -> map f r (f x :: acc)
let next x = x + 1
let rec again k l = if k = 0 then l else again (k - 1) (map next l [])
let input n = down n []
let run l = again 10 l
