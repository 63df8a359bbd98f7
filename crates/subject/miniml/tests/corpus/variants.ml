type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
type shape = Circle of float | Square of float | Group of shape list
type point = { x : int; y : int }
let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, v, r) when x < v -> Node (insert x l, v, r)
  | Node (l, v, r) -> Node (l, v, insert x r)
let rec depth = function Leaf -> 0 | Node (l, _, r) -> 1 + max (depth l) (depth r)
let rec area = function
  | Circle r -> 3.0 *. r *. r
  | Square a -> a *. a
  | Group shapes -> List.fold_left (fun sum s -> sum +. area s) 0.0 shapes
let move p dx = { x = p.x + dx; y = p.y }
let origin = { x = 0; y = 0 }
let find p xs = try Some (List.find p xs) with Not_found -> None
let option default f = function None -> default | Some v -> f v
exception Stop of int
let guard n = if n > 3 then raise (Stop n) else n
let swap (a, b) = (b, a)
