(* Types of the program's own. *)
(*! size steps 1 = *)
(*! mirror steps 1 = *)
(*! to_list steps 1 *)
(*! depth steps 1 *)
(*! find steps 1 *)
(*! insert steps 1 *)
(*! build steps 2 *)
(*! derive steps 1 *)
(*! value steps 1 *)
(*! add bytes 1 = 16·n *)
(*! mul bytes 2 = 16·n·m *)
(*! to_int steps 1 = *)
(*! succ bytes 1 = 16 *)
(*! either steps 2 5 + 4·n *)
(*! sum_list steps 2 *)
(*! breadth steps 2 *)
type tree = Leaf | Node of tree * int * tree
let rec size t = match t with Leaf -> 0 | Node (a, _, b) -> size a + 1 + size b
let rec mirror t = match t with Leaf -> Leaf | Node (a, x, b) -> Node (mirror b, x, mirror a)
let rec onto t l = match t with Leaf -> l | Node (a, x, b) -> onto a (x :: onto b l)
let to_list t = onto t []
let rec depth t = match t with Leaf -> 0 | Node (a, _, b) -> let x = depth a in let y = depth b in if x < y then y + 1 else x + 1
let rec find (x : int) t = match t with Leaf -> false | Node (a, y, b) -> if x = y then true else if x < y then find x a else find x b
let rec insert (x : int) t = match t with
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (a, y, b) -> if x < y then Node (insert x a, y, b) else Node (a, y, insert x b)
let rec build l = match l with [] -> Leaf | x :: r -> insert x (build r)
type term = Number of int | Variable | Sum of term * term | Product of term * term
let rec derive t = match t with
  | Number _ -> Number 0
  | Variable -> Number 1
  | Sum (a, b) -> Sum (derive a, derive b)
  | Product (a, b) -> Sum (Product (derive a, b), Product (a, derive b))
let rec value x t = match t with
  | Number n -> n
  | Variable -> x
  | Sum (a, b) -> value x a + value x b
  | Product (a, b) -> value x a * value x b
type nat = Zero | Succ of nat
let succ n = Succ n
let rec to_int n = match n with Zero -> 0 | Succ m -> 1 + to_int m
let rec add a b = match a with Zero -> b | Succ m -> Succ (add m b)
let rec mul a b = match a with Zero -> Zero | Succ m -> add b (mul m b)
type choice = First of int list | Second of int * int
let rec total l = match l with [] -> 0 | x :: r -> x + total r
let either c = match c with First l -> total l | Second (a, b) -> a + b
let rec sum_list l = match l with [] -> 0 | t :: r -> size t + sum_list r
(* Breadth first with a queue of two lists: what is put in is turned round once. *)
let rec rev_onto a b = match a with [] -> b | x :: r -> rev_onto r (x :: b)
let rec enqueue_all l back = match l with [] -> back | x :: r -> enqueue_all r (x :: back)
let breadth l = match rev_onto (enqueue_all l []) [] with [] -> 0 | t :: _ -> size t
