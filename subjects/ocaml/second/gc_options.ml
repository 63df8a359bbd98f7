(* what: a long list of options of pairs made, then those that are there gathered
   family: collector
   sizes: 10000..120000/12 *)
let rec make n acc = if n = 0 then acc else make (n - 1) ((if n mod 4 = 0 then None else Some (n, n + 1)) :: acc)
let rec gather l acc = match l with [] -> acc | None :: rest -> gather rest acc | Some (a, b) :: rest -> gather rest ((a + b) :: acc)
let input n = n
let run n = gather (make n []) []
