(*** reference ***)
let r = ref 0
(*** assignment ***)
let f r = r := 1
(*** dereference ***)
let f r = !r + 1
(*** while ***)
let f x = while x do () done
(*** for ***)
let () = for i = 1 to 3 do print_int i done
(*** array ***)
let a = [| 1; 2 |]
(*** array read ***)
let f a = a.(0)
(*** array write ***)
let f a = a.(0) <- 1
(*** string index ***)
let f s = s.[0]
(*** mutable field ***)
type t = { mutable a : int }
(*** object ***)
let o = object method m = 1 end
(*** class ***)
class c = object end
(*** method call ***)
let f o = o#m
(*** polymorphic variant ***)
let x = `A
(*** label ***)
let f ~x = x + 1
(*** optional argument ***)
let f ?x y = y
(*** labelled call ***)
let f g = g ~x:1
(*** functor ***)
module F (X : sig end) = struct end
(*** signature ***)
module type S = sig val x : int end
(*** module with signature ***)
module M : sig val x : int end = struct let x = 1 end
(*** include ***)
include List
(*** assert ***)
let f x = assert (x > 0); x
(*** lazy ***)
let x = lazy 3
(*** lazy pattern ***)
let f (lazy x) = x
(*** bit and ***)
let f a b = a land b
(*** shift ***)
let f a = a lsl 1
(*** physical equality ***)
let f a b = a == b
(*** physical inequality ***)
let f a b = a != b
(*** local module ***)
let x = let module M = struct let a = 1 end in M.a
(*** local exception ***)
let f x = let exception E in raise E
(*** match exception ***)
let f x = match x with y -> y | exception Not_found -> 0
(*** inline record ***)
type t = A of { x : int }
(*** extensible type ***)
type t = ..
(*** private type ***)
type t = private int
(*** generalised constructor ***)
type _ t = A : int t
(*** attribute ***)
let f x = (x [@inline])
(*** extension ***)
let f x = [%expr x]
(*** int32 ***)
let x = 3l
(*** printf ***)
let () = Printf.printf "%d" 3
(*** hashtable ***)
let h = Hashtbl.create 3
(*** nonrec ***)
type nonrec t = int
(*** external ***)
external id : 'a -> 'a = "%identity"
(*** recursive value ***)
let rec ones = 1 :: ones
(*** binding operator ***)
let ( let* ) x f = f x
(*** own operator ***)
let ( +! ) a b = a + b
(*** quoted string ***)
let s = {|a|}
(*** variance ***)
type +'a t = A of 'a
(*** polymorphic field ***)
type t = { f : 'a. 'a -> 'a }
(*** explicit polymorphism ***)
let f : 'a. 'a -> 'a = fun x -> x
(*** abstract type ***)
type t
(*** constraint ***)
type 'a t = 'a list constraint 'a = int
(*** module alias ***)
module L = List
(*** buffer ***)
let b = Buffer.create 3
(*** open expression ***)
open struct let x = 1 end
(*** unknown escape ***)
let s = "\q"
