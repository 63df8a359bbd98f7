(* No polynomial, or none that is seen. *)
(*! ackermann steps none `ack` *)
(*! fibonacci steps none `fib` *)
(*! collatz steps none `chain` *)
(*! power steps none `power` *)
(*! forever steps none `forever` *)
(*! grow steps none `grow` *)
(*! never steps none `below` *)
let rec ack m n = if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))
let ackermann m n = ack m n
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let fibonacci n = fib n
let rec chain n c = if n = 1 then c else if n mod 2 = 0 then chain (n / 2) (c + 1) else chain (3 * n + 1) (c + 1)
let collatz n = chain n 0
type nat = Zero | Succ of nat
let rec add a b = match a with Zero -> b | Succ m -> Succ (add m b)
let rec mul a b = match a with Zero -> Zero | Succ m -> add b (mul m b)
let rec power a b = match b with Zero -> Succ Zero | Succ m -> mul a (power a m)
let rec forever l = match l with [] -> 0 | _ -> forever l
let rec grow l = match l with [] -> 0 | x :: r -> grow (x :: x :: r)
(* A number that may be negative: the test for zero says nothing. *)
let rec below n l = if n = 0 then 0 else match l with [] -> below (n - 1) l | _ :: r -> below (n - 1) r
let never l = below (List.length l - 5) l
