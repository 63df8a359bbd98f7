(* Pointers all over the memory, a variant with fields. *)
type tree = Leaf | Node of tree * int * tree

let rec insert x tree =
  match tree with
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (left, y, right) ->
      if x < y then Node (insert x left, y, right)
      else if x > y then Node (left, y, insert x right)
      else tree

let rec grow n seed tree =
  if n = 0 then tree
  else grow (n - 1) (((seed * 16807) + 11) mod 2147483647) (insert seed tree)

let rec size tree =
  match tree with Leaf -> 0 | Node (left, _, right) -> size left + 1 + size right

let result = size (grow 100000 1 Leaf)
