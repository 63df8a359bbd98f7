(*** object ***)
let o = object method m = 1 end
(*** class ***)
class c = object end
(*** method call ***)
let f o = o#m
(*** lazy pattern ***)
let f (lazy x) = x
(*** extensible type ***)
type t = ..
(*** generalised constructor ***)
type _ t = A : int t
(*** extension ***)
let f x = [%expr x]
(*** int32 ***)
let x = 3l
(*** external ***)
external id : 'a -> 'a = "%identity"
(*** recursive value ***)
let rec ones = 1 :: ones
(*** polymorphic field ***)
type t = { f : 'a. 'a -> 'a }
(*** constraint ***)
type 'a t = 'a list constraint 'a = int
(*** unknown escape ***)
let s = "\q"
(*** private type ***)
type t = private int
