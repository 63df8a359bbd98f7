(*** arguments from the right ***)
let p n = print_int n; n
let f a b c = a + b + c
let r = f (p 1) (p 2) (p 3)
let s = (p 4, p 5), [p 6; p 7; p 8]
(*** operators from the right ***)
let p n = print_int n; n
let a = p 1 + p 2 * p 3
let b = p 4 :: [p 5]
let c = p 6 < p 7, p 8 = p 9
let d = (print_string "l"; "a") ^ (print_string "r"; "b")
(*** function is evaluated after its arguments ***)
let p s v = print_string s; v
let r = (p "f" succ) (p "x" 1)
let s = (p "g" (fun a b -> a - b)) (p "a" 1) (p "b" 2)
(*** pipes ***)
let p s v = print_string s; v
let a = p "x" 1 |> p "f" succ
let b = p "g" succ @@ p "y" 2
let c = p "z" 3 |> (p "h" (fun a b -> a + b)) (p "i" 10)
let d = (p "k" (fun a b -> a * b)) (p "l" 2) @@ p "m" 5
let e = p "n" 1 |> p "o" succ |> p "q" succ
let f = [3; 1; 2] |> List.sort compare |> List.map (fun x -> x * x) |> List.fold_left (+) 0
(*** bindings in order ***)
let p n = print_int n; n
let a = p 1 and b = p 2
let r = let x = p 3 and y = p 4 in x - y
(*** records in reverse ***)
type t = { a : int; b : int; c : int }
let p n = print_int n; n
let r = { c = p 3; a = p 1; b = p 2 }
let s = { r with c = p 9; a = p 7 }
let q = { (print_string "base"; r) with b = p 5 }
(*** constructors in reverse ***)
type t = T of int * int * int
let p n = print_int n; n
let r = T (p 1, p 2, p 3), Some (p 4)
(*** conditions ***)
let p n = print_int n; n
let r = if p 1 < p 2 then p 3 else p 4
let s = match p 5, p 6 with 5, x when p x = 6 -> p 7 | _ -> p 8
(*** guards in order ***)
let g n b = print_int n; b
let f = function x when g 1 (x > 10) -> "big" | x when g 2 (x > 5) -> "middle" | _ -> "small"
let r = f 20, f 7, f 1
(*** partial application evaluates once ***)
let f a = print_string "f"; fun b -> print_string "g"; a + b
let h = f 1
let r = h 2 + h 3
let s = f 1 2
(*** partial application waits ***)
let f a b = print_string "f"; a + b
let h = f 1
let r = h 2 + h 3
(*** sequence ***)
let p n = print_int n
let r = p 1; p 2; (p 3; 4)
let s = (p 5; p 6), begin p 7; 8 end
(*** exceptions cut evaluation ***)
exception Cut
let p n = print_int n; n
let r = try p 1 + (raise Cut) + p 2 with Cut -> p 3
let s = try [p 4; raise Cut; p 5] with Cut -> []
(*** nested handlers ***)
exception A
exception B of int
let f x = if x = 0 then raise A else if x < 10 then raise (B x) else x
let g x = try (try f x with A -> -1) with B n -> n * 100
let r = List.map g [0; 5; 20]
(*** handler reraises ***)
exception A
let r = try (try raise A with Not_found -> 1) with A -> 2
let s = try (try raise Not_found with Not_found -> raise A) with A -> 3
let t = try (try raise Not_found with Not_found -> raise A) with Not_found -> 3
(*** exception values ***)
exception E of int * string
let a = E (1, "x")
let b = try raise a with E (n, s) -> (n, s)
let c = (match a with E (n, _) when n > 5 -> "large" | E _ -> "small" | _ -> "other"), Not_found, Failure "f", Invalid_argument "i", Division_by_zero, Exit
let d = Not_found = Not_found, a = E (1, "x"), a = Exit
(*** failwith ***)
let f x = if x > 0 then x else failwith "not positive"
let r = try f 0 with Failure m -> String.length m
let s = f (-1)
(*** invalid argument ***)
let r = invalid_arg "bad"
(*** match failure of a match ***)
let f x =
  match x with
  | 1 -> "one"
  | 2 -> "two"
let r = f 2
let s = f 3
(*** match failure of a function ***)
let f = function Some x -> x
let r = f None
(*** match failure of a parameter ***)
let f a (Some x) = a + x
let r = f 1 None
(*** match failure of a first parameter ***)
let f = fun [x] -> x
let r = f [1; 2]
(*** match failure of a let ***)
let f l = let [a; b] = l in a + b
let r = f [1; 2]
let s = f [1]
(*** match failure caught ***)
let f = function 1 -> "one"
let r = try f 2 with Match_failure (file, line, column) -> string_of_int line ^ ":" ^ string_of_int column
(*** top-level pattern fails ***)
let x :: _ = [1]
let [] = [x]
(*** functional values do not compare ***)
let f x = x
let a = try f = f with Invalid_argument m -> m = "compare: functional value"
let b = try compare f f with Invalid_argument _ -> -5
let c = try compare f (fun x -> x) with Invalid_argument _ -> -5
let d = (1, f) = (2, f)
let e = [f] = [f]
(*** structural comparison ***)
type t = A | B | C of int | D of int * int
let r = compare A B, compare (C 1) A, compare (C 1) (D (0, 0)), compare (D (1, 2)) (D (1, 3)), A = A, C 1 = C 1, D (1, 2) < D (2, 0), [] < [1], [1; 2] < [1; 3], [1] > [], None < Some 0
let s = compare "abc" "abd", compare "b" "abc", compare "" "a", "a" < "aa", (1, "x") < (1, "y"), [[1]; []] = [[1]; []], compare [1; 2; 3] [1; 2]
(*** shadowing ***)
let x = 1
let f y = x + y
let x = 10
let r = f 1, x, (let x = 5 in x * x), (fun x -> x + 1) 3
(*** exit from a fold ***)
exception Found of int
let find p l = try List.iter (fun x -> if p x then raise (Found x)) l; None with Found x -> Some x
let r = find (fun x -> x > 2) [1; 2; 3; 4], find (fun x -> x > 9) [1]
(*** exception in an argument ***)
let r = try List.map (fun x -> 10 / x) [1; 0; 2] with Division_by_zero -> []
let s = List.map (fun x -> 10 / x) [5; 0]
(*** ignored values ***)
let () = ignore 3; ignore [1]
let r = (ignore (print_string "x"); 1)
(*** printing ***)
let () = print_int (-3); print_float 2.5; print_string "s"; print_newline (); print_endline "line"
(*** deep recursion ***)
let rec count n = if n = 0 then 0 else 1 + count (n - 1)
let r = count 50000
(*** long loop ***)
let rec loop n acc = if n = 0 then acc else loop (n - 1) (acc + n)
let r = loop 100000 0
