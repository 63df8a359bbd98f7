(* what: searches that end by an exception
   family: search
   sizes: 100..2000/12 *)
exception Found of int
let rec waves n = if n = 0 then [] else (n mod 9 - 1) :: waves (n - 1)
let rec search l = match l with [] -> 0 | x :: rest -> if x < 0 then raise (Found x) else search rest
let rec all l acc = match l with [] -> acc | _ :: rest -> all rest (acc + (try search l with Found x -> x))
let input n = waves n
let run l = all l 0
