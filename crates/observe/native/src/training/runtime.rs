//! What the runtime does: comparisons of what is inside of values, texts, arrays, hashes, formats; and assignments.
//!
//! Each stands in programs with little and with much to compare or copy, so that a call and what it goes through have prices of their own.
//! Limit: what is printed is an empty text, so that nothing is written while it is measured.

use super::program;
use crate::program::{Program, spaced};

/// Name, construct, what must be in the machine code, an expression of `n`, `x` and `y`, and what both of these are.
type Text = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// A list of so many elements.
const MAKE: &str = "let rec up n l = if n = 0 then l else up (n - 1) (n :: l)\n";

const TEXTS: &[Text] = &[
    (
        "compare_pair",
        "PolyWord",
        "loop: 1 =caml_equal",
        "if x = ((1, 2), (3, 4)) then 1 else 2",
        "((1, 2), (3, n - n + 4))",
    ),
    (
        "compare_list_4",
        "PolyWord",
        "loop: 1 =caml_equal",
        "if x = y then 1 else 2",
        "up 4 []",
    ),
    (
        "compare_list_20",
        "PolyWord",
        "loop: 1 =caml_compare",
        "compare x y",
        "up 20 []",
    ),
    (
        "compare_list_100",
        "PolyWord",
        "loop: 1 =caml_lessthan",
        "if x < y then 1 else 2",
        "up 100 []",
    ),
    (
        "compare_text_60",
        "StringWord",
        "loop: 1 =caml_string_equal",
        "if x = y then 1 else 2",
        "String.make 60 'a'",
    ),
    (
        "compare_text_800",
        "StringWord",
        "loop: 1 =caml_string_equal",
        "if x = y then 1 else 2",
        "String.make 800 'a'",
    ),
    (
        "compare_text_300",
        "StringWord",
        "loop: 1 =caml_string_compare",
        "compare x y",
        "String.make 300 'a'",
    ),
    (
        "text_part",
        "primitive",
        "loop: 1 call",
        "String.length (String.sub x 3 5)",
        "String.make 60 'a'",
    ),
    (
        "text_part_400",
        "primitive",
        "loop: 1 call",
        "String.length (String.sub x 3 400)",
        "String.make 800 'a'",
    ),
    (
        "text_joined",
        "primitive",
        "loop: 1 call",
        "String.length (x ^ x)",
        "String.make 20 'a'",
    ),
    (
        "text_joined_200",
        "primitive",
        "loop: 1 call",
        "String.length (x ^ x)",
        "String.make 200 'a'",
    ),
    (
        "text_made",
        "primitive",
        "loop: 1 call",
        "String.length (String.make 12 'b')",
        "n",
    ),
    (
        "text_made_900",
        "primitive",
        "loop: 1 call",
        "String.length (String.make 900 'b')",
        "n",
    ),
    (
        "text_to_int",
        "primitive",
        "loop: 1 =caml_int_of_string",
        "int_of_string x",
        "string_of_int 12345",
    ),
    (
        "print_nothing",
        "primitive",
        "loop: 1 call",
        "(print_string x; 1)",
        "\"\"",
    ),
    (
        "float_exp",
        "primitive",
        "loop: 1 =exp",
        "int_of_float (exp x)",
        "1.5",
    ),
    (
        "float_power",
        "primitive",
        "loop: 1 =pow",
        "int_of_float (x ** 1.7)",
        "1.5",
    ),
    (
        "float_sine",
        "primitive",
        "loop: 1 =sin",
        "int_of_float (sin x)",
        "1.5",
    ),
    (
        "float_to_text",
        "primitive",
        "loop: 1 call",
        "String.length (string_of_float x)",
        "1.5",
    ),
    (
        "int_to_text",
        "primitive",
        "loop: 1 call",
        "String.length (string_of_int n)",
        "n",
    ),
    (
        "formatted",
        "primitive",
        "loop: 1 call",
        "String.length (Printf.sprintf \"%d\" n)",
        "n",
    ),
    ("hashed", "primitive", "loop: 1 call", "Hashtbl.hash n", "n"),
    (
        "array_made",
        "primitive",
        "loop: 1 =caml_make_vect",
        "Array.length (Array.make 10 n)",
        "n",
    ),
    (
        "array_made_200",
        "primitive",
        "loop: 1 =caml_make_vect",
        "Array.length (Array.make 200 n)",
        "n",
    ),
    (
        "array_part",
        "primitive",
        "loop: 1 call",
        "Array.length (Array.sub x 3 10)",
        "Array.make 100 n",
    ),
    (
        "array_part_90",
        "primitive",
        "loop: 1 call",
        "Array.length (Array.sub x 3 90)",
        "Array.make 100 n",
    ),
    (
        "array_copied",
        "primitive",
        "loop: 1 call",
        "(Array.blit x 0 y 3 90; 1)",
        "Array.make 100 n",
    ),
    (
        "array_filled",
        "primitive",
        "loop: 1 call",
        "(Array.fill x 3 20 n; 1)",
        "Array.make 100 n",
    ),
    (
        "array_set",
        "Assign",
        "loop: 1 jump",
        "(x.(0) <- n; x.(1) <- n; x.(2) <- n; x.(3) <- n; 1)",
        "Array.make 10 n",
    ),
    (
        "array_set_read",
        "Assign",
        "loop: 1 jump",
        "(x.(0) <- x.(1); x.(1) <- x.(2) + n; 1)",
        "Array.make 10 n",
    ),
    (
        "array_set_float",
        "Assign",
        "loop: 1 jump",
        "(x.(0) <- x.(1); x.(1) <- x.(2); x.(2) <- x.(3); 1)",
        "Array.make 10 1.5",
    ),
    (
        "reference_set",
        "Assign",
        "loop: 1 jump",
        "(x := n; !x)",
        "ref n",
    ),
    (
        "reference_counts",
        "Assign",
        "loop: 1 jump",
        "(incr x; 1)",
        "ref n",
    ),
    (
        "reference_to_list",
        "Assign",
        "loop: 1 =caml_modify",
        "(x := !y; 1)",
        "ref [n]",
    ),
    (
        "array_of_lists_set",
        "Assign",
        "loop: 2 =caml_modify",
        "(x.(0) <- x.(1); x.(1) <- x.(2); 1)",
        "Array.make 10 [n]",
    ),
];

