(* what: all orders of n numbers, counted
   family: search
   sizes: 2 3 4 5 6 7 *)
let rec append a b = match a with [] -> b | x :: rest -> x :: append rest b
let rec places x l = match l with [] -> [[x]] | y :: rest -> (x :: l) :: under y (places x rest)
and under y ls = match ls with [] -> [] | l :: rest -> (y :: l) :: under y rest
let rec all l = match l with [] -> [[]] | x :: rest -> spread x (all rest)
and spread x ls = match ls with [] -> [] | l :: rest -> append (places x l) (spread x rest)
let rec count l k = match l with [] -> k | _ :: rest -> count rest (k + 1)
let rec numbers n = if n = 0 then [] else n :: numbers (n - 1)
let input n = numbers n
let run l = count (all l) 0
