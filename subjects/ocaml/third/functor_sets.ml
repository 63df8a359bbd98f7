(* what: sets of numbers and of pairs, made by a functor over search trees
   family: functors
   sizes: 50..2000/12 *)
module type ORDERED = sig
  type t

  val compare : t -> t -> int
end

module type SET = sig
  type element
  type t

  val empty : t
  val add : element -> t -> t
  val mem : element -> t -> bool
  val size : t -> int
end

module Make (Key : ORDERED) : SET with type element = Key.t = struct
  type element = Key.t
  type t = Leaf | Node of t * Key.t * t

  let empty = Leaf

  let rec add x = function
    | Leaf -> Node (Leaf, x, Leaf)
    | Node (left, y, right) as set ->
      let c = Key.compare x y in
      if c = 0 then set else if c < 0 then Node (add x left, y, right) else Node (left, y, add x right)

  let rec mem x = function
    | Leaf -> false
    | Node (left, y, right) ->
      let c = Key.compare x y in
      c = 0 || mem x (if c < 0 then left else right)

  let rec size = function Leaf -> 0 | Node (left, _, right) -> size left + 1 + size right
end

module Numbers = Make (Int)

module Pairs = Make (struct
  type t = int * int

  let compare (a, b) (c, d) = if a = c then Int.compare b d else Int.compare a c
end)

let input n = List.init n (fun i -> i * 7919 mod 1013)

let run l =
  let numbers = List.fold_left (fun set x -> Numbers.add x set) Numbers.empty l in
  let pairs = List.fold_left (fun set x -> Pairs.add (x mod 29, x mod 31) set) Pairs.empty l in
  let found = List.filter (fun x -> Numbers.mem (x + 1) numbers && Pairs.mem (x mod 31, x mod 29) pairs) l in
  (Numbers.size numbers, Pairs.size pairs, List.length found)
