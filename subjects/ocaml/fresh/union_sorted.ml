(* what: union of two ascending lists of pseudo-random steps
   family: lists
   sizes: 1000..20000/12 *)
let rec steps n s at = if n = 0 then [] else
  let t = (s * 1103 + 12345) mod 32768 in
  let next = at + 1 + t mod 5 in
  next :: steps (n - 1) t next
let rec union (a : int list) b = match a with
  | [] -> b
  | x :: r -> (match b with
    | [] -> a
    | y :: s -> if x < y then x :: union r b else if x > y then y :: union a s else x :: union r s)
let input n = (steps n 3 0, steps n 17 0)
let run (a, b) = union a b
