(* Sorting. *)
(*! sort time 2 0.446 + 6.05·n + 5.829·n² *)
(*! insert steps 1 *)
(*! quick steps 2 *)
(*! merge_sort steps 2 *)
(*! selection steps 2 *)
(*! bubble steps 2 *)
(*! split steps 1 *)
(*! merge steps 1 *)
let rec insert (x : int) l = match l with [] -> [x] | y :: r -> if x <= y then x :: l else y :: insert x r
let rec sort l = match l with [] -> [] | x :: r -> insert x (sort r)
let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec part (p : int) l = match l with
  | [] -> ([], [])
  | x :: r -> let (a, b) = part p r in if x <= p then (x :: a, b) else (a, x :: b)
let rec quick l = match l with [] -> [] | p :: r -> let (a, b) = part p r in append (quick a) (p :: quick b)
let rec split l = match l with
  | x :: y :: r -> let (a, b) = split r in (x :: a, y :: b)
  | short -> (short, [])
let rec merge (a : int list) b = match a, b with
  | [], l | l, [] -> l
  | x :: r, y :: s -> if x <= y then x :: merge r b else y :: merge a s
let rec merge_sort l = match l with
  | [] -> []
  | [x] -> [x]
  | _ -> let (a, b) = split l in merge (merge_sort a) (merge_sort b)
let rec least (m : int) l = match l with
  | [] -> (m, [])
  | x :: r -> if x < m then let (k, s) = least x r in (k, m :: s) else let (k, s) = least m r in (k, x :: s)
let rec selection l = match l with [] -> [] | x :: r -> let (m, s) = least x r in m :: selection s
let rec pass (l : int list) = match l with x :: y :: r -> if x > y then y :: pass (x :: r) else x :: pass (y :: r) | short -> short
let rec times n l = if n = 0 then l else times (n - 1) (pass l)
let rec length l = match l with [] -> 0 | _ :: r -> 1 + length r
let bubble l = times (length l) l
