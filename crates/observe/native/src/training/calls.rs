//! Calls, closures, bindings, matching, tuples and lists, as sources.

use super::program;
use crate::program::Program;

/// Name, construct, what must be in the machine code, source.
type Text = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

const TEXTS: &[Text] = &[
    (
        "nothing",
        "base",
        &[],
        "let input n = n\nlet run n = if n = 0 then 1 else 2\n",
    ),
    (
        "loop_only",
        "TailApp",
        &["loop: 1 jump"],
        "let rec loop n = if n = 0 then 0 else loop (n - 1)\nlet input n = n\nlet run n = loop n\n",
    ),
    (
        "loop_five",
        "TailApp",
        &["loop: 1 jump"],
        "let rec loop n a b c d = if n = 0 then a else loop (n - 1) b c d a\nlet input n = n\nlet run n = loop n 1 2 3 4\n",
    ),
    (
        "tail_other",
        "TailApp",
        &["ping: 1 jump", "pong: 1 jump"],
        "let rec ping n a = if n = 0 then a else pong (n - 1) a\nand pong n a = if n = 0 then a + 1 else ping (n - 1) a\nlet input n = n\nlet run n = ping n 1\n",
    ),
    (
        "call_one",
        "FunApp",
        &["loop: 4 call"],
        "let f x = x + 1\nlet rec loop n a = if n = 0 then a else loop (n - 1) (f (f (f (f a))))\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "call_two",
        "FunApp",
        &["loop: 4 call"],
        "let f x y = x + y + 1\nlet rec loop n a = if n = 0 then a else loop (n - 1) (f (f (f (f a 1) 2) 3) 4)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "call_four",
        "FunApp",
        &["loop: 2 call"],
        "let f x y z w = if x = y then z else w\nlet rec loop n a = if n = 0 then a else loop (n - 1) (f a n (f n a 1 2) 3)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "call_recursive",
        "FunApp",
        &["depth: 1 call"],
        "let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)\nlet input n = n\nlet run n = depth n\n",
    ),
    (
        "call_tree",
        "FunApp",
        &["nodes: 2 call"],
        "let rec nodes d = if d < 1 then 1 else nodes (d - 1) + nodes (d - 1)\nlet rec loop n a = if n < 1 then a else loop (n - 32) (a + nodes 4)\nlet input n = n\nlet run n = loop n 0\n",
    ),
    (
        "call_unknown",
        "FunApp",
        &["iterate: 2 indirect"],
        "let rec iterate f n a = if n = 0 then a else iterate f (n - 1) (f (f a))\nlet next x = x + 1\nlet input n = n\nlet run n = iterate next n 1\n",
    ),
    (
        "call_unknown_two",
        "FunApp",
        &["iterate: 2 =caml_apply2"],
        "let rec iterate f n a = if n = 0 then a else iterate f (n - 1) (f (f a n) n)\nlet next x y = x + y\nlet input n = n\nlet run n = iterate next n 1\n",
    ),
    (
        "closure_one",
        "closure",
        &["loop: 1 allocate", "loop: 1 call"],
        "let app f x = f (f x)\nlet rec loop n a = if n = 0 then a else loop (n - 1) (app (fun x -> x + n) a)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "closure_two",
        "closure",
        &["loop: 1 allocate", "loop: 1 call"],
        "let app f x = f (f x)\nlet rec loop n a b = if n = 0 then a else loop (n - 1) (app (fun x -> x + n + b) a) b\nlet input n = n\nlet run n = loop n 1 2\n",
    ),
    (
        "closure_four",
        "closure",
        &["loop: 1 allocate", "loop: 1 call"],
        "let app f x = f (f x)\nlet rec loop n a b c d = if n = 0 then a else loop (n - 1) (app (fun x -> x + n + b + c + d) a) b c d\nlet input n = n\nlet run n = loop n 1 2 3 4\n",
    ),
    (
        "closure_unused",
        "FunDef",
        &["loop: 1 allocate"],
        "let pick f g n = if n = 0 then f else g\nlet rec loop n f b = if n = 0 then f else loop (n - 1) (pick (fun x -> x + n) (fun x -> x + b) n) b\nlet input n = n\nlet run n = (loop n (fun x -> x) 3) 4\n",
    ),
    (
        "closure_none",
        "FunDef",
        &["loop: 1 call"],
        "let app f x = f (f x)\nlet rec loop n a = if n = 0 then a else loop (n - 1) (app (fun x -> x + 1) a)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "let_data",
        "letdata",
        &["loop: 4 add"],
        "let rec loop n a = if n = 0 then a else let b = a + n in let c = b + n in let d = c + n in loop (n - 1) d\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "let_data_calls",
        "letdata",
        &["loop: 3 call"],
        "let f x = x + 1\nlet rec loop n a = if n = 0 then a else let b = f a in let c = f b in let d = f c in loop (n - 1) (b + c + d)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "let_lambda",
        "letlambda",
        &["loop: 1 allocate", "loop: 1 call"],
        "let app f x = f (f x)\nlet rec loop n a = if n = 0 then a else let f = fun x -> x + n in loop (n - 1) (app f a)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "let_lambda_two",
        "letlambda",
        &["loop: 1 allocate", "loop: 1 call"],
        "let both f g x = f (g x)\nlet rec loop n a b = if n = 0 then a else let f x = x + n in let g x = x + b in loop (n - 1) (both f g a) b\nlet input n = n\nlet run n = loop n 1 2\n",
    ),
    (
        "let_rec",
        "letrec",
        &["loop: 1 call", "loop: 1 allocate"],
        "let app f x = f x\nlet rec loop n a = if n = 0 then a else let rec f x = if x < n then x else f (x - n) in loop (n - 1) (app f a)\nlet input n = n\nlet run n = loop n 0\n",
    ),
    (
        "let_rec_used",
        "letrec",
        &["loop: 1 call"],
        "let rec loop n a = if n = 0 then a else let rec f x = if x < 4 then x else f (x - 1) in loop (n - 1) (f (a + 8))\nlet input n = n\nlet run n = loop n 0\n",
    ),
    (
        "match_list",
        "patternMatch",
        &["walk: 1 jump"],
        "let rec walk l a = match l with [] -> a | _ :: r -> walk r (a + 1)\nlet rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet input n = make n []\nlet run l = walk l 0\n",
    ),
    (
        "match_list_twice",
        "patternMatch",
        &["walk: 1 jump"],
        "let rec walk l a = match l with [] -> a | x :: r -> (match r with [] -> a + x | y :: s -> walk s (a + x - y))\nlet rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet input n = make n []\nlet run l = walk l 0\n",
    ),
    (
        "match_list_nested",
        "patternMatch",
        &["walk: 1 jump"],
        "let rec walk l a = match l with [] -> a | [x] -> a + x | x :: y :: r -> walk r (a + x - y)\nlet rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet input n = make n []\nlet run l = walk l 0\n",
    ),
    (
        "match_int",
        "patternMatch",
        &["loop: 2 compare"],
        "let pick a = match a with 0 -> 5 | 1 -> 3 | 2 -> 0 | 3 -> 1 | 4 -> 2 | 5 -> 4 | _ -> 7\nlet rec loop n a = if n = 0 then a else loop (n - 1) (match a with 1 -> 2 | 2 -> 3 | 3 -> 1 | _ -> pick a)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "match_int_table",
        "patternMatch",
        &["pick: 1 compare"],
        "let pick a = match a with 0 -> 5 | 1 -> 3 | 2 -> 0 | 3 -> 1 | 4 -> 2 | 5 -> 4 | _ -> 7\nlet rec loop n a = if n = 0 then a else loop (n - 1) (pick (pick a))\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "match_option",
        "patternMatch",
        &["half: 1 allocate"],
        "let half n = if n < 0 then None else Some (n - 1)\nlet rec loop n a = match half n with None -> a | Some m -> loop m (a + 1)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "tuple_two",
        "tupleHead",
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else loop (n - 1) (n, n)\nlet input n = n\nlet run n = loop n (1, 2)\n",
    ),
    (
        "tuple_three",
        "tupleElem",
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else loop (n - 1) (n, n, n)\nlet input n = n\nlet run n = loop n (1, 2, 3)\n",
    ),
    (
        "tuple_six",
        "tupleElem",
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else loop (n - 1) (n, n, n, n, n, n)\nlet input n = n\nlet run n = loop n (1, 2, 3, 4, 5, 6)\n",
    ),
    (
        "tuple_match_two",
        "tupleMatch",
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else let (a, b) = p in loop (n - 1) (b, a)\nlet input n = n\nlet run n = loop n (1, 2)\n",
    ),
    (
        "tuple_match_four",
        "tupleMatch",
        &["loop: 1 allocate"],
        "let rec loop n p = if n = 0 then p else let (a, b, c, d) = p in loop (n - 1) (b, c, d, a)\nlet input n = n\nlet run n = loop n (1, 2, 3, 4)\n",
    ),
    (
        "tuple_match_only",
        "tupleMatch",
        &["loop: 1 jump", "loop: !allocate"],
        "let rec loop n p a = if n = 0 then a else let (x, y, z, w) = p in loop (n - 1) p (a + x + y + z + w)\nlet input n = n\nlet run n = loop n (1, 2, 3, 4) 0\n",
    ),
    (
        "cons_tail",
        "cons",
        &["make: 1 allocate", "make: 1 jump"],
        "let rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet input n = n\nlet run n = make n []\n",
    ),
    (
        "cons_four",
        "cons",
        &["make: 1 allocate", "make: 1 jump"],
        "let rec make n l = if n < 1 then l else make (n - 4) (n :: n :: n :: n :: l)\nlet input n = n\nlet run n = make n []\n",
    ),
    (
        "cons_recursive",
        "cons",
        &["make: 1 allocate", "make: 1 call"],
        "let rec make n = if n = 0 then [] else n :: make (n - 1)\nlet input n = n\nlet run n = make n\n",
    ),
    (
        "compare_any",
        "PolyCond",
        &["least: 1 =caml_"],
        "let rec least l a = match l with [] -> a | x :: r -> least r (if x < a then x else a)\nlet rec make n l = if n = 0 then l else make (n - 1) (n :: l)\nlet input n = make n []\nlet run l = least l 7\n",
    ),
    (
        "compare_strings",
        "StringCond",
        &["same: 1 =caml_string"],
        "let rec same l (s : string) a = match l with [] -> a | x :: r -> same r s (if x = s then a + 1 else a)\nlet rec make n l = if n = 0 then l else make (n - 1) (\"pricetag\" :: l)\nlet input n = make n []\nlet run l = same l \"pricetags\" 0\n",
    ),
    (
        "raise_caught",
        "raise",
        &["loop: 1 call"],
        "exception Stop of int\nlet rec dive n = if n < 1 then raise (Stop n) else dive (n - 1)\nlet rec loop n a = if n = 0 then a else loop (n - 1) (try dive 2 with Stop k -> a + k)\nlet input n = n\nlet run n = loop n 1\n",
    ),
    (
        "try_only",
        "try",
        &["loop: 1 call"],
        "exception Stop of int\nlet step n = if n < 0 then raise (Stop n) else n + 1\nlet rec loop n a = if n = 0 then a else loop (n - 1) (try step a with Stop k -> k)\nlet input n = n\nlet run n = loop n 1\n",
    ),
];

pub(super) fn programs() -> Vec<Program> {
    TEXTS
        .iter()
        .map(|(name, construct, asm, source)| program(name, construct, (*source).to_owned(), asm))
        .collect()
}
