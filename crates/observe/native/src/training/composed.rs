//! Compositions: constructs as they stand together in ordinary programs, so that prices hold beyond loops about one construct.

use crate::program::Program;

/// A list from 1 to n.
const UP: &str = "let rec up a b = if a > b then [] else a :: up (a + 1) b\n";
/// A list of numbers without order.
const MIXED: &str = "let rec mixed n s = if n = 0 then [] else s / 64 mod 1024 :: mixed (n - 1) ((s * 1597 + 51749) mod 244944)\n";
/// A balanced tree of the numbers from a to b.
const TREE: &str = "type tree = Leaf | Node of tree * int * tree\n\
    let rec grow a b = if a > b then Leaf else let m = (a + b) / 2 in Node (grow a (m - 1), m, grow (m + 1) b)\n";

/// Name, what must be in the machine code, which inputs it is built on, source.
const TEXTS: &[(&str, &[&str], &str, &str)] = &[
    (
        "above",
        &["above: 1 jump"],
        UP,
        "let rec above (k : int) l c = match l with [] -> c | x :: r -> above k r (if x > k then c + 1 else c)\nlet input n = up 1 n\nlet run l = above 511 l 0\n",
    ),
    (
        "increments",
        &["increments: 1 allocate", "increments: 1 call"],
        UP,
        "let rec increments l = match l with [] -> [] | x :: r -> let y = x + 1 in y :: increments r\nlet input n = up 1 n\nlet run l = increments l\n",
    ),
    (
        "differences",
        &["differences: 1 allocate", "differences: 1 call"],
        UP,
        "let rec differences l = match l with x :: (y :: _ as r) -> (y - x) :: differences r | _ -> []\nlet input n = up 1 n\nlet run l = differences l\n",
    ),
    (
        "weave",
        &["weave: 1 allocate", "weave: 1 call"],
        UP,
        "let rec weave a b = match a with [] -> b | x :: r -> x :: weave b r\nlet input n = (up 1 n, up 1 n)\nlet run (a, b) = weave a b\n",
    ),
    (
        "greatest",
        &["greatest: 1 call"],
        UP,
        "let rec greatest l = match l with [] -> 0 | x :: r -> let m = greatest r in if x > m then x else m\nlet input n = up 1 n\nlet run l = greatest l\n",
    ),
    (
        "combine_with",
        &["combine: 1 =caml_apply2"],
        UP,
        "let rec combine f a b = match a with [] -> [] | x :: r -> (match b with [] -> [] | y :: s -> let z = f x y in z :: combine f r s)\nlet minus x y = x - y\nlet input n = (up 1 n, up 2 n)\nlet run (a, b) = combine minus a b\n",
    ),
    (
        "alternating",
        &["alternate: 1 =caml_apply2"],
        UP,
        "let rec alternate f l acc = match l with [] -> acc | x :: r -> f x (alternate f r acc)\nlet minus x y = x - y\nlet input n = up 1 n\nlet run l = alternate minus l 0\n",
    ),
    (
        "product_then",
        &["product: 1 allocate"],
        "",
        "let rec product n k = if n = 0 then k 1 else product (n - 1) (fun r -> k (r * n))\nlet input n = n\nlet run n = product n (fun r -> r)\n",
    ),
    (
        "copy_then",
        &["copy: 1 allocate"],
        UP,
        "let rec copy l k = match l with [] -> k [] | x :: r -> copy r (fun t -> k (x :: t))\nlet input n = up 1 n\nlet run l = copy l (fun t -> t)\n",
    ),
    (
        "greatest_then",
        &["greatest: 1 allocate"],
        MIXED,
        "let rec greatest (l : int list) a k = match l with [] -> k a | x :: r -> greatest r (a + x) (fun m -> k (if m > x then m - x else m + a))\nlet input n = mixed n 7\nlet run l = greatest l 0 (fun m -> m)\n",
    ),
    (
        "keep_while",
        &["keep: 1 indirect", "keep: 1 allocate"],
        UP,
        "let rec keep f l = match l with [] -> [] | x :: r -> if f x then x :: keep f r else []\nlet input n = (n, up 1 n)\nlet run (n, l) = keep (fun x -> x <= n) l\n",
    ),
    (
        "each_with_index",
        &["each: 1 =caml_apply2"],
        UP,
        "let rec each i f l = match l with [] -> [] | x :: r -> let y = f i x in y :: each (i + 1) f r\nlet input n = (n, up 1 n)\nlet run (n, l) = each 0 (fun i x -> i * n + x) l\n",
    ),
    (
        "two_piles",
        &["piles: 1 allocate", "piles: 1 jump"],
        MIXED,
        "let rec piles (p : int) l a b = match l with [] -> (a, b) | x :: r -> if x < p then piles p r (x :: a) b else piles p r a (x :: b)\nlet input n = mixed n 3\nlet run l = piles 511 l [] []\n",
    ),
    (
        "deal",
        &["deal: 1 call", "deal: 1 allocate"],
        UP,
        "let rec deal l = match l with [] -> ([], []) | [x] -> ([x], []) | x :: y :: r -> let (a, b) = deal r in (x :: a, y :: b)\nlet input n = up 1 n\nlet run l = deal l\n",
    ),
    (
        "pair_sums",
        &["sums: 1 allocate"],
        UP,
        "let rec sums l = match l with [] -> [] | x :: r -> (x, x + 1) :: sums r\nlet rec total l a = match l with [] -> a | (x, y) :: r -> total r (a + x - y)\nlet input n = up 1 n\nlet run l = total (sums l) 0\n",
    ),
    (
        "updated",
        &["update: 1 allocate"],
        "",
        "let rec make i n = if i > n then [] else (i, i) :: make (i + 1) n\nlet rec update (k : int) v l = match l with [] -> [(k, v)] | (key, w) :: r -> if key = k then (k, v) :: r else (key, w) :: update k v r\nlet input n = (n, make 1 n)\nlet run (n, l) = update n 0 l\n",
    ),
    (
        "sorted_in",
        &["place: 1 call"],
        MIXED,
        "let rec place (x : int) l = match l with [] -> [x] | y :: r -> if y < x then y :: place x r else x :: l\nlet rec several k l a = if k < 1 then a else several (k - 200) l (match place k l with [] -> a | x :: _ -> a + x)\nlet rec up a b = if a > b then [] else a :: up (a + 1) b\nlet input n = (n, up 1 200)\nlet run (n, l) = several n l 0\n",
    ),
    (
        "found",
        &["find: 1 call", "seek: 1 compare"],
        TREE,
        "let rec seek (k : int) t = match t with Leaf -> false | Node (l, x, r) -> if k = x then true else if k < x then seek k l else seek k r\nlet rec find k n t c = if k < 1 then c else find (k - 10) n t (if seek (k * 7919 mod n) t then c + 1 else c)\nlet input n = (n, grow 1 n)\nlet run (n, t) = find n n t 0\n",
    ),
    (
        "grown",
        &["grow: 2 call", "grow: 1 allocate"],
        TREE,
        "let input n = n\nlet run n = grow 1 n\n",
    ),
    (
        "doubled_tree",
        &["double: 2 call"],
        TREE,
        "let rec double t = match t with Leaf -> Leaf | Node (l, x, r) -> Node (double l, x * 2, double r)\nlet input n = grow 1 n\nlet run t = double t\n",
    ),
    (
        "leaves",
        &["leaves: 2 call"],
        TREE,
        "let rec leaves t = match t with Leaf -> 1 | Node (l, _, r) -> leaves l + leaves r\nlet input n = grow 1 n\nlet run t = leaves t\n",
    ),
    (
        "tree_fold",
        &["fold: 1 =caml_apply2"],
        TREE,
        "let rec fold f t acc = match t with Leaf -> acc | Node (l, x, r) -> fold f r (f (fold f l acc) x)\nlet minus a b = b - a\nlet input n = grow 1 n\nlet run t = fold minus t 0\n",
    ),
    (
        "evaluated",
        &["value: 1 call"],
        "",
        "type term = Number of int | Sum of term * term | Less of term | Product of term * term\nlet rec make n = if n = 0 then Number 1 else if n mod 3 = 0 then Sum (make (n - 1), Number n) else if n mod 3 = 1 then Less (make (n - 1)) else Product (Number 3, make (n - 1))\nlet rec value t = match t with Number n -> n | Sum (a, b) -> value a + value b | Less a -> value a - 1 | Product (a, b) -> value a * value b\nlet input n = make n\nlet run t = value t\n",
    ),
    (
        "power_modulo",
        &["power: 1 divide"],
        "",
        "let rec power b e m r = if e = 0 then r else power (b * b mod m) (e / 2) m (if e mod 2 = 1 then r * b mod m else r)\nlet rec all n a = if n < 1 then a else all (n - 10) (a + power 3 n 1000003 1)\nlet input n = n\nlet run n = all n 0\n",
    ),
    (
        "triangular",
        &["rows: 1 jump"],
        "",
        "let rec rows i j a = if i = 0 then a else if j = 0 then rows (i - 1) (i - 1) a else rows i (j - 1) (a + i * j)\nlet rec root n k = if k * k > n then k else root n (k + 1)\nlet input n = root n 1\nlet run k = rows k k 0\n",
    ),
    (
        "digits_seven",
        &["count: 1 jump"],
        "",
        "let rec count n c = if n = 0 then c else count (n / 7) (c + n mod 7)\nlet rec all n c = if n < 1 then c else all (n - 5) (count n c)\nlet input n = n\nlet run n = all n 0\n",
    ),
    (
        "remainders_two",
        &["halve: 1 jump"],
        "",
        "let rec halve n c = if n < 2 then c else if n mod 2 = 0 then halve (n / 2) (c + 1) else halve (n - 1) (c + 2)\nlet rec all n c = if n < 1 then c else all (n - 7) (halve n c)\nlet input n = n\nlet run n = all n 0\n",
    ),
    (
        "takeuchi",
        &["tak: 3 call"],
        "",
        "let rec tak x y z = if y >= x then z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)\nlet rec all n a = if n < 1 then a else all (n - 300) (a + tak 7 4 1)\nlet input n = n\nlet run n = all n 0\n",
    ),
    (
        "binomials",
        &["choose: 2 call"],
        "",
        "let rec choose n k = if k = 0 then 1 else if k = n then 1 else choose (n - 1) (k - 1) + choose (n - 1) k\nlet rec all n a = if n < 1 then a else all (n - 100) (a + choose 7 3)\nlet input n = n\nlet run n = all n 0\n",
    ),
    (
        "multiplied",
        &["product: 1 multiply", "product: 1 call"],
        UP,
        "let rec product l = match l with [] -> 1 | x :: r -> x * product r\nlet input n = up 1 n\nlet run l = product l\n",
    ),
    (
        "multiplied_tail",
        &["product: 1 multiply", "product: 1 jump"],
        UP,
        "let rec product l a = match l with [] -> a | x :: r -> product r (a * x)\nlet input n = up 1 n\nlet run l = product l 1\n",
    ),
    (
        "squares",
        &["squares: 1 multiply"],
        "",
        "let rec squares n a = if n = 0 then a else squares (n - 1) (a + n * n)\nlet input n = n\nlet run n = squares n 0\n",
    ),
    (
        "float_total",
        &["total: 1 float-add"],
        "",
        "let rec make n = if n = 0 then [] else float_of_int (n mod 9) :: make (n - 1)\nlet rec total l = match l with [] -> 0. | x :: r -> x +. total r\nlet input n = make n\nlet run l = total l\n",
    ),
    (
        "float_dot",
        &["dot: 1 float-multiply"],
        "",
        "let rec make n = if n = 0 then [] else float_of_int (n mod 9) :: make (n - 1)\nlet rec dot a b s = match a with [] -> s | x :: r -> (match b with [] -> s | y :: t -> dot r t (s +. x *. y))\nlet input n = (make n, make n)\nlet run (a, b) = dot a b 0.\n",
    ),
    (
        "float_scaled",
        &["scale: 1 float-multiply", "scale: 1 allocate"],
        "",
        "let rec make n = if n = 0 then [] else float_of_int (n mod 9) :: make (n - 1)\nlet rec scale k l = match l with [] -> [] | x :: r -> let y = k *. x in y :: scale k r\nlet input n = make n\nlet run l = scale 1.5 l\n",
    ),
    (
        "float_steps",
        &["steps: 2 float-multiply"],
        "",
        "let rec steps n x v h = if n = 0 then x else let a = 0. -. x *. 0.5 in steps (n - 1) (x +. v *. h) (v +. a *. h) h\nlet input n = n\nlet run n = steps n 1. 0. 0.01\n",
    ),
    (
        "float_called",
        &["all: 1 call"],
        "",
        "let g x y = x *. y +. 1. /. x\nlet rec all n a = if n = 0 then a else all (n - 1) (a +. g (float_of_int n) 2.)\nlet input n = n\nlet run n = all n 0.\n",
    ),
    (
        "float_largest",
        &["largest: 1 float-compare"],
        "",
        "let rec make n = if n = 0 then [] else float_of_int (n * 7 mod 31) :: make (n - 1)\nlet rec largest l (m : float) = match l with [] -> m | x :: r -> largest r (if x > m then x else m)\nlet input n = make n\nlet run l = largest l 0.\n",
    ),
    (
        "float_roots",
        &["all: 1 =sqrtsd"],
        "",
        "let rec all n a = if n = 0 then a else all (n - 1) (a +. sqrt (float_of_int n))\nlet input n = n\nlet run n = all n 0.\n",
    ),
    (
        "options_summed",
        &["sum: 1 jump"],
        "",
        "let rec make n = if n = 0 then [] else (if n mod 3 = 0 then None else Some n) :: make (n - 1)\nlet rec sum l a = match l with [] -> a | None :: r -> sum r a | Some x :: r -> sum r (a + x)\nlet input n = make n\nlet run l = sum l 0\n",
    ),
    (
        "record_steps",
        &["step: 1 allocate"],
        "",
        "type state = { x : int; y : int; steps : int }\nlet step s = { x = s.y; y = s.x + s.y; steps = s.steps + 1 }\nlet rec go n s = if n = 0 then s.x + s.steps else go (n - 1) (step s)\nlet input n = n\nlet run n = go n { x = 1; y = 1; steps = 0 }\n",
    ),
    (
        "first_missing",
        &["seek: 1 compare"],
        UP,
        "exception Missing\nlet rec seek (k : int) l = match l with [] -> raise Missing | x :: r -> if x = k then x else seek k r\nlet rec all n l c = if n < 1 then c else all (n - 200) l (c + (try seek 201 l with Missing -> 1))\nlet input n = (n, up 1 200)\nlet run (n, l) = all n l 0\n",
    ),
    (
        "even_odd",
        &["even: 1 jump", "odd: 1 jump"],
        UP,
        "let rec even l c = match l with [] -> c | x :: r -> odd r (c + x)\nand odd l c = match l with [] -> c | x :: r -> even r (c - x)\nlet input n = up 1 n\nlet run l = even l 0\n",
    ),
    (
        "closures_listed",
        &["make: 1 allocate"],
        "",
        "let rec make n k = if n = 0 then [] else (fun x -> x * k + n) :: make (n - 1) k\nlet rec use l a = match l with [] -> a | f :: r -> use r (a - f a)\nlet input n = n\nlet run n = use (make n 3) 1\n",
    ),
    (
        "curried",
        &["loop: 1 call"],
        "",
        "let add x y z = x + y * z + 1\nlet apply f a = f a + f (a + 1)\nlet rec loop n a = if n = 0 then a else loop (n - 1) (apply (add n a) n)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "characters",
        &["vowels: 1 jump"],
        "",
        "let rec make n = if n = 0 then [] else (if n mod 5 = 0 then 'a' else if n mod 5 = 1 then 'x' else if n mod 5 = 2 then 'o' else 'z') :: make (n - 1)\nlet rec vowels l c = match l with [] -> c | ('a' | 'e' | 'i' | 'o' | 'u') :: r -> vowels r (c + 1) | _ :: r -> vowels r c\nlet input n = make n\nlet run l = vowels l 0\n",
    ),
    (
        "colours",
        &["paint: 1 jump"],
        "",
        "type colour = Red | Green | Blue | Mixed of int\nlet rec make n = if n = 0 then [] else (match n mod 4 with 0 -> Red | 1 -> Green | 2 -> Blue | _ -> Mixed n) :: make (n - 1)\nlet rec paint l a = match l with [] -> a | Red :: r -> paint r (a + 1) | Green :: r -> paint r (a + 2) | Blue :: r -> paint r (a + 3) | Mixed k :: r -> paint r (a + k)\nlet input n = make n\nlet run l = paint l 0\n",
    ),
    (
        "comparisons_any",
        &["sorted: 1 =caml_"],
        UP,
        "let rec sorted l = match l with x :: (y :: _ as r) -> if x <= y then sorted r else false | _ -> true\nlet input n = up 1 n\nlet run l = sorted l\n",
    ),
    (
        "pairs_of_lists",
        &["both: 1 call"],
        UP,
        "let rec both a b = match a, b with x :: r, y :: s -> x * y + both r s | _, _ -> 0\nlet input n = (up 1 n, up 1 n)\nlet run (a, b) = both a b\n",
    ),
    (
        "nested_rows",
        &["row: 1 jump"],
        UP,
        "let rec row l a = match l with [] -> a | x :: r -> row r (a + x)\nlet rec rows m a = match m with [] -> a | l :: r -> rows r (row l a)\nlet rec make n = if n < 1 then [] else up 1 100 :: make (n - 100)\nlet input n = make n\nlet run m = rows m 0\n",
    ),
    (
        "rows_made",
        &["make: 1 call"],
        UP,
        "let rec make n = if n < 1 then [] else up 1 100 :: make (n - 100)\nlet input n = n\nlet run n = make n\n",
    ),
    (
        "count_if",
        &["count_if: 1 indirect"],
        UP,
        "let rec count_if f l c = match l with [] -> c | x :: r -> count_if f r (if f x then c + 1 else c)\nlet input n = (n, up 1 n)\nlet run (n, l) = count_if (fun x -> 2 * x < n) l 0\n",
    ),
    (
        "sum_by",
        &["sum_by: 1 indirect"],
        UP,
        "let rec sum_by f l a = match l with [] -> a | x :: r -> sum_by f r (a + f x)\nlet input n = (n, up 1 n)\nlet run (n, l) = sum_by (fun x -> x + n) l 0\n",
    ),
    (
        "none_of",
        &["none_of: 1 indirect"],
        UP,
        "let rec none_of f l = match l with [] -> true | x :: r -> if f x then false else none_of f r\nlet input n = (n, up 1 n)\nlet run (n, l) = none_of (fun x -> x > n) l\n",
    ),
    (
        "differences_with",
        &["walk: 1 =caml_apply2"],
        UP,
        "let rec walk f a b c = match a with [] -> c | x :: r -> (match b with [] -> c | y :: s -> walk f r s (c + f x y))\nlet minus x y = x - y\nlet input n = (up 1 n, up 1 n)\nlet run (a, b) = walk minus a b 0\n",
    ),
    (
        "with_image",
        &["image: 1 indirect", "image: 1 allocate"],
        UP,
        "let rec image f l = match l with [] -> [] | x :: r -> let y = f x in (x + y) :: image f r\nlet negative x = 0 - x\nlet input n = up 1 n\nlet run l = image negative l\n",
    ),
    (
        "every_other",
        &["other: 1 allocate", "other: 1 jump"],
        UP,
        "let rec other l a = match l with x :: _ :: r -> other r (x :: a) | _ -> a\nlet input n = up 1 n\nlet run l = other l []\n",
    ),
    (
        "twins",
        &["twins: 1 allocate", "twins: 1 jump"],
        UP,
        "let rec twins l a = match l with [] -> a | x :: r -> twins r ((x, x) :: a)\nlet input n = up 1 n\nlet run l = twins l []\n",
    ),
    (
        "short_rows",
        &["row: 1 jump"],
        UP,
        "let rec row l a = match l with [] -> a | x :: r -> row r (a + x * 3)\nlet rec rows m a = match m with [] -> a | l :: r -> rows r (row l a)\nlet rec make n = if n < 1 then [] else up 1 8 :: make (n - 8)\nlet input n = make n\nlet run m = rows m 0\n",
    ),
    (
        "short_rows_raised",
        &["raise_row: 1 call"],
        UP,
        "let rec raise_row l = match l with [] -> [] | x :: r -> let y = x + 1 in y :: raise_row r\nlet rec rows m = match m with [] -> [] | l :: r -> let s = raise_row l in s :: rows r\nlet rec make n = if n < 1 then [] else up 1 8 :: make (n - 8)\nlet input n = make n\nlet run m = rows m\n",
    ),
    (
        "firsts",
        &["firsts: 1 call"],
        UP,
        "let rec firsts m = match m with [] -> [] | l :: r -> (match l with [] -> 0 :: firsts r | x :: _ -> x :: firsts r)\nlet rec make n = if n < 1 then [] else [n; 1] :: make (n - 1)\nlet input n = make n\nlet run m = firsts m\n",
    ),
    (
        "float_weighed",
        &["weigh: 2 float-multiply"],
        "",
        "let rec make n = if n = 0 then [] else float_of_int (n mod 9) :: make (n - 1)\nlet rec weigh l w s = match l with [] -> s | x :: r -> weigh r (w *. 0.9999) (s +. x *. w)\nlet input n = make n\nlet run l = weigh l 1. 0.\n",
    ),
    (
        "float_three",
        &["three: 2 float-add"],
        "",
        "let rec three n a b c = if n = 0 then a +. b +. c else three (n - 1) (a +. 1.) (b +. 0.5) (c -. 0.25)\nlet input n = n\nlet run n = three n 1. 2. 3.\n",
    ),
    (
        "odd_product",
        &["product: 1 multiply"],
        "",
        "let rec product n a = if n = 0 then a else product (n - 1) (a * (n + n + 1))\nlet input n = n\nlet run n = product n 1\n",
    ),
    (
        "remainders",
        &["count: 1 divide"],
        "",
        "let rec count k n m c = if k = 0 then c else count (k - 1) n m (if n mod k < m then c + 1 else c)\nlet input n = n\nlet run n = count n 1000003 7 0\n",
    ),
    (
        "conditions",
        &["count: 1 indirect"],
        "",
        "let rec count f n c = if n = 0 then c else count f (n - 1) (if f n then c + 1 else c)\nlet odd n = n mod 2 = 1\nlet input n = n\nlet run n = count odd n 0\n",
    ),
    (
        "noise_count",
        &["count: 1 jump"],
        MIXED,
        "let rec count l c = match l with [] -> c | x :: r -> if x < 512 then count r (c + 1) else count r (c - 3)\nlet input n = mixed n 7\nlet run l = count l 0\n",
    ),
    (
        "noise_sum",
        &["sum: 2 call"],
        MIXED,
        "let rec sum l = match l with [] -> 0 | x :: r -> if x < 512 then x + sum r else sum r - 5\nlet input n = mixed n 3\nlet run l = sum l\n",
    ),
    (
        "noise_rare",
        &["rare: 1 jump"],
        MIXED,
        "let rec rare l c = match l with [] -> c | x :: r -> if x < 64 then rare r (c + x) else rare r (c + 1)\nlet input n = mixed n 5\nlet run l = rare l 0\n",
    ),
    (
        "noise_two",
        &["two: 1 jump"],
        MIXED,
        "let rec two l a b = match l with [] -> a - b | x :: r -> if x mod 4 < 2 then (if x < 512 then two r (a + 1) b else two r a (b + 1)) else two r b a\nlet input n = mixed n 9\nlet run l = two l 0 0\n",
    ),
    (
        "noise_numbers",
        &["loop: 1 jump", "loop: 2 multiply"],
        "",
        "let rec loop n s c = if n = 0 then c else let t = (s * 1597 + 51749) mod 244944 in if t < 122472 then loop (n - 1) t (c + 1) else loop (n - 1) t (c - 2)\nlet input n = n\nlet run n = loop n 1 0\n",
    ),
    (
        "noise_pairs",
        &["pick: 2 allocate"],
        MIXED,
        "let rec pick l a b = match l with [] -> (a, b) | x :: r -> if x mod 64 < 32 then pick r (x :: a) b else pick r a (x :: b)\nlet input n = mixed n 11\nlet run l = pick l [] []\n",
    ),
    (
        "converted",
        &["loop: 3 =cvtsi2sd"],
        "",
        "let rec loop n r e = if n = 0 then r else\n  let x = float_of_int n in let y = float_of_int (n + r) in let z = float_of_int (r - n) in\n  loop (n - 1) (if x < e then (if y < e then 1 else 2) else if z < e then 3 else 4) e\nlet input n = n\nlet run n = loop n 0 1e9\n",
    ),
    (
        "converted_beside_products",
        &["loop: 1 =cvtsi2sd", "loop: 3 multiply"],
        "",
        "let rec loop n a b c r e = if n = 0 then a + b + c + r else\n  let x = float_of_int n in\n  loop (n - 1) (n * (n + 1)) ((n + 2) * (n + 3)) ((n + 4) * (n + 5)) (if x < e then n else 0) e\nlet input n = n\nlet run n = loop n 0 0 0 0 1e9\n",
    ),
    (
        "roots_apart",
        &["loop: 4 =sqrtsd", "loop: 1 jump"],
        "",
        "let rec loop n r a b c d = if n = 0 then r else\n  let x = sqrt a in let y = sqrt b in let z = sqrt c in let w = sqrt d in\n  loop (n - 1) (if x < y then n else if z < w then n else r) a b c d\nlet input n = n\nlet run n = loop n 0 9.5 7.25 6.5 3.75\n",
    ),
    (
        "float_passed",
        &["loop: 2 call"],
        "",
        "let half x = 0.5 *. x\nlet rec loop n x y = if n = 0 then x else loop (n - 1) (half y) (half x)\nlet input n = n\nlet run n = loop n 3.0 4.0\n",
    ),
    (
        "float_list_apart",
        &["walk: 3 float-add"],
        "",
        "let rec make n = if n = 0 then [] else float_of_int (n mod 9) :: make (n - 1)\nlet rec walk l a b c = match l with [] -> a +. b +. c | x :: r -> walk r (a +. x) (b +. 2. *. x) (c -. x)\nlet input n = make n\nlet run l = walk l 0. 0. 0.\n",
    ),
    (
        "apply_walk",
        &["walk: 1 =caml_apply2"],
        UP,
        "let rec walk f l a = match l with [] -> a | x :: r -> walk f r (f a x)\nlet larger (a : int) b = if a > b then a else b\nlet input n = up 1 n\nlet run l = walk larger l 0\n",
    ),
    (
        "second_factor",
        &["loop: 1 multiply"],
        "",
        "let rec loop n a = if n = 0 then a else loop (n - 1) ((n + 3) * a)\nlet input n = n\nlet run n = loop n 3\n",
    ),
];

pub(super) fn programs() -> Vec<Program> {
    let built: Vec<(&str, &[&str], String)> = TEXTS
        .iter()
        .map(|(name, asm, inputs, source)| (*name, *asm, format!("{inputs}{source}")))
        .collect();
    built
        .into_iter()
        .map(|(name, asm, source)| super::program(name, "compositions", source, asm))
        .collect()
}
