(*** lists ***)
let rec append xs ys = match xs with [] -> ys | x :: rest -> x :: append rest ys
let rec range a b = if a >= b then [] else a :: range (a + 1) b
let rec map f = function [] -> [] | x :: rest -> f x :: map f rest
let rec fold f acc = function [] -> acc | x :: rest -> fold f (f acc x) rest
let rec zip = function x :: xs, y :: ys -> (x, y) :: zip (xs, ys) | _ -> []
let total = fold (fun a b -> a + b) 0 (append (range 0 10) [100])
let pairs = zip (range 0 3, map float_of_int (range 0 3))
let rec partition p = function
  | [] -> [], []
  | x :: rest -> let yes, no = partition p rest in if p x then x :: yes, no else yes, x :: no
let compose f g x = f (g x)
let twice f = compose f f
let apply_all fs x = map (fun f -> f x) fs
(*** polymorphism ***)
let id x = x
let k x _ = x
let pair = (id 1, id "one")
let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - 1)
let lower c = if c >= 'A' && c <= 'Z' then Char.chr (Char.code c + 32) else c
let polymorphic_equal a b = a = b
let flip f x y = f y x
let rec fix f x = f (fix f) x
let fact = fix (fun self n -> if n = 0 then 1 else n * self (n - 1))
let curry f a b = f (a, b)
let church n f x = let rec go i acc = if i = 0 then acc else go (i - 1) (f acc) in go n x
module Stack = struct
  let empty = []
  let push x s = x :: s
  let pop = function [] -> None | x :: rest -> Some (x, rest)
end
let top = Stack.pop (Stack.push 3 Stack.empty)
(*** variants ***)
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
