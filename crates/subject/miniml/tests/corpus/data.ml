(*** binary tree ***)
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
let rec insert x = function Leaf -> Node (Leaf, x, Leaf) | Node (l, v, r) as t -> if x < v then Node (insert x l, v, r) else if x > v then Node (l, v, insert x r) else t
let rec elements = function Leaf -> [] | Node (l, v, r) -> elements l @ (v :: elements r)
let rec size = function Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r
let t = List.fold_left (fun t x -> insert x t) Leaf [5; 2; 8; 1; 9; 2]
let r = elements t, size t
(*** symmetric trees ***)
type t = E | N of t * t
let rec mirror a b = match a, b with E, E -> true | N (l, r), N (l', r') -> mirror l r' && mirror r l' | _ -> false
let r = mirror (N (E, N (E, E))) (N (N (E, E), E)), mirror E (N (E, E))
(*** balanced trees ***)
type t = E | N of char * t * t
let rec balanced n = if n = 0 then [E] else if n mod 2 = 1 then let s = balanced (n / 2) in List.concat (List.map (fun l -> List.map (fun r -> N ('x', l, r)) s) s)
  else let a = balanced (n / 2) and b = balanced (n / 2 - 1) in List.concat (List.map (fun l -> List.concat (List.map (fun r -> [N ('x', l, r); N ('x', r, l)]) b)) a)
let r = List.length (balanced 4), balanced 1
(*** red-black insertion ***)
type color = R | B
type t = E | T of color * t * int * t
let balance = function
  | B, T (R, T (R, a, x, b), y, c), z, d | B, T (R, a, x, T (R, b, y, c)), z, d
  | B, a, x, T (R, T (R, b, y, c), z, d) | B, a, x, T (R, b, y, T (R, c, z, d)) -> T (R, T (B, a, x, b), y, T (B, c, z, d))
  | c, l, v, r -> T (c, l, v, r)
let insert x s =
  let rec ins = function E -> T (R, E, x, E) | T (c, l, v, r) as s -> if x < v then balance (c, ins l, v, r) else if x > v then balance (c, l, v, ins r) else s in
  match ins s with T (_, l, v, r) -> T (B, l, v, r) | E -> E
let rec depth = function E -> 0 | T (_, l, _, r) -> 1 + max (depth l) (depth r)
let t = List.fold_left (fun t x -> insert x t) E (List.init 30 (fun i -> i))
let d = depth t
(*** leftist heap ***)
type heap = E | H of int * int * heap * heap
let rank = function E -> 0 | H (r, _, _, _) -> r
let make x a b = if rank a >= rank b then H (rank b + 1, x, a, b) else H (rank a + 1, x, b, a)
let rec merge a b = match a, b with E, h | h, E -> h | H (_, x, l, r), H (_, y, l', r') -> if x <= y then make x l (merge r b) else make y l' (merge a r')
let rec drain = function E -> [] | H (_, x, l, r) -> x :: drain (merge l r)
let r = drain (List.fold_left (fun h x -> merge h (H (1, x, E, E))) E [3; 1; 4; 1; 5; 9; 2; 6])
(*** expression evaluator ***)
type e = Num of int | Add of e * e | Mul of e * e | Neg of e | Var of string
let rec eval env = function Num n -> n | Add (a, b) -> eval env a + eval env b | Mul (a, b) -> eval env a * eval env b | Neg a -> - (eval env a) | Var x -> List.assoc x env
let r = eval ["x", 3] (Add (Num 2, Mul (Var "x", Neg (Num 4))))
let s = eval [] (Var "y")
(*** symbolic derivative ***)
type e = X | C of float | Sum of e * e | Prod of e * e
let rec d = function X -> C 1. | C _ -> C 0. | Sum (a, b) -> Sum (d a, d b) | Prod (a, b) -> Sum (Prod (d a, b), Prod (a, d b))
let rec simple = function
  | Sum (a, b) -> (match simple a, simple b with C 0., e | e, C 0. -> e | C x, C y -> C (x +. y) | a, b -> Sum (a, b))
  | Prod (a, b) -> (match simple a, simple b with C 0., _ | _, C 0. -> C 0. | C 1., e | e, C 1. -> e | a, b -> Prod (a, b))
  | e -> e