/// Those that allocate so much that collections would run at the usual sizes.
const LARGE: [&str; 6] = [
    "text_part_400",
    "text_joined_200",
    "text_made_900",
    "formatted",
    "array_made_200",
    "array_part_90",
];

pub(super) fn programs() -> Vec<Program> {
    TEXTS
        .iter()
        .map(|(name, construct, asm, expression, made)| {
            // Types are known, as in most programs: an array of anything is asked what it holds.
            let ty = match *made {
                m if m.starts_with("ref [") => "int list ref",
                m if m.starts_with("ref") => "int ref",
                m if m.ends_with("[n]") => "int list array",
                m if m.ends_with(" 1.5") => "float array",
                m if m.starts_with("Array") => "int array",
                m if m.starts_with("up") => "int list",
                m if m.starts_with("((") => "(int * int) * (int * int)",
                "n" => "int",
                "1.5" => "float",
                _ => "string",
            };
            let source = format!(
                "{MAKE}let rec loop n (x : {ty}) (y : {ty}) a = if n = 0 then a else loop (n - 1) x y (a + {expression})\n\
                 let input n = (n, ({made}), ({made}))\nlet run (n, x, y) = loop n x y 0\n"
            );
            let mut program = program(name, construct, source, &[asm]);
            if LARGE.contains(name) {
                program.sizes = spaced(50, 1000, 20);
            }
            program
        })
        .collect()
}
