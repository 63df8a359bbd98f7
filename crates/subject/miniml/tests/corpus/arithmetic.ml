(*** factorial ***)
let rec fact n = if n = 0 then 1 else n * fact (n - 1)
let r = List.map fact [0; 1; 5; 10; 20; 25]
(*** factorial with accumulator ***)
let fact n = let rec go acc n = if n <= 1 then acc else go (acc * n) (n - 1) in go 1 n
let r = fact 10
(*** fibonacci ***)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let fast n = let rec go a b n = if n = 0 then a else go b (a + b) (n - 1) in go 0 1 n
let r = fib 15, fast 80
(*** greatest common divisor ***)
let rec gcd a b = if b = 0 then a else gcd b (a mod b)
let lcm a b = a / gcd a b * b
let r = gcd 48 36, lcm 4 6, gcd 0 5
(*** division rounds to zero ***)
let r = 7 / 2, (-7) / 2, 7 / (-2), 7 mod 2, (-7) mod 2, 7 mod (-2), min_int / (-1), min_int mod (-1)
(*** division by zero ***)
let a = try 1 / 0 with Division_by_zero -> 42
let b = try 1 mod 0 with Division_by_zero -> 43
let c = 1 / 0
(*** wrapping ***)
let r = max_int + 1, min_int - 1, max_int * 2, min_int * 3, -min_int, abs min_int
(*** primes ***)
let is_prime n = let rec go d = d * d > n || (n mod d <> 0 && go (d + 1)) in n > 1 && go 2
let rec primes a b = if a > b then [] else if is_prime a then a :: primes (a + 1) b else primes (a + 1) b
let r = primes 1 50
(*** sieve ***)
let rec sieve = function [] -> [] | p :: t -> p :: sieve (List.filter (fun x -> x mod p <> 0) t)
let rec range a b = if a > b then [] else a :: range (a + 1) b
let r = sieve (range 2 40)
(*** prime factors ***)
let factors n = let rec go d n = if n = 1 then [] else if n mod d = 0 then d :: go d (n / d) else go (d + 1) n in go 2 n
let r = factors 315, factors 97
(*** totient ***)
let rec gcd a b = if b = 0 then a else gcd b (a mod b)
let phi n = let rec go acc d = if d < n then go (if gcd n d = 1 then acc + 1 else acc) (d + 1) else acc in if n = 1 then 1 else go 0 1
let r = List.map phi [1; 10; 13]
(*** goldbach ***)
let is_prime n = let rec go d = d * d > n || (n mod d <> 0 && go (d + 1)) in n > 1 && go 2
let goldbach n = let rec go d = if is_prime d && is_prime (n - d) then (d, n - d) else go (d + 1) in go 2
let r = goldbach 28
(*** collatz ***)
let rec steps n = if n = 1 then 0 else 1 + steps (if n mod 2 = 0 then n / 2 else 3 * n + 1)
let r = List.map steps [1; 7; 27]
(*** powers ***)
let rec power b n = if n = 0 then 1 else let h = power b (n / 2) in if n mod 2 = 0 then h * h else h * h * b
let r = power 2 30, power 3 13, power 7 0
(*** modular power ***)
let rec power b n m = if n = 0 then 1 else let h = power (b * b mod m) (n / 2) m in if n mod 2 = 0 then h else b * h mod m
let r = power 5 117 19
(*** digits ***)
let rec digits n = if n < 10 then [n] else digits (n / 10) @ [n mod 10]
let rec sum = function [] -> 0 | h :: t -> h + sum t
let r = digits 90210, sum (digits 987)
(*** perfect numbers ***)
let divisors n = let rec go d = if d > n / 2 then [] else if n mod d = 0 then d :: go (d + 1) else go (d + 1) in go 1
let perfect n = List.fold_left (+) 0 (divisors n) = n
let r = List.filter perfect (List.init 500 (fun i -> i + 2))
(*** ackermann ***)
let rec ack m n = if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))
let r = ack 2 3
(*** mccarthy ***)
let rec m n = if n > 100 then n - 10 else m (m (n + 11))
let r = m 10, m 99
(*** takeuchi ***)
let rec tak x y z = if y >= x then z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)
let r = tak 8 4 2
(*** hanoi ***)
let rec hanoi n a b c = if n = 0 then [] else hanoi (n - 1) a c b @ [(a, c)] @ hanoi (n - 1) b a c
let r = hanoi 3 'a' 'b' 'c'
(*** binomial ***)
let rec choose n k = if k = 0 || k = n then 1 else choose (n - 1) (k - 1) + choose (n - 1) k
let r = choose 10 4
(*** pascal ***)
let next row = let rec go = function a :: (b :: _ as t) -> (a + b) :: go t | l -> l in 1 :: go row
let rec rows n row = if n = 0 then [] else row :: rows (n - 1) (next row)
let r = rows 5 [1]
(*** binary ***)
let rec binary n = if n < 2 then string_of_int n else binary (n / 2) ^ string_of_int (n mod 2)
let r = binary 10, binary 255
(*** gray code ***)
let rec gray n = if n = 0 then [""] else let g = gray (n - 1) in List.map (fun s -> "0" ^ s) g @ List.rev_map (fun s -> "1" ^ s) g
let r = gray 3
(*** integer square root ***)
let isqrt n = let rec go x = if x * x > n then go ((x + n / x) / 2) else x in if n = 0 then 0 else go n
let r = List.map isqrt [0; 1; 15; 16; 1000000]
(*** float arithmetic ***)
let a = 1. /. 3., 2. ** 0.5, sqrt 2., 1e308 *. 10., -1. /. 0., 0.1 +. 0.2, 5e-324, 1.5e300 *. 1e10
let b = floor (-1.5), ceil 1.2, float_of_int 7, int_of_float (-2.9), truncate 2.9, abs_float (-3.), exp 0., log 1., sin 0., cos 0.
(*** newton ***)
let sqrt x = let rec go g = let n = (g +. x /. g) /. 2. in if abs_float (n -. g) < 1e-12 then n else go n in go 1.
let r = sqrt 2. > 1.4142135 && sqrt 2. < 1.4142136
(*** polynomial ***)
let horner cs x = List.fold_right (fun c acc -> c +. x *. acc) cs 0.
let r = horner [1.; 2.; 3.] 2.
(*** integral ***)
let integral f a b n = let h = (b -. a) /. float_of_int n in
  let rec go i acc = if i = n then acc *. h else go (i + 1) (acc +. f (a +. (float_of_int i +. 0.5) *. h)) in go 0 0.
