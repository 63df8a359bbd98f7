(* what: quotients where there are any, as options
   family: symbolic
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let divide a b = if b = 0 then None else Some (a / b)
let rec total l n acc = match l with [] -> acc | x :: rest -> (match divide n (x mod 5) with None -> total rest n acc | Some q -> total rest n (acc + q))
let input n = (n, count_up 1 n)
let run (n, l) = total l n 0