let r = simple (d (Prod (X, Sum (X, C 3.))))
(*** boolean formulas ***)
type f = V of string | Not of f | And of f * f | Or of f * f
let rec eval a b va vb = function V x -> if x = a then va else if x = b then vb else failwith "variable" | Not e -> not (eval a b va vb e) | And (x, y) -> eval a b va vb x && eval a b va vb y | Or (x, y) -> eval a b va vb x || eval a b va vb y
let table a b f = List.map (fun (x, y) -> x, y, eval a b x y f) [true, true; true, false; false, true; false, false]
let r = table "a" "b" (And (V "a", Or (V "a", Not (V "b"))))
(*** state machine ***)
type state = Idle | Running of int | Done
let step = function Idle -> Running 0 | Running n when n >= 3 -> Done | Running n -> Running (n + 1) | Done -> Done
let rec run n s = if s = Done then n else run (n + 1) (step s)
let r = run 0 Idle, step Idle = Running 0
(*** huffman ***)
type t = Leaf of int * char | Node of int * t * t
let weight = function Leaf (w, _) | Node (w, _, _) -> w
let rec insert t = function [] -> [t] | h :: r as l -> if weight t <= weight h then t :: l else h :: insert t r
let rec build = function [] -> failwith "nothing" | [t] -> t | a :: b :: r -> build (insert (Node (weight a + weight b, a, b)) r)
let rec codes p = function Leaf (_, c) -> [c, p] | Node (_, l, r) -> codes (p ^ "0") l @ codes (p ^ "1") r
let r = codes "" (build [Leaf (5, 'f'); Leaf (9, 'e'); Leaf (12, 'c'); Leaf (13, 'b'); Leaf (16, 'd'); Leaf (45, 'a')])
(*** records ***)
type person = { name : string; age : int; tags : string list }
let p = { name = "Ada"; age = 36; tags = [] }
let older p = { p with age = p.age + 1 }
let tag t ({ tags; _ } as p) = { p with tags = t :: tags }
let r = older (tag "x" p), (tag "y" p).tags, { p with name = "B"; age = 0 } = p
(*** nested records ***)
type point = { x : float; y : float }
type box = { low : point; high : point; label : string option }
let area { low = { x = x0; y = y0 }; high; _ } = (high.x -. x0) *. (high.y -. y0)
let b = { low = { x = 0.; y = 1. }; high = { x = 2.; y = 4. }; label = Some "b" }
let r = area b, { b with low = b.high }.low.x, b.low < b.high, { b.low with y = 7. }
(*** float records in loops ***)
type body = { pos : float; vel : float }
let step dt b = { pos = b.pos +. dt *. b.vel; vel = b.vel -. dt *. b.pos }
let rec run n b = if n = 0 then b else run (n - 1) (step 0.5 b)
let r = run 4 { pos = 1.; vel = 0. }
let swap { pos; vel } = { pos = vel; vel = pos }
let s = swap r, [r.pos; r.vel]
(*** parametric records ***)
type ('a, 'b) pair = { fst : 'a; snd : 'b }
let swap { fst; snd } = { fst = snd; snd = fst }
let r = swap { fst = 1; snd = "a" }, (swap (swap { fst = []; snd = None })).fst
(*** options ***)
let safe_div a b = if b = 0 then None else Some (a / b)
let r = Option.map succ (safe_div 7 2), Option.bind (safe_div 8 2) (fun x -> safe_div x 0), Option.is_none None, Option.to_list (Some 1), Option.get (Some 'c')
let s = Option.get (safe_div 1 0)
(*** results ***)
let parse s = try Ok (int_of_string s) with Failure _ -> Error ("bad: " ^ s)
let both a b = match a, b with Ok x, Ok y -> Ok (x + y) | Error e, _ | _, Error e -> Error e
let r = both (parse "1") (parse "2"), both (parse "x") (parse "y")
(*** composition ***)
let compose f g x = f (g x)
let rec iterate n f x = if n = 0 then x else f (iterate (n - 1) f x)
let r = compose succ succ 1, iterate 5 (fun x -> x * 2) 1, List.map (compose string_of_int succ) [1; 2], (compose (compose succ) (+)) 1 2
(*** currying ***)
let curry f a b = f (a, b) and uncurry f (a, b) = f a b
let add (a, b) = a + b
let r = curry add 1 2, uncurry (-) (5, 3), List.map (uncurry ( * )) [1, 2; 3, 4], add (1, 2)
(*** partial application of more ***)
let f a b c d = [a; b; c; d]
let g = f 1
let h = g 2
let k = h 3
let r = k 4, h 5 6, g 7 8 9, List.map (f 1 2 3) [0; 1]
(*** church numerals ***)
let zero _ x = x
let succ n f x = f (n f x)
let add a b f x = a f (b f x)
let two f x = succ (succ zero) f x
let r = add two two (fun x -> x + 1) 0, two (two (fun s -> s ^ "a")) ""
(*** fixed point ***)
let rec fix f x = f (fix f) x
let r = fix (fun self n -> if n = 0 then 1 else n * self (n - 1)) 6
(*** continuations ***)
let rec sum l k = match l with [] -> k 0 | x :: t -> sum t (fun s -> k (s + x))
let rec product l stop next = match l with [] -> next 1 | 0 :: _ -> stop 0 | x :: t -> product t stop (fun p -> next (p * x))
let id x = x
let r = sum [1; 2; 3] id, product [2; 3] id id, product [2; 0; 3] id id
(*** closures keep their variables ***)
let make n = let m = n * n in (fun x -> x + m), (fun () -> n)
let f, g = make 3
let r = f 1, g (), (let h, _ = make 10 in h 1)
(*** mutual recursion in a local definition ***)
let parity n = let rec even n = n = 0 || odd (n - 1) and odd n = n > 0 && even (n - 1) in if even n then "even" else if odd n then "odd" else "none"
let r = parity 10, parity 7
(*** local functions capture ***)
let f a b = let rec go n = if n = 0 then a else if n mod 2 = 0 then go (n - 1) + b else back (n - 1) and back n = b + go n in go 5
let r = f 1 10
(*** streams as functions ***)
type 'a stream = Cons of 'a * (unit -> 'a stream)
let rec from n = Cons (n, fun () -> from (n + 1))
let rec take n (Cons (x, rest)) = if n = 0 then [] else x :: take (n - 1) (rest ())
let rec filter p (Cons (x, rest)) = if p x then Cons (x, fun () -> filter p (rest ())) else filter p (rest ())
let rec sieve (Cons (p, rest)) = Cons (p, fun () -> sieve (filter (fun n -> n mod p <> 0) (rest ())))
let r = take 8 (sieve (from 2))
(*** modules ***)
module Set = struct
  type 'a t = 'a list
  let empty = []
  let rec mem x = function [] -> false | y :: t -> x = y || mem x t
  let add x s = if mem x s then s else x :: s
  module Inner = struct let size s = List.length s end
end
open Set
let s = add 1 (add 2 (add 1 empty))
let r = mem 2 s, Set.mem 5 s, Inner.size s, Set.(add 9 empty), let open Set in mem 1 s
(*** strings ***)
let rec explode s i = if i = String.length s then [] else String.get s i :: explode s (i + 1)
let rec implode = function [] -> "" | c :: t -> String.make 1 c ^ implode t
let r = explode "abc" 0, implode (List.rev (explode "abc" 0)), String.sub "hello" 1 3, String.concat ", " ["a"; "b"; "c"], String.length ""
let s = try String.get "abc" 3 with Invalid_argument m -> if m = "index out of bounds" then '!' else '?'
let t = String.sub "abc" 2 5
(*** caesar ***)
let shift n c = if c >= 'a' && c <= 'z' then Char.chr ((Char.code c - 97 + n) mod 26 + 97) else c
let rec map f s i = if i = String.length s then "" else String.make 1 (f (String.get s i)) ^ map f s (i + 1)
let r = map (shift 3) "hello, xyz" 0
(*** parser of sums ***)
let rec number s i n = if i < String.length s && String.get s i >= '0' && String.get s i <= '9' then number s (i + 1) (n * 10 + Char.code (String.get s i) - 48) else (n, i)
let rec sum s i = let n, i = number s i 0 in if i < String.length s && String.get s i = '+' then let m, i = sum s (i + 1) in (n + m, i) else (n, i)
let r = sum "12+30+4" 0
(*** queens ***)
let rec safe q d = function [] -> true | h :: t -> h <> q && h + d <> q && h - d <> q && safe q (d + 1) t
let rec place n k = if k = 0 then [[]] else List.concat (List.map (fun qs -> List.filter_map (fun q -> if safe q 1 qs then Some (q :: qs) else None) (List.init n (fun i -> i + 1))) (place n (k - 1)))
let r = place 4 4, List.length (place 6 6)
(*** graph search ***)
let edges = [1, 2; 2, 3; 3, 1; 3, 4; 5, 6]
let next v = List.filter_map (fun (a, b) -> if a = v then Some b else None) edges
let rec visit seen v = if List.mem v seen then seen else List.fold_left visit (v :: seen) (next v)
let r = visit [] 1, visit [] 5
(*** knapsack ***)
let rec best room = function [] -> 0 | (w, v) :: t -> let skip = best room t in if w > room then skip else max skip (v + best (room - w) t)
let r = best 10 [5, 10; 4, 40; 6, 30; 3, 50]
(*** longest common subsequence ***)
let rec lcs a b = match a, b with [], _ | _, [] -> [] | x :: xs, y :: ys -> if x = y then x :: lcs xs ys else let l = lcs a ys and r = lcs xs b in if List.length l >= List.length r then l else r
let r = lcs ['a'; 'b'; 'c'; 'b'] ['b'; 'd'; 'c'; 'b']
(*** character ranges and guards ***)
let kind = function '0' .. '9' -> "digit" | 'a' .. 'z' | 'A' .. 'Z' -> "letter" | ' ' | '\t' -> "space" | c when Char.code c > 127 -> "high" | _ -> "other"
let r = List.map kind ['5'; 'q'; 'Q'; ' '; '\200'; '+']
(*** patterns on many types ***)
let f = function (0, _, "a") -> 1 | (_, 2.5, _) -> 2 | (n, _, ("b" | "c" as s)) when n > 0 -> String.length s + 10 | (-1, _, _) -> 4 | _ -> 5
let r = List.map f [0, 1., "a"; 1, 2.5, "z"; 3, 0., "c"; -1, 0., ""; 7, 7., "7"]
(*** nested or-patterns ***)
type t = A of int | B of int | C
let f = function (A (1 | 2 as n) | B n), _ -> n | C, (A n | B n) -> n * 100 | A n, C -> n * 1000 | _ -> -1
let r = f (A 1, C), f (B 7, C), f (C, A 3), f (A 5, C), f (A 5, A 5)
(*** alias of parts ***)
let f = function (x :: _ as l), (_, y as p) -> (x, l, y, p) | [], p -> (0, [], 0, p)
let r = f ([1; 2], (3, 4)), f ([], (5, 6))
(*** weak types settle ***)
let keep = List.map (fun x -> x)
let r = keep [1; 2]
let id = fun x -> x
let s = id 1, id "a", (let pair = (fun x -> x), [] in snd pair)
(*** annotations ***)
let f (x : int) (y : 'a) : 'a list = if x > 0 then [y] else []
let g : int -> int = fun x -> x + 1
let r : (int * string) list = f 1 (g 1, "a")
type 'a assoc = (string * 'a) list
let empty : int assoc = []
let add k (v : int) (l : int assoc) : int assoc = (k, v) :: l
let s = add "a" 1 empty