let r = integral (fun x -> x *. x) 0. 3. 1000
(*** mean and variance ***)
let mean l = List.fold_left (+.) 0. l /. float_of_int (List.length l)
let variance l = let m = mean l in mean (List.map (fun x -> (x -. m) *. (x -. m)) l)
let r = mean [1.; 2.; 3.; 4.], variance [1.; 2.; 3.; 4.]
(*** vectors ***)
let dot a b = List.fold_left2 (fun s x y -> s +. x *. y) 0. a b
let scale k = List.map (fun x -> k *. x)
let r = dot [1.; 2.] [3.; 4.], scale 2. [1.; 0.5]
(*** matrices ***)
let rec transpose = function [] | [] :: _ -> [] | m -> List.map List.hd m :: transpose (List.map List.tl m)
let dot a b = List.fold_left2 (fun s x y -> s + x * y) 0 a b
let mul a b = let t = transpose b in List.map (fun row -> List.map (dot row) t) a
let r = mul [[1; 2]; [3; 4]] [[0; 1]; [1; 0]]
(*** rationals ***)
type q = { num : int; den : int }
let rec gcd a b = if b = 0 then abs a else gcd b (a mod b)
let make n d = let g = gcd n d in let s = if d < 0 then -1 else 1 in { num = s * n / g; den = s * d / g }
let add a b = make (a.num * b.den + b.num * a.den) (a.den * b.den)
let r = add (make 1 3) (make (-1) 6), make 2 (-4)
(*** complex ***)
type c = { re : float; im : float }
let mul a b = { re = a.re *. b.re -. a.im *. b.im; im = a.re *. b.im +. a.im *. b.re }
let norm { re; im } = sqrt (re *. re +. im *. im)
let i = { re = 0.; im = 1. }
let r = mul i i, norm { re = 3.; im = 4. }, { i with re = 2. }.re
(*** comparison of numbers ***)
let r = 1 < 2, 1.5 >= 1.5, compare 3 2, compare 1. 2., min 3 (-3), max 2.5 1., 'a' < 'b', compare 'z' 'a', true > false, compare () ()
(*** nan ***)
let n = 0. /. 0.
let a = n = n, n <> n, n < 1., n > 1., n <= n, n >= n, 1. = n
let b = compare n n, compare n 1., compare 1. n, compare n neg_infinity, min n 1., min 1. n, max n 1., max 1. n
let c = (1, n) = (1, n), (1, n) <> (1, n), compare (1, n) (1, n), [n] < [n], (0, n) < (1, n), (1, n) > (0, n)
let d = let p = [n] in p = p, compare p p
(*** negative zero ***)
let r = 0. = -0., compare 0. (-0.), 1. /. -0., -0., string_of_float (-0.)
(*** literals ***)
let r = 0x1F, 0o17, 0b101, 1_000_000, 0xFF_FF, -0x10, 1e3, 1_0.5, 1., 0x7FFFFFFFFFFFFFFF, -4611686018427387904, '\065', '\x41', '\n', '\\', '\'', "\065\x42\n\t\"\\ \
   continued"
