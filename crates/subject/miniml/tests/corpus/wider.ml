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
module M = struct let x = 1 let f y = y + x end
include M
let a = f 2
(*** assert ***)
let f x = assert (x > 0); x
(*** lazy ***)
let x = lazy 3
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
(*** attribute ***)
let f x = (x [@inline])
(*** printf ***)
let () = Printf.printf "%d" 3
(*** hashtable ***)
let h = Hashtbl.create 3
(*** nonrec ***)
type nonrec t = int
(*** binding operator ***)
let ( let* ) x f = f x
(*** own operator ***)
let ( +! ) a b = a + b
(*** quoted string ***)
let s = {|a|}
(*** variance ***)
type +'a t = A of 'a
(*** explicit polymorphism ***)
let f : 'a. 'a -> 'a = fun x -> x
(*** abstract type ***)
type t
(*** module alias ***)
module L = List
(*** buffer ***)
let b = Buffer.create 3
(*** open expression ***)
open struct let x = 1 end
(*** loops ***)
let r = ref 0
let () = for i = 1 to 10 do r := !r + i done
let v = !r
let down = let s = ref [] in for i = 5 downto 1 do s := i :: !s done; !s
let none = let n = ref 0 in for _ = 3 to 2 do incr n done; !n
let w = let i = ref 0 and s = ref 0.0 in while !i < 10 do s := !s +. float !i; incr i done; !s
let edge = let n = ref 0 in for i = max_int - 1 to max_int do n := !n + (i land 1) + 1 done; !n
let fs = let l = ref [] in for i = 1 to 3 do l := (fun () -> i) :: !l done; List.map (fun f -> f ()) !l
(*** references that escape ***)
let counter () = let n = ref 0 in fun () -> incr n; !n
let c = counter ()
let a = c ()
let b = c ()
let shared = let r = ref 1 in let s = r in s := 5; !r
let swap a b = let t = !a in a := !b; b := t
let x = ref 1 and y = ref 2
let () = swap x y
let both = (!x, !y)
let nested = ref (ref 3)
let () = !nested := 4; nested := ref 7
let n = !(!nested)
(*** weak types ***)
let l = ref []
let () = l := [1]
let h = ref (fun x -> x)
let f = let r = ref [] in fun x -> r := x :: !r; !r
let empty = [||]
let m = Array.make 2 []
(*** mutable records ***)
type p = { mutable x : int; name : string; mutable f : float }
let p = { x = 1; name = "n"; f = 0.5 }
let q = { p with x = 7 }
let () = p.x <- p.x + 41; p.f <- p.f *. 3.
let both = (p, q)
type v = { mutable a : float; mutable b : float }
let v = { a = 1.; b = 2. }
let () = v.a <- v.b +. 1.
let w = { v with b = 9. }
let same = (p == p, p == q, v = w, v != w)
(*** arrays ***)
let a = [| 3; 1; 2 |]
let () = a.(0) <- 10
let s = Array.fold_left (+) 0 a
let f = [| 1.5; 2.5 |]
let () = f.(1) <- f.(0) *. 2.
let g = Array.map (fun x -> x +. 1.) f
let id x = x
let any a i = a.(i)
let ex = (any a 1, any f 1, any [| "x" |] 0)
let m = Array.make_matrix 2 3 0
let () = m.(1).(2) <- 5
let l = Array.to_list (Array.init 4 (fun i -> i * i))
let sorted = let b = Array.copy a in Array.sort compare b; b
let parts = (Array.sub a 1 2, Array.append a a, Array.concat [a; [||]; a], Array.length a)
let out = try a.(3) with Invalid_argument s -> String.length s
let neg = try a.(-1) <- 0; 0 with Invalid_argument _ -> 1
let pat = match a with [| x; y; z |] -> x + y + z | _ -> 0
let cmp = (compare a [| 3; 1 |], a = [| 10; 1; 2 |], compare f g)
(*** labels ***)
let f ~x ~y z = x - y * z
let a = f ~y:1 ~x:2 3
let b = f ~x:2 ~y:1 3
let p = f ~y:2
let c = p ~x:10 3
let g ?(k = 10) ?o n = match o with None -> k + n | Some v -> v * n
let d = (g 1, g ~k:1 1, g ~o:5 2, g ?o:None 3, g ?k:(Some 2) 3)
let total = f 1 2 3
let h = List.map (g ?o:None ~k:3) [1; 2]
let rec loop ?(acc = 0) n = if n = 0 then acc else loop ~acc:(acc + n) (n - 1)
let e = loop 10
let app (t : x:int -> int) = t ~x:4
let u = app (fun ~x -> x * 2)
(*** label that is not there ***)
let f ~x y = x + y
let a = f ~z:1 2
(*** operators of one's own ***)
let ( +! ) a b = a * b
let ( ** ) a b = a - b
let ( !! ) x = x + 1
let ( >>= ) o f = match o with None -> None | Some v -> f v
let ( @. ) f g x = f (g x)
let a = 2 +! 3 +! 4
let b = 2 ** 3 ** 4
let c = !!3 * 2
let d = Some 3 >>= fun x -> Some (x + 1) >>= fun y -> Some (x * y)
let e = ((fun x -> x + 1) @. (fun x -> x * 2)) 5
let ( let* ) o f = o >>= f
let ( and* ) a b = match a, b with Some x, Some y -> Some (x, y) | _ -> None
let g = let* x = Some 1 and* y = Some 2 in let* z = Some 3 in Some (x + y + z)
let ( |> ) x f = f (x + 1)
let h = 1 |> fun x -> x * 10
let ( && ) a b = if a then b else a
let i = true && false
(*** bits ***)
let b = (5 land 3, 5 lor 3, 5 lxor 3, 1 lsl 10, -1 lsr 60, -8 asr 1, lnot 5, 1 lsl 62, max_int lsl 1)
let m = 7 land 3 + 1
let k = 1 lsl 2 lsl 1
(*** polymorphic variants ***)
let f = function `A -> 1 | `B n -> n
let g = function `A -> 1 | `B n -> n | _ -> 0
let l = [`A; `B 3; `C "x"]
let x = List.map g [`A; `B 4; `D]
type t = [ `Red | `Green of int ]
let show (c : t) = match c with `Red -> "red" | `Green n -> string_of_int n
let s = show (`Green 3)
let h x = match x with `A -> `X | `B -> `Y 1
let e = (`A = `A, compare `A `B < 0, `B 1 = `B 2)
type u = [ t | `Blue ]
let v : u list = [`Blue; `Red]
(*** polymorphic variant that is not there ***)
let f = function `A -> 1 | `B -> 2
let x = f `C
(*** assertions ***)
let f x = assert (x > 0); x
let a = f 1
let b = try f 0 with Assert_failure (_, line, column) -> line * 100 + column
let c = try assert false with Assert_failure _ -> 3
let d : int = assert false
(*** lazy in use ***)
let n = ref 0
let l = lazy (incr n; !n * 10)
let a = Lazy.force l + Lazy.force l
let m = !n
let e = lazy (failwith "no")
let t = try Lazy.force e with Failure s -> s
let u = try Lazy.force e with Failure s -> s ^ "!"
type 'a stream = Cons of 'a * 'a stream Lazy.t
let rec from n = Cons (n, lazy (from (n + 1)))
let rec take n (Cons (x, r)) = if n = 0 then [] else x :: take (n - 1) (Lazy.force r)
let p = take 4 (from 3)
(*** match with exception ***)
let f l = match List.hd l with 0 -> "zero" | x when x < 0 -> "less" | _ -> "more" | exception Failure m -> m
let a = List.map f [[]; [0]; [-1]; [5]]
let g x = match x () with v -> (try raise Not_found with Not_found -> v) | exception Not_found -> -1
let b = (g (fun () -> 3), g (fun () -> raise Not_found))
exception Found of int
let c = try List.iter (fun x -> if x > 2 then raise (Found x)) [1; 2; 3; 4]; 0 with Found n -> n
(*** printf in use ***)
let s = Printf.sprintf "%d %s %5.2f|%-4d|%c|%04d|%+d|%x|%X|%o|%b|%S|%%" 3 "abc" 1.5 7 'x' 42 5 255 255 8 true "q\"uo"
let t = Printf.sprintf "%6s|%-6s|%i|%u|%e|%g|%g|%F|%C" "ab" "cd" (-3) 4 12345.678 0.0001 1e20 2.0 'z'
let u = List.map (Printf.sprintf "<%d>") [1; 2]
let () = Printf.printf "%s and %d\n" "a" 1; Printf.printf "plain\n"
let p fmt = Printf.ksprintf (fun s -> String.length s) fmt
let n = p "%d-%d" 10 20
let f = Printf.sprintf "%.3f %8.3f %.0f %f" 3.14159 2.5 2.5 0.1
let b = Buffer.create 10
let () = Printf.bprintf b "x=%d;" 3; print_endline (Buffer.contents b)
(*** printf of another type ***)
let s = Printf.sprintf "%d" "x"
(*** strings ***)
let s = "hello world"
let a = (s.[1], String.uppercase_ascii s, String.index s 'o', String.contains s 'z', String.sub s 0 5)
let b = String.split_on_char ' ' "a bc  d"
let c = String.concat "," (List.map String.trim [" x "; "y\t"; "\nz"])
let d = String.init 5 (fun i -> Char.chr (97 + i))
let e = String.map (fun c -> if c = 'l' then 'L' else c) s
let f = (String.capitalize_ascii "abc", String.escaped "a\nb\"", Char.escaped '\n', String.make 3 'x')
let g = let n = ref 0 in String.iter (fun c -> if c = 'o' then incr n) s; !n
let h = (int_of_string_opt "12", int_of_string_opt "x", float_of_string "1.5e3", float_of_string_opt "z")
let i = try s.[20] with Invalid_argument m -> 'X'
let b2 = Bytes.of_string "abc"
let () = Bytes.set b2 1 'Z'; Bytes.blit_string "xy" 0 b2 1 2
let j = Bytes.to_string b2
let k = (String.compare "a" "b", String.equal "a" "a", {|raw "text"|}, {id|a|b|id})
(*** buffer, stack and queue ***)
let b = Buffer.create 1
let () = for i = 0 to 20 do Buffer.add_char b (Char.chr (65 + i)); Buffer.add_string b "-" done
let s = (Buffer.contents b, Buffer.length b)
let st = Stack.create ()
let () = List.iter (fun x -> Stack.push x st) [1; 2; 3]
let a = let x = Stack.pop st in (x, Stack.top st, Stack.length st)
let e = try Stack.pop (Stack.create ()) with Stack.Empty -> -1
let q = Queue.create ()
let () = Queue.add 1 q; Queue.add 2 q; Queue.push 3 q
let c = let x = Queue.pop q in (x, Queue.peek q, Queue.length q, Queue.fold (+) 0 q)
(*** hash tables ***)
let h = Hashtbl.create 4
let () = List.iter (fun (k, v) -> Hashtbl.add h k v) [("one", 1); ("two", 2); ("three", 3); ("one", 11)]
let a = (Hashtbl.find h "one", Hashtbl.find_opt h "four", Hashtbl.mem h "two", Hashtbl.length h, Hashtbl.find_all h "one")
let () = Hashtbl.replace h "two" 22; Hashtbl.remove h "one"
let l = List.sort compare (Hashtbl.fold (fun k v acc -> (k, v) :: acc) h [])
let t = Hashtbl.create 16
let () = for i = 1 to 100 do Hashtbl.replace t (i * 7919) i done
let order = Hashtbl.fold (fun k _ acc -> k :: acc) t []
let hashes = (Hashtbl.hash 42, Hashtbl.hash "abc", Hashtbl.hash (1, "x", [2.5]), Hashtbl.hash (Some [| 1.; 2. |]), Hashtbl.hash 'c', Hashtbl.hash (-1), Hashtbl.hash "a longer text than sixteen", Hashtbl.hash 3.0e10)
(*** random, seeded ***)
let () = Random.init 42
let a = List.init 10 (fun _ -> Random.int 1000)
let b = (Random.bool (), Random.float 1.0, Random.bits ())
let () = Random.full_init [| 1; 2; 3 |]
let c = List.init 5 (fun _ -> Random.int 7)
let s = Random.State.make [| 5 |]
let d = (Random.State.int s 100, Random.State.bool s)
(*** maps and sets ***)
module M = Map.Make (String)
module S = Set.Make (struct type t = int let compare = compare end)
let l = M.bindings (M.add "b" 2 (M.add "a" 1 (M.add "c" 3 M.empty)))
let s = S.elements (S.union (S.of_list [5; 1; 3]) (S.of_list [2; 3]))
let f = try M.find "z" (M.singleton "a" 1) with Not_found -> -1
let n = S.cardinal (List.fold_left (fun s x -> S.add (x mod 17) s) S.empty (List.init 100 (fun i -> i * i)))
let m = M.fold (fun k v acc -> k ^ string_of_int v ^ acc) (M.map (fun v -> v * 10) (M.remove "a" (M.add "b" 2 (M.singleton "a" 1)))) ""
(*** a signature hides ***)
module M : sig val x : int end = struct let x = 1 let y = 2 end
let a = M.y
(*** a signature makes abstract ***)
module M : sig type t val x : t end = struct type t = int let x = 1 end
let a = M.x + 1
(*** a signature asks for more ***)
module M : sig val f : int -> bool end = struct let f x = x + 1 end
(*** signatures ***)
module type STACK = sig type 'a t val empty : 'a t val push : 'a -> 'a t -> 'a t val pop : 'a t -> ('a * 'a t) option end
module Stack1 : STACK = struct type 'a t = 'a list let empty = [] let push x s = x :: s let pop s = match s with [] -> None | x :: r -> Some (x, r) end
let a = match Stack1.pop (Stack1.push 1 (Stack1.push 2 Stack1.empty)) with None -> 0 | Some (x, _) -> x
module N : sig type t = A | B of int val f : t -> int end = struct type t = A | B of int let f t = match t with A -> 0 | B n -> n let g = 3 end
let b = N.f (N.B 3)
let c = N.(f (B 4))
(*** functors ***)
module type ORD = sig type t val compare : t -> t -> int end
module Sorted (O : ORD) = struct
  let rec insert x l = match l with [] -> [x] | y :: r -> if O.compare x y <= 0 then x :: l else y :: insert x r
  let sort l = List.fold_left (fun acc x -> insert x acc) [] l
end
module I = Sorted (struct type t = int let compare a b = b - a end)
let a = I.sort [3; 1; 2]
(*** a functor that is wrong ***)
module F (X : sig val x : int end) = struct let y = X.x ^ "a" end
(*** explicit polymorphism of a recursion ***)
type 'a nest = Nil | Cons of 'a * ('a * 'a) nest
let rec depth : 'a. 'a nest -> int = fun n -> match n with Nil -> 0 | Cons (_, r) -> 1 + depth r
let d = depth (Cons (1, Cons ((2, 3), Nil)))
let f (type a) (x : a) : a list = [x]
let g = (f 1, f "a")
(*** explicit polymorphism that is none ***)
let f : 'a. 'a -> 'a = fun x -> x + 1
(*** records by the type that is expected ***)
type a = { x : int; y : int }
type b = { x : string; z : int }
let f (r : a) = r.x + r.y
let v = f { x = 1; y = 2 }
let w = { x = "s"; z = 3 }
let g (r : a) = match r with { x; _ } -> x
type t = A of { n : int; s : string } | B
let h t = match t with A { n; _ } -> n | B -> 0
let i = h (A { n = 3; s = "q" })
(*** cyclic abbreviation ***)
type t = t list
let x : t = []
(*** cyclic abbreviations ***)
type t = u list
and u = t list
let a : t = []
(*** truncation ***)
let x = (truncate 1e30, truncate (-1e30), truncate nan, int_of_float 4611686018427387904., truncate 2.9)
(*** nesting ***)
let f () = let x0 = 0 in let x1 = 1 in let x2 = 2 in let x3 = 3 in let x4 = 4 in let x5 = 5 in let x6 = 6 in let x7 = 7 in let x8 = 8 in let x9 = 9 in let x10 = 10 in let x11 = 11 in let x12 = 12 in let x13 = 13 in let x14 = 14 in let x15 = 15 in let x16 = 16 in let x17 = 17 in let x18 = 18 in let x19 = 19 in let x20 = 20 in let x21 = 21 in let x22 = 22 in let x23 = 23 in let x24 = 24 in let x25 = 25 in let x26 = 26 in let x27 = 27 in let x28 = 28 in let x29 = 29 in let x30 = 30 in let x31 = 31 in let x32 = 32 in let x33 = 33 in let x34 = 34 in let x35 = 35 in let x36 = 36 in let x37 = 37 in let x38 = 38 in let x39 = 39 in let x40 = 40 in let x41 = 41 in let x42 = 42 in let x43 = 43 in let x44 = 44 in let x45 = 45 in let x46 = 46 in let x47 = 47 in let x48 = 48 in let x49 = 49 in let x50 = 50 in let x51 = 51 in let x52 = 52 in let x53 = 53 in let x54 = 54 in let x55 = 55 in let x56 = 56 in let x57 = 57 in let x58 = 58 in let x59 = 59 in let x60 = 60 in let x61 = 61 in let x62 = 62 in let x63 = 63 in let x64 = 64 in let x65 = 65 in let x66 = 66 in let x67 = 67 in let x68 = 68 in let x69 = 69 in let x70 = 70 in let x71 = 71 in let x72 = 72 in let x73 = 73 in let x74 = 74 in let x75 = 75 in let x76 = 76 in let x77 = 77 in let x78 = 78 in let x79 = 79 in let x80 = 80 in let x81 = 81 in let x82 = 82 in let x83 = 83 in let x84 = 84 in let x85 = 85 in let x86 = 86 in let x87 = 87 in let x88 = 88 in let x89 = 89 in let x90 = 90 in let x91 = 91 in let x92 = 92 in let x93 = 93 in let x94 = 94 in let x95 = 95 in let x96 = 96 in let x97 = 97 in let x98 = 98 in let x99 = 99 in let x100 = 100 in let x101 = 101 in let x102 = 102 in let x103 = 103 in let x104 = 104 in let x105 = 105 in let x106 = 106 in let x107 = 107 in let x108 = 108 in let x109 = 109 in let x110 = 110 in let x111 = 111 in let x112 = 112 in let x113 = 113 in let x114 = 114 in let x115 = 115 in let x116 = 116 in let x117 = 117 in let x118 = 118 in let x119 = 119 in let x120 = 120 in let x121 = 121 in let x122 = 122 in let x123 = 123 in let x124 = 124 in let x125 = 125 in let x126 = 126 in let x127 = 127 in let x128 = 128 in let x129 = 129 in let x130 = 130 in let x131 = 131 in let x132 = 132 in let x133 = 133 in let x134 = 134 in let x135 = 135 in let x136 = 136 in let x137 = 137 in let x138 = 138 in let x139 = 139 in let x140 = 140 in let x141 = 141 in let x142 = 142 in let x143 = 143 in let x144 = 144 in let x145 = 145 in let x146 = 146 in let x147 = 147 in let x148 = 148 in let x149 = 149 in let x150 = 150 in let x151 = 151 in let x152 = 152 in let x153 = 153 in let x154 = 154 in let x155 = 155 in let x156 = 156 in let x157 = 157 in let x158 = 158 in let x159 = 159 in x0
let a = f ()
let b = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
(*** local modules and exceptions ***)
let f n = let module M = struct let k = n * 2 let rec g x = if x = 0 then k else g (x - 1) end in M.g 3 + M.k
let a = f 5
let b = let exception E of int in try raise (E 3) with E n -> n
let c = let open List in length [1; 2]
(*** order with effects ***)
let trace = Buffer.create 10
let t s v = Buffer.add_string trace s; v
let r = { contents = 0 }
let () = (t "a" r) := (t "b" 1)
let a = [| 0; 0 |]
let () = (t "c" a).(t "d" 0) <- t "e" 5
let u = (t "f" 1, t "g" 2)
let s = [ t "h" 1; t "i" 2 ]
let () = for _ = t "j" 1 to t "k" 2 do () done
let order = Buffer.contents trace
