(* what: a long list filtered, half of it kept
   family: collector
   sizes: 40000..260000/12 *)
let rec down n acc = if n = 0 then acc else down (n - 1) (n :: acc)
let rec keep p l acc = match l with [] -> acc | x :: rest -> if p x then keep p rest (x :: acc) else keep p rest acc
let input n = down n []
let run l = keep (fun x -> x mod 4 < 2) l []
