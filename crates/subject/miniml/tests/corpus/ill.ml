(*** int plus string ***)
let x = 1 + "a"
(*** int plus float ***)
let x = 1 + 2.0
(*** float operator on ints ***)
let x = 1 +. 2
(*** branches differ ***)
let f b = if b then 1 else "one"
(*** condition is no boolean ***)
let f x = if x + 1 then 2 else 3
(*** missing else ***)
let f b = if b then 1
(*** list of two types ***)
let l = [1; "a"]
(*** cons of the wrong type ***)
let l = 1 :: ["a"]
(*** clauses differ ***)
let f = function 0 -> "zero" | n -> n
(*** patterns differ ***)
let f = function 0 -> 1 | "a" -> 2
(*** no function ***)
let x = 3 4
(*** too many arguments ***)
let f x = x + 1
let y = f 1 2
(*** argument of the wrong type ***)
let f x = x + 1
let y = f "a"
(*** unbound value ***)
let x = y + 1
(*** unbound in its own definition ***)
let f n = if n = 0 then 1 else n * f (n - 1)
(*** unbound constructor ***)
let x = Leaf
(*** unbound type ***)
let f (x : shape) = x
(*** unbound field ***)
let f r = r.width
(*** unbound module ***)
let x = Tree.empty
(*** unbound in a module ***)
module M = struct let a = 1 end
let x = M.b
(*** self application ***)
let f x = x x
(*** infinite list type ***)
let rec f x = f :: x
(*** constructor without its argument ***)
type t = A of int
let x = A
(*** constructor with an argument too many ***)
type t = A | B
let x = A 1
(*** constructor with too few arguments ***)
type t = P of int * int
let x = P 1
(*** constructor argument of the wrong type ***)
type t = A of int
let x = A "a"
(*** record field missing ***)
type t = { a : int; b : int }
let r = { a = 1 }
(*** record field twice ***)
type t = { a : int; b : int }
let r = { a = 1; a = 2; b = 3 }
(*** record field of the wrong type ***)
type t = { a : int }
let r = { a = 1.5 }
(*** fields of two records ***)
type t = { a : int }
type u = { b : int }
let r = { a = 1; b = 2 }
(*** type arity ***)
let f (x : int list list option int) = x
(*** list needs a parameter ***)
let f (x : list) = x
(*** parameter unbound in a declaration ***)
type t = A of 'a
(*** declared twice in a pattern ***)
let f x x = x
(*** bound twice in a tuple ***)
let f (a, a) = a
(*** one side of an or-pattern ***)
let f = function (x, 1) | (1, _) -> x | _ -> 0
(*** or-pattern at two types ***)
let f = function (1, x) | (x, "a") -> x | _ -> 2
(*** tuple of the wrong size ***)
let (a, b) = (1, 2, 3)
(*** raise of no exception ***)
let f () = raise 3
(*** handler at another type ***)
let x = try 1 with Not_found -> "none"
(*** handler of no exception ***)
let x = try 1 with Some _ -> 2
(*** guard is no boolean ***)
let f = function x when x -> 1 | n -> n + 1
(*** comparison at two types ***)
let x = 1 = "a"
(*** boolean operator on ints ***)
let x = 1 && 2
(*** not of an int ***)
let x = not 1
(*** string concatenation of a char ***)
let x = "a" ^ 'b'
(*** annotation contradicts ***)
let x : string = 1
(*** result annotation contradicts ***)
let f x : int = x ^ "a"
(*** parameter annotation contradicts ***)
let f (x : bool) = x + 1
(*** monomorphic parameter ***)
let f g = (g 1, g "a")
(*** weak variable used at two types ***)
let f = List.map (fun x -> x)
let a = f [1]
let b = f ["a"]
(*** value restriction inside ***)
let g x = let h = (fun y -> y) (fun z -> z) in (h 1, h "a", x)
(*** monomorphic recursion ***)
let rec f x = let a = f 1 in let b = f "a" in x
(*** mutual recursion at two types ***)
let rec even n = if n = 0 then true else odd (n - 1) and odd n = if n = 0 then "no" else even (n - 1)
(*** unit expected ***)
let () = 3
(*** list pattern on a tuple ***)
let f (x, y) = match (x, y) with [] -> 0 | _ -> 1
(*** alias cycle ***)
type t = t
(*** field of a non-record ***)
type t = { a : int }
let x = (3).a
(*** with on another record ***)
type t = { a : int }
type u = { b : int }
let f (x : t) = { x with b = 1 }
(*** match on the wrong type ***)
let f x = match x + 1 with Some y -> y | None -> 0
(*** sort needs an order ***)
let l = List.sort [3; 1; 2]
(*** swapped arguments ***)
let l = List.map [1; 2] (fun x -> x)
(*** missing argument in arithmetic ***)
let add a b = a + b
let x = add 1 + 2
(*** option used as its content ***)
let x = List.find_opt (fun x -> x > 1) [1; 2] + 1
(*** shadowed type ***)
type t = A
let x = A
type t = B
let y : t = x
(*** char and string ***)
let f c = c = 'a' || c = "b"
(*** unknown label in a pattern ***)
type t = { a : int }
let f { b } = b
(*** let rec of a number ***)
let rec x = x + 1
(*** result of a partial application ***)
let f a b = a + b
let x = if f 1 then 2 else 3
(*** exception argument ***)
exception E of int
let f () = raise (E "a")
(*** duplicate constructor argument type ***)
type 'a t = A of 'a
let x : int t = A "a"
(*** duplicate parameter ***)
type ('a, 'a) t = A of 'a
