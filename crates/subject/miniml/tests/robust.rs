//! No input makes the front end or the machine panic: arbitrary text, soups of tokens, and programs with parts exchanged.

use pricetag_miniml::{Limits, count, signature};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const TOKENS: [&str; 72] = [
    "let",
    "rec",
    "and",
    "in",
    "fun",
    "function",
    "match",
    "with",
    "if",
    "then",
    "else",
    "begin",
    "end",
    "type",
    "of",
    "module",
    "struct",
    "exception",
    "raise",
    "try",
    "when",
    "as",
    "true",
    "false",
    "open",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "->",
    "::",
    ";",
    ";;",
    ",",
    ":",
    "=",
    "<",
    ">",
    "<>",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "+.",
    "*.",
    "^",
    "@",
    "|>",
    "@@",
    "&&",
    "||",
    "_",
    "'a",
    "x",
    "y",
    "f",
    "List.map",
    "Some",
    "None",
    "A",
    "1",
    "0x1F",
    "2.5",
    "'c'",
    "\"s\"",
    "not",
    ".",
];

const PROGRAM: &str = "type t = A | B of int * t
let rec f x = match x with A -> 0 | B (n, r) when n > 1 || n < 0 -> n + f r | B (_, (A | B _)) -> 1
let rec sum = function [] -> 0 | x :: rest -> x + sum rest
let compose g h x = g (h x)
let r = try sum (List.map (fun x -> x / (x - 2)) [1; 2; 3]) with Division_by_zero -> compose f (fun x -> x) (B (3, A))
module M = struct type p = { a : int; b : float } let v = { a = 1; b = 2.5 } let g { a; b } = float_of_int a *. b end
let s = M.g M.v, \"x\" ^ string_of_int r, (1, 'c', [| |])
";

fn limits() -> Limits {
    Limits {
        fuel: 20_000,
        ..Limits::default()
    }
}

fn run(source: &str) {
    let _ = signature(source);
    let _ = count(source, limits());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text(source in "\\PC{0,200}") {
        run(&source);
    }

    #[test]
    fn soups_of_tokens(tokens in proptest::collection::vec(0..TOKENS.len(), 0..80)) {
        let words: Vec<&str> = tokens.into_iter().map(|t| TOKENS[t]).collect();
        run(&words.join(" "));
    }

    #[test]
    fn programs_with_parts_exchanged(cuts in proptest::collection::vec((0usize..700, 0usize..700, 0usize..40), 1..4)) {
        let mut text: Vec<char> = PROGRAM.chars().collect();
        for (from, to, length) in cuts {
            let (from, to) = (from % text.len(), to % text.len());
            let part: Vec<char> = text[from..text.len().min(from + length)].to_vec();
            let end = text.len().min(to + length);
            text.splice(to..end, part);
        }
        run(&text.into_iter().collect::<String>());
    }

    #[test]
    fn deep_nesting(depth in 1usize..12_000, open in 0usize..4) {
        let (left, right) = [("(", ")"), ("[", "]"), ("fun x -> ", ""), ("1 :: ", "")][open];
        run(&format!("let v = {}1{}", left.repeat(depth), right.repeat(depth)));
    }
}

/// Whoever generates programs nests them deeply. Each level takes a few kilobytes of stack, in each of the passes.
#[test]
fn ten_thousand_levels_are_few() {
    let nested = [
        ("(", "1", ")"),
        ("fun x -> ", "1", ""),
        ("let x = 1 in ", "x", ""),
        ("if true then ", "1", " else 2"),
        ("match 1 with 2 -> 3 | _ -> ", "1", ""),
        ("begin let f x = x in f (", "1", ") end"),
        ("1 + (", "1", ")"),
        ("(1, ", "1", ")"),
        ("1 :: ", "[]", ""),
    ];
    for (left, middle, right) in nested {
        // Some rules nest more than once for each of these.
        for (depth, most) in [(2_000, true), (20_000, false)] {
            let text = format!(
                "let v = {}{middle}{}",
                left.repeat(depth),
                right.repeat(depth)
            );
            match count(&text, Limits::default()) {
                Ok(_) => {}
                Err(errors) => {
                    let message = &errors[0].message;
                    assert!(!most, "{left}: {message}");
                    let told = ["levels deep", "nested too deeply"];
                    assert!(
                        told.iter().any(|t| message.contains(t)),
                        "{left}: {message}"
                    );
                }
            }
        }
    }
}