(*** int of string ***)
let a = List.map int_of_string ["0"; "-12"; "+7"; "0x1f"; "0XFF"; "0o17"; "0b101"; "0u123"; "1_000"; "-0x10"; "0x7fffffffffffffff"; "4611686018427387903"; "-4611686018427387904"; "0u9223372036854775807"]
let ok s = try ignore (int_of_string s); true with Failure m -> m <> "int_of_string"
let b = List.map ok [""; "-"; " 1"; "1 "; "0x"; "0b2"; "4611686018427387904"; "-4611686018427387905"; "0x8000000000000000"; "1.0"; "abc"; "_1"; "1_"; "--1"; "0u-1"; "0_x1"; "0u9223372036854775808"]
let c = int_of_string "nine"
(*** printing of floats ***)
let r = List.map string_of_float [0.; 1.; -1.5; 1e10; 123456789012.; 1e12; 1e15; 1e16; 1e22; 0.1; 1e-4; 1e-5; 3.14159265358979; 1. /. 3.; 1e100; infinity; neg_infinity; nan; 12345.6789; 100.]
(*** shown floats ***)
let r = [0.; 1.; -1.5; 1e10; 123456789012.; 1e12; 1e15; 1e16; 1e22; 0.1; 1e-4; 1e-5; 3.14159265358979; 1. /. 3.; 1e100; infinity; neg_infinity; nan; 4.9e-324; 1.7976931348623157e308; 0.1 +. 0.2]
(*** conversions ***)
let r = string_of_int (-5), string_of_bool true, float_of_int (-3), int_of_float 1e10, char_of_int 65, int_of_char 'a', Char.code 'z', Char.chr 48
let b = char_of_int 300
(*** boolean operators ***)
let t s = print_string s; true and f s = print_string s; false
let r = t "a" && f "b" && t "c", f "d" || t "e" || f "g", not (t "h") || f "i"
(*** precedence ***)
let r = 1 + 2 * 3 - 4 / 2 mod 3, -2 * 3, - 2 + 5, 2 * -3, 1 :: 2 :: [] @ [3], "a" ^ "b" = "ab" && 1 < 2 || false, -(3), 2. ** 3. ** 2., 10 - 3 - 2, 100 / 10 / 2, not true = false
let f x = x + 1
let s = f 1 * f 2, f (-1), - f 1, f 3 |> f, f @@ f 4, [f 1; f 2] |> List.map f
