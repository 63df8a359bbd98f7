(* what: a machine with a stack and four instructions
   family: symbolic
   sizes: 1000..20000/12 *)
type instruction = Push of int | Plus | Swap | Drop
let rec program n = if n = 0 then [] else (match n mod 6 with 0 -> Plus | 1 -> Push n | 2 -> Swap | 3 -> Push 7 | 4 -> Drop | _ -> Push (2 * n)) :: program (n - 1)
let rec execute code stack = match code with
  | [] -> stack
  | Push k :: rest -> execute rest (k :: stack)
  | Plus :: rest -> (match stack with a :: b :: s -> execute rest ((a + b) :: s) | _ -> execute rest stack)
  | Swap :: rest -> (match stack with a :: b :: s -> execute rest (b :: a :: s) | _ -> execute rest stack)
  | Drop :: rest -> (match stack with _ :: s -> execute rest s | [] -> execute rest [])
let input n = program n
let run p = execute p [1; 2; 3]
