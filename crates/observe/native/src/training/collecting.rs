//! Programs that make the collector run, with nothing, some or all of what they allocate alive.

use super::program;
use crate::program::{Program, spaced};

/// Name, sizes, what must be in the machine code, source.
type Text = (
    &'static str,
    (u32, u32),
    &'static [&'static str],
    &'static str,
);

const TEXTS: &[Text] = &[
    (
        "collect_none",
        (20_000, 300_000),
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else loop (n - 1) (n, n, n)\nlet input n = n\nlet run n = loop n (1, 2, 3)\n",
    ),
    (
        "collect_all",
        (20_000, 300_000),
        &["make: 1 allocate"],
        "let rec make n l = if n = 0 then l else make (n - 1) (n :: n :: l)\nlet input n = n / 2\nlet run n = make n []\n",
    ),
    (
        "collect_half",
        (20_000, 300_000),
        &["make: 1 allocate"],
        "let rec make n p l = if n = 0 then l else make (n - 1) (n, n) (n :: l)\nlet input n = n\nlet run n = make n (1, 1) []\n",
    ),
    (
        "collect_tenth",
        (20_000, 300_000),
        &["make: 1 allocate"],
        "let rec make n p l = if n = 0 then l else make (n - 1) (n, n, n) (if n mod 10 = 0 then n :: l else l)\nlet input n = n\nlet run n = make n (1, 1, 1) []\n",
    ),
    (
        "collect_pairs",
        (15_000, 200_000),
        &["make: 1 allocate"],
        "let rec make n l = if n = 0 then l else make (n - 1) ((n, n) :: l)\nlet input n = n\nlet run n = make n []\n",
    ),
    (
        "collect_tree",
        (20_000, 200_000),
        &["grow: 1 allocate"],
        "type tree = Leaf | Node of tree * int * tree\nlet rec grow a b = if a > b then Leaf else let m = (a + b) / 2 in Node (grow a (m - 1), m, grow (m + 1) b)\nlet input n = n\nlet run n = grow 1 n\n",
    ),
    (
        "collect_rows",
        (20_000, 300_000),
        &["up: 1 allocate"],
        "let rec up a b l = if a > b then l else up a (b - 1) (b :: l)\nlet rec sum l a = match l with [] -> a | x :: r -> sum r (a + x)\nlet rec again n a = if n < 1 then a else again (n - 2000) (a + sum (up 1 2000 []) 0)\nlet input n = n\nlet run n = again n 0\n",
    ),
    (
        "collect_deep",
        (20_000, 120_000),
        &["up: 1 call"],
        "let rec up a b = if a > b then [] else a :: up (a + 1) b\nlet input n = n\nlet run n = up 1 n\n",
    ),
    (
        "collect_copies",
        (5_000, 60_000),
        &["copy: 1 allocate"],
        "let rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet rec copy l a = match l with [] -> a | x :: r -> copy r (x :: a)\nlet rec again k l = if k = 0 then l else again (k - 1) (copy l [])\nlet input n = make n []\nlet run l = again 6 l\n",
    ),
    (
        "collect_deep_pairs",
        (15_000, 100_000),
        &["up: 1 call"],
        "let rec up a b = if a > b then [] else (a, b) :: up (a + 1) b\nlet input n = n\nlet run n = up 1 n\n",
    ),
    (
        "collect_on_deep",
        (20_000, 120_000),
        &["sum: 1 call", "sum: 1 allocate"],
        "let rec sum n p = if n = 0 then 0 else let s = sum (n - 1) (n, n, n) in match p with (a, b, c) -> s + a + b - c\nlet input n = n\nlet run n = sum n (1, 2, 3)\n",
    ),
    // More words to a block than a list's cells have.
    (
        "collect_wide",
        (10_000, 120_000),
        &["make: 1 allocate"],
        "type chain = End | Link of chain * int * int * int * int * int * int\nlet rec make n l = if n = 0 then l else make (n - 1) (Link (l, n, n, n, n, n, n))\nlet input n = n\nlet run n = make n End\n",
    ),
    // Branches that nothing foretells, with nothing alive.
    (
        "collect_wavering",
        (20_000, 300_000),
        &["loop: 1 allocate"],
        "let rec loop n s p = if n = 0 then p else let s = (s * 1103515245 + 12345) mod 1073741824 in if s < 536870912 then loop (n - 1) s (n, s, n) else loop (n - 1) s (s, n, s)\nlet input n = n\nlet run n = loop n 1 (1, 2, 3)\n",
    ),
    // The same in walks of a list that was there before.
    (
        "collect_parted",
        (5_000, 60_000),
        &["part: 2 allocate"],
        "let rec make n s l = if n = 0 then l else let s = (s * 1103515245 + 12345) mod 1073741824 in make (n - 1) s (s :: l)\nlet rec part l p a b = match l with [] -> (a, b) | x :: r -> if x < p then part r p (x :: a) b else part r p a (x :: b)\nlet rec again k l p = if k = 0 then p else let (a, b) = part l p [] [] in match a with [] -> p | x :: _ -> again (k - 1) l (p - x / 64)\nlet input n = make n 1 []\nlet run l = again 6 l 536870912\n",
    ),
    // Two lists from before, made into pairs.
    (
        "collect_zipped",
        (5_000, 60_000),
        &["zip: 1 allocate"],
        "let rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet rec zip a b l = match a with [] -> l | x :: r -> (match b with [] -> l | y :: s -> zip r s ((x, y) :: l))\nlet rec again k p = if k = 0 then 0 else let (a, b) = p in match zip a b [] with [] -> k | _ -> again (k - 1) p\nlet input n = (make n [], make n [])\nlet run p = again 3 p\n",
    ),
    // 2 MiB are filled between 87,381 and 87,382: the heap's size shows to a thousandth.
    (
        "collect_edge",
        (87_000, 87_900),
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else loop (n - 1) (n, n)\nlet input n = n\nlet run n = loop n (1, 2)\n",
    ),
];

pub(super) fn programs() -> Vec<Program> {
    TEXTS
        .iter()
        .map(|(name, (first, last), asm, source)| {
            let mut program = program(name, "collections", (*source).to_owned(), asm);
            program.sizes = spaced(*first, *last, 10);
            program
        })
        .collect()
}
