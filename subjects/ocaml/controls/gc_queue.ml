(* what: a queue of two lists, filled and emptied
   family: collector
   sizes: 10000..120000/12 *)
let rec rev l acc = match l with [] -> acc | x :: r -> rev r (x :: acc)
let pop front back = match front with
  | x :: r -> (x, r, back)
  | [] -> (match rev back [] with [] -> (0, [], []) | x :: r -> (x, r, []))
let rec go n front back acc = if n = 0 then acc else
  let (x, f, b) = pop front back in go (n - 1) f (n :: n :: b) (acc + x)
let input n = n
let run n = go n [1; 2; 3] [] 0
