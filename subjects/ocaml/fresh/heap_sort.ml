(* what: sorting by a leftist heap
   family: sorting
   sizes: 100..2000/12
   pair: sorting *)
type heap = Empty | Heap of int * int * heap * heap
let rec noise n s = if n = 0 then [] else let t = (s * 1103 + 12345) mod 32768 in t :: noise (n - 1) t
let rank h = match h with Empty -> 0 | Heap (r, _, _, _) -> r
let make x a b = let p = rank a and q = rank b in if p >= q then Heap (q + 1, x, a, b) else Heap (p + 1, x, b, a)
let rec join a b = match a, b with
  | Empty, h -> h
  | h, Empty -> h
  | Heap (_, x, l, r), Heap (_, y, m, s) -> if x <= y then make x l (join r b) else make y m (join a s)
let rec fill l h = match l with [] -> h | x :: rest -> fill rest (join (Heap (1, x, Empty, Empty)) h)
let rec drain h acc = match h with Empty -> acc | Heap (_, x, l, r) -> drain (join l r) (x :: acc)
let input n = noise n 5
let run l = drain (fill l Empty) []
