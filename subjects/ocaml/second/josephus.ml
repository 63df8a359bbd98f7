(* what: last one left when every third of n in a circle goes
   family: search
   sizes: 100..2000/12 *)
let rec circle i n = if i > n then [] else i :: circle (i + 1) n
let rec rev l acc = match l with [] -> acc | x :: rest -> rev rest (x :: acc)
let rec go front back k = match front with
  | [] -> (match back with [] -> 0 | [x] -> x | _ -> go (rev back []) [] k)
  | x :: rest -> if k = 3 then go rest back 1 else go rest (x :: back) (k + 1)
let input n = circle 1 n
let run l = go l [] 1
