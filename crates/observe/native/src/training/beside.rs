//! Programs that tell apart what goes on at once: units that are busy beside other work, chains through blocks built anew, floats that wait for a
//! register or do not, branches and returns without order, in numbers that some processors know by heart and others do not.

use super::program;
use crate::program::{Program, spaced};

/// Name, what must be in the machine code, source.
type Text = (&'static str, &'static [&'static str], &'static str);

const TEXTS: &[Text] = &[
    // One division beside calls, comparisons or lists: what it takes of the rest.
    (
        "mod_beside_calls",
        &["loop: 1 divide", "loop: 4 call"],
        "let f x = x + 1\nlet rec loop n a b c d e = if n = 0 then a + b + c + d else loop (n - 1) (f (n mod e)) (f b) (f c) (f n) e\nlet input n = n\nlet run n = loop n 1 2 3 4 7\n",
    ),
    (
        "div_beside_calls",
        &["loop: 1 divide", "loop: 4 call"],
        "let f x = x + 1\nlet rec loop n a b c d e = if n = 0 then a + b + c + d else loop (n - 1) (f (n / e)) (f b) (f c) (f n) e\nlet input n = n\nlet run n = loop n 1 2 3 4 7\n",
    ),
    (
        "mod_beside_comparisons",
        &["loop: 1 divide", "loop: 9 compare"],
        "let rec loop n r a b c d e = if n = 0 then r else\n  let k = n mod e in\n  loop (n - 1) (if a < b && b < c && c < d && d < 90 && a < c && b < d && a < d && k < e then (if k > r then r else r + 1) else k) a b c d e\nlet input n = n\nlet run n = loop n 0 1 2 3 4 7\n",
    ),
    (
        "mod_beside_lists",
        &["make: 1 divide", "make: 1 call", "make: 1 allocate"],
        "let rec make n k = if n = 0 then [] else (n mod k) :: make (n - 1) k\nlet input n = n\nlet run n = make n 10\n",
    ),
    (
        "div_beside_comparisons",
        &["loop: 1 divide", "loop: 9 compare"],
        "let rec loop n r a b c d e = if n = 0 then r else\n  let k = n / e in\n  loop (n - 1) (if a < b && b < c && c < d && d < 90 && a < c && b < d && a < d && k < n then (if k > r then r else r + 1) else k) a b c d e\nlet input n = n\nlet run n = loop n 90000 1 2 3 4 7\n",
    ),
    (
        "div_beside_lists",
        &["make: 1 divide", "make: 1 call", "make: 1 allocate"],
        "let rec make n k = if n = 0 then [] else (n / k) :: make (n - 1) k\nlet input n = n\nlet run n = make n 10\n",
    ),
    (
        "remainders_near",
        &["loop: 1 divide"],
        "let rec loop n e c = if n = 0 then c else loop (n - 1) e (if (n + n + n) mod (n + e) < 5 then c + 1 else c)\nlet input n = n\nlet run n = loop n 3 0\n",
    ),
    // Blocks that are built for a parameter's place.
    (
        "pair_walk",
        &["walk: 1 allocate", "walk: 1 jump"],
        "let rec up a b = if a > b then [] else a :: up (a + 1) b\nlet rec walk l p = match l with [] -> p | x :: r -> let (a, b) = p in walk r (a + x, b - x)\nlet input n = up 1 n\nlet run l = walk l (0, 0)\n",
    ),
    (
        "triple_turned",
        &["turn: 1 allocate", "turn: 1 jump"],
        "let rec turn n t = if n = 0 then t else let (a, b, c) = t in turn (n - 1) (b, c, a + b)\nlet input n = n\nlet run n = turn n (1, 2, 3)\n",
    ),
    (
        "record_counted",
        &["count: 1 allocate"],
        "type tally = { low : int; high : int; all : int }\nlet rec up a b = if a > b then [] else a :: up (a + 1) b\nlet rec count l t = match l with [] -> t.low + t.high + t.all | x :: r ->\n  count r (if x < 500 then { low = t.low + 1; high = t.high; all = t.all + x } else { low = t.low; high = t.high + 1; all = t.all + x })\nlet input n = up 1 n\nlet run l = count l { low = 0; high = 0; all = 0 }\n",
    ),
    (
        "float_record",
        &["move: 1 allocate", "move: 2 float-multiply"],
        "type state = { at : float; speed : float }\nlet rec move n s h = if n = 0 then s.at else move (n - 1) { at = s.at +. h *. s.speed; speed = s.speed -. h *. s.at } h\nlet input n = n\nlet run n = move n { at = 1.; speed = 0. } 0.01\n",
    ),
    // Short loops on floats, begun again and again: from a converted number, and from one that was there.
    (
        "float_inner_converted",
        &["inner: 1 float-divide", "all: 1 =cvtsi2sd"],
        "let rec inner k x = if k = 0 then x else inner (k - 1) (1. /. (1. +. x))\nlet rec all n a = if n < 1 then a else all (n - 6) (a +. inner 6 (float_of_int n))\nlet input n = n\nlet run n = all n 0.\n",
    ),
    (
        "float_inner_products",
        &["inner: 1 float-multiply", "all: 1 =cvtsi2sd"],
        "let rec inner k x = if k = 0 then x else inner (k - 1) (0.5 *. x +. 1.)\nlet rec all n a = if n < 1 then a else all (n - 8) (a +. inner 8 (float_of_int n))\nlet input n = n\nlet run n = all n 0.\n",
    ),
    (
        "float_inner_divided",
        &["inner: 1 float-divide"],
        "let rec inner k x = if k = 0 then x else inner (k - 1) (1. /. (1. +. x))\nlet rec all n a b = if n < 1 then a else all (n - 6) (a +. inner 6 b) b\nlet input n = n\nlet run n = all n 0. 3.5\n",
    ),
    (
        "float_inner_plain",
        &["inner: 1 float-multiply"],
        "let rec inner k x = if k = 0 then x else inner (k - 1) (0.5 *. x +. 1.)\nlet rec all n a b = if n < 1 then a else all (n - 8) (a +. inner 8 b) b\nlet input n = n\nlet run n = all n 0. 3.5\n",
    ),
    (
        "converted_squares",
        &["all: 1 =cvtsi2sd"],
        "let rec all n a h = if n = 0 then a else let x = h *. float_of_int n in all (n - 1) (a +. x *. x *. 0.5) h\nlet input n = n\nlet run n = all n 0. 0.001\n",
    ),
    // Functions applied to each of a list.
    (
        "each_unit",
        &["each: 1 indirect"],
        "let rec up a b = if a > b then [] else a :: up (a + 1) b\nlet rec each f l = match l with [] -> () | x :: r -> f x; each f r\nlet check k x = if x < k then () else failwith \"large\"\nlet input n = (n, up 1 n)\nlet run (n, l) = each (check (n + 1)) l\n",
    ),
    (
        "fold_less",
        &["fold: 1 =caml_apply2"],
        "let rec up a b = if a > b then [] else a :: up (a + 1) b\nlet rec fold f a l = match l with [] -> a | x :: r -> fold f (f a x) r\nlet input n = (n, up 1 n)\nlet run (n, l) = fold (fun a x -> a + n - x) 0 l\n",
    ),
    (
        "fold_back",
        &["fold: 1 =caml_apply2", "fold: 1 call"],
        "let rec up a b = if a > b then [] else a :: up (a + 1) b\nlet rec fold f l a = match l with [] -> a | x :: r -> let b = fold f r a in f x b\nlet input n = up 1 n\nlet run l = fold (fun x a -> x - a) l 0\n",
    ),
    // Returns to places without order.
    (
        "noise_copied",
        &["copy: 2 call", "copy: 2 allocate"],
        "let rec mixed n s = if n = 0 then [] else s / 64 mod 1024 :: mixed (n - 1) ((s * 1597 + 51749) mod 244944)\nlet rec copy l = match l with [] -> [] | x :: r -> if x < 512 then x :: copy r else (x - 1) :: copy r\nlet input n = mixed n 3\nlet run l = copy l\n",
    ),
    (
        "noise_three_ways",
        &["sum: 3 call"],
        "let rec mixed n s = if n = 0 then [] else s / 64 mod 1024 :: mixed (n - 1) ((s * 1597 + 51749) mod 244944)\nlet rec sum l = match l with [] -> 0 | x :: r -> if x < 300 then x + sum r else if x < 700 then sum r - x else 3 + sum r\nlet input n = mixed n 5\nlet run l = sum l\n",
    ),
    (
        "ways_in_turn",
        &["sum: 3 call"],
        "let rec sum n = if n = 0 then 0 else if n mod 4 = 0 then n + sum (n - 1) else if n mod 4 = 1 then sum (n - 1) - n else 3 + sum (n - 1)\nlet input n = n\nlet run n = sum n\n",
    ),
];

/// Branches without order, more than any processor knows by heart.
const MANY: &[Text] = &[
    (
        "noise_many",
        &["loop: 1 jump"],
        "let rec loop n s c = if n = 0 then c else let t = (s * 1597 + 51749) mod 244944 in if t < 122472 then loop (n - 1) t (c + 1) else loop (n - 1) t (c - 2)\nlet input n = n\nlet run n = loop n 1 0\n",
    ),
    (
        "noise_many_two",
        &["loop: 1 jump"],
        "let rec loop n s c = if n = 0 then c else let t = (s * 1597 + 51749) mod 244944 in\n  let d = if t < 122472 then c + 1 else c in loop (n - 1) t (if t mod 64 < 32 then d - 2 else d)\nlet input n = n\nlet run n = loop n 1 0\n",
    ),
    (
        "noise_many_rare",
        &["loop: 1 jump"],
        "let rec loop n s c = if n = 0 then c else let t = (s * 1597 + 51749) mod 244944 in if t < 50000 then loop (n - 1) t (c + 1) else loop (n - 1) t (c - 2)\nlet input n = n\nlet run n = loop n 1 0\n",
    ),
];

pub(super) fn programs() -> Vec<Program> {
    let of = |(name, asm, source): &Text| {
        program(name, "what goes on at once", (*source).to_owned(), asm)
    };
    let mut out: Vec<Program> = TEXTS.iter().map(of).collect();
    out.extend(MANY.iter().map(|text| Program {
        sizes: spaced(20_000, 160_000, 8),
        ..of(text)
    }));
    out
}
