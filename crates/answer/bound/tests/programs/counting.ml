(* Counting up to a limit, and other differences of numbers. *)
(*! upto steps 1 = *)
(*! between steps 1 *)
(*! sum steps 1 = *)
(*! until_equal steps 1 = *)
(*! unless steps 1 = *)
(*! by_three steps 1 *)
(*! down_to steps 1 *)
(*! both_ways steps 1 *)
(*! to_a_hundred steps 1 *)
(*! pairs steps 2 *)
(*! triangle steps 2 *)
(*! through steps 1 *)
(*! init steps 1 *)
(*! prime steps 1 *)
(*! guarded steps 1 *)
(*! either steps 1 *)
(*! gcd steps 1 *)
(*! rest steps 1 *)
(*! quotient steps 1 *)
(*! twice steps 1 = *)
(*! away steps none `away's inner function` *)
(*! beyond steps none `beyond's inner function` *)
(*! unknown_start steps none `unknown_start's inner function` *)
(*! negative steps none `negative's inner function` *)
(*! swapped steps none `swapped's inner function` *)
let rec between a b = if a > b then [] else a :: between (a + 1) b
let upto n = between 1 n
let sum n = let rec go i = if i < n then i + go (i + 1) else 0 in go 0
let until_equal n = let rec go i = if i = n then [] else i :: go (i + 1) in go 0
let unless n = let rec go i = if not (i <> n) then 0 else 1 + go (1 + i) in go 0
let by_three n = let rec go i = if n <= i then 0 else 1 + go (i + 3) in go 1
let down_to m n = let rec go i = if i < m then 0 else 1 + go (i - 1) in go n
let both_ways n = let rec go i j = if i >= j then 0 else 1 + go (i + 1) (j - 1) in go 0 n
let to_a_hundred n = let rec go i = if i = 100 then n else 1 + go (i + 1) in go 0
let pairs n =
  let rec outer i = if i > n then [] else inner i (i + 1)
  and inner i j = if j > n then outer (i + 1) else (i, j) :: inner i (j + 1) in
  outer 1
let triangle n = let rec outer i = if i > n then [] else between i n :: outer (i + 1) in outer 1
let through l = let n = List.length l in let rec go i = if i >= n then 0 else i + go (i + 1) in go 0
let init n = List.init n (fun i -> 2 * i)
(* The square of what is beyond the limit is beyond it, too. *)
let prime n = let rec go d = if d * d > n then true else if n mod d = 0 then false else go (d + 1) in n > 1 && go 2
let guarded n k = let rec go i = if i <= n && i <> k then 1 + go (i + 1) else 0 in go 0
let either n k = let rec go i = if i >= n || i > k then 0 else 1 + go (i + 1) in go 0
let rec gcd a b = if b = 0 then a else gcd b (a mod b)
let rec walk n = if n <= 0 then 0 else 1 + walk (n - 1)
let rest n m = walk (n - m)
let quotient n m = if m = 0 then 0 else walk (n / m)
let twice n = walk (n * 2)
(* What has none. *)
let away n = let rec go i = if i > n then 0 else go (i - 1) in go 0
let beyond n = let rec go i = if i = n then 0 else go (i + 2) in go 0
let unknown_start k n = let rec go i = if i = n then 0 else go (i + 1) in go k
let negative n = let rec go i = if i = n then 0 else go (i + 1) in go 3
let swapped n = let rec go i j = if i > j then 0 else go (j + 1) i in go 0 n
