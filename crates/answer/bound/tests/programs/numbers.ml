(* Natural numbers and digits. *)
(*! factorial steps 1 *)
(*! count steps 1 *)
(*! range steps 1 *)
(*! table steps 2 *)
(*! digits steps 1 *)
(*! increment steps 1 *)
(*! add_digits steps 1 *)
(*! mul_digits steps 2 *)
(*! take steps 1 *)
(*! nth steps 1 *)
(*! cube steps 3 *)
(*! halves steps 1 *)
let rec factorial n = if n <= 1 then 1 else n * factorial (n - 1)
let rec count n acc = if n = 0 then acc else count (n - 1) (acc + 2)
let rec down n = if n = 0 then [] else n :: down (n - 1)
let range n = down n
let rec total l = match l with [] -> 0 | x :: r -> x + total r
let rec table n m = if n = 0 then [] else total (down m) :: table (n - 1) m
let rec digits n = if n < 10 then 1 else 1 + digits (n / 10)
let rec increment l = match l with [] -> [1] | d :: r -> if d = 0 then 1 :: r else 0 :: increment r
let rec carry c l = match l with [] -> if c = 0 then [] else [c] | d :: r -> let s = d + c in (s mod 10) :: carry (s / 10) r
let rec add_at c a b = match a, b with
  | [], l | l, [] -> carry c l
  | x :: r, y :: s -> let t = x + y + c in (t mod 10) :: add_at (t / 10) r s
let add_digits a b = add_at 0 a b
let rec scale k c l = match l with [] -> [c] | d :: r -> let t = k * d + c in (t mod 10) :: scale k (t / 10) r
let rec mul_digits a b = match a with [] -> [] | d :: r -> let p = scale d 0 b in add_small p (mul_digits r b)
and add_small p q = match p with [] -> [] | x :: r -> (match q with [] -> x :: add_small r [] | y :: s -> (x + y) :: add_small r s)
let rec take n l = match l with [] -> [] | x :: r -> if n = 0 then [] else x :: take (n - 1) r
let rec nth n l = match l with [] -> 0 | x :: r -> if n = 0 then x else nth (n - 1) r
let rec square n m = if n = 0 then 0 else m + square (n - 1) m
let rec walk n = if n = 0 then 0 else 1 + walk (n - 1)
let rec twice n m = if n = 0 then 0 else walk m + twice (n - 1) m
let rec cube n m k = if n = 0 then 0 else twice m k + cube (n - 1) m k
let rec halves n = if n = 0 then 0 else 1 + halves (n / 2)
