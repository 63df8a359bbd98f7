//! Programs that failed for others, each with what is right: measured natively (OCaml 4.13.1, `-inline 0`, words by `Gc.minor_words`) or said
//! by `ocamlc`. Those about values, types and verdicts stand in `corpus/wider.ml`.

use pricetag_miniml::{Mode, Options, run, signature};

/// Bytes of the last item in native code's terms.
fn bytes(source: &str) -> u64 {
    let options = Options {
        mode: Mode::Extended,
        ..Options::default()
    };
    let run = run(source, &options).expect("it is in the language");
    assert_eq!(run.stop, None);
    run.rows.last().expect("there is an item").bytes
}

/// `fun () -> from (n + 1)` captures `from`, in whose definition it stands: five words beside the block's three.
#[test]
fn an_inner_function_captures_the_one_it_is_defined_in() {
    let source = "type stream = Cons of int * (unit -> stream)\n\
                  let rec from n = Cons (n, fun () -> from (n + 1))\n\
                  let s = from 3";
    assert_eq!(bytes(source), 8 * 8);
}

/// Partial applications of known functions: 9,000 words for a thousand of them in a list, with one argument and with two.
#[test]
fn partial_applications_have_the_bytes_of_native_ones() {
    let source = "let add3 a b c = a + b + c\n\
                  let rec make n acc = if n = 0 then acc else make (n - 1) (add3 n :: acc)\n";
    assert_eq!(bytes(&format!("{source}let a = make 1000 []")), 72_000);
    let source = source.replace("add3 n ::", "add3 n n ::");
    assert_eq!(bytes(&format!("{source}let a = make 1000 []")), 72_000);
}

/// Only the patterns of `function` and `fun` take a tuple apart before it is made; `fst` and `snd` load a field and call nothing.
#[test]
fn a_match_takes_a_tuple_that_was_made() {
    let all = |f: &str, argument: &str| {
        let source = format!(
            "let f {f}\nlet rec loop n p a = if n = 0 then a else loop (n - 1) p (a + f {argument})\nlet r = loop 1000 (1, 2) 0"
        );
        (bytes(&source), last(&source, Mode::Extended))
    };
    for (f, argument, native) in [
        ("t = match t with (a, _) -> a", "(n, n)", 24_000),
        ("t = fst t", "(n, n)", 24_000),
        ("= function (a, _) -> a", "(n, n)", 0),
        ("(a, _) = a", "(n, n)", 0),
        ("t = match t with (a, _) -> a", "p", 0),
    ] {
        assert_eq!(all(f, argument).0, native, "{f} of {argument}");
    }
    let counts = all("t = match t with (a, _) -> a", "p").1;
    assert_eq!(
        (counts.get("call-unknown"), counts["call-known"]),
        (None, 1001)
    );
    let counts = all("t = snd t", "p").1;
    assert_eq!((counts["load"], counts["call-known"]), (1000, 1001));
}

/// Counts of the last item.
fn last(source: &str, mode: Mode) -> std::collections::BTreeMap<String, u64> {
    let options = Options {
        mode,
        ..Options::default()
    };
    let run = run(source, &options).expect("it is in the language");
    assert_eq!(run.stop, None);
    run.rows.last().expect("there is an item").counts.clone()
}

/// A comparison looks at what is inside until it meets a difference. 595 ns were predicted for lists whose comparison took 3.5 ms.
#[test]
fn a_comparison_counts_what_it_looks_at() {
    let list = "let rec up n l = if n = 0 then l else up (n - 1) (n :: l)\nlet l = up 1000 []\nlet m = up 1000 []\n";
    let text = "let x = String.make 10000 'a'\nlet y = String.make 10000 'a'\nlet z = String.make 9000 'a'\n";
    for (given, compared, values, texts) in [
        (
            "let x = ((1, 2), (3, 4))\nlet y = ((1, 2), (3, 4))\n",
            "x = y",
            6,
            0,
        ),
        (list, "l = m", 2000, 0),
        (list, "compare l l", 0, 0),
        ("", "[1; 2; 3] < [1; 5; 3]", 3, 0),
        ("", "compare [1] []", 0, 0),
        (list, "List.mem m [[]; l]", 2000, 0),
        (text, "x = y", 0, 1249),
        (text, "x = z", 0, 0),
        (text, "x < z", 0, 1124),
        (text, "(1, x) <> (1, y)", 2, 1249),
    ] {
        let source = format!("{given}let r = {compared}");
        for (mode, names) in [
            (Mode::Extended, ["compared-word", "compared-text"]),
            (Mode::Paper, ["PolyWord", "StringWord"]),
        ] {
            let counts = last(&source, mode);
            let found = names.map(|name| counts.get(name).copied().unwrap_or(0));
            assert_eq!(found, [values, texts], "{compared}");
        }
    }
}

/// What the runtime allocates by the size of what it is given: bytes by `Gc.minor_words`.
#[test]
fn texts_and_arrays_have_the_bytes_of_native_ones() {
    for (source, native) in [
        ("string_of_int 12345", 16),
        ("String.sub \"abcdefghijklmnopqrst\" 3 10", 24),
        ("\"abcdefghijklmnopqrst\" ^ \"abc\"", 32),
        ("String.make 100 'a'", 112),
        ("string_of_float 1.5", 56),
        ("Array.make 10 1", 88),
    ] {
        let source = format!("let f () = {source}\nlet a = f ()");
        assert_eq!(bytes(&source), native, "{source}");
        let counts = last(&source, Mode::Extended);
        assert_eq!(counts["allocated-word"] * 8, native, "{source}");
    }
}

/// Bytes of a call on the stack, as `ocamlopt` makes them: what it takes from `%rsp`, and the address to return to.
#[test]
fn the_stack_is_as_deep_as_natively() {
    let stack = |source: &str| {
        let options = Options {
            mode: Mode::Extended,
            ..Options::default()
        };
        let run = run(source, &options).expect("it is in the language");
        assert_eq!(run.stop, None);
        run.rows.last().expect("there is an item").stack
    };
    let list = "let rec up n l = if n = 0 then l else up (n - 1) (n :: l)\nlet l = up 200000 []\n";
    for (source, calls, bytes) in [
        (
            "let rec f n = if n = 0 then 0 else 1 + f (n - 1)\nlet r = f 2000000",
            2_000_000,
            16,
        ),
        (
            "let rec four a b c d n = if n = 0 then a + b + c + d else let x = four b c d a (n - 1) in x + a * b + c * d + n\nlet r = four 1 2 3 4 200000",
            200_000,
            48,
        ),
        (
            &format!(
                "{list}let rec map f l = match l with [] -> [] | a :: r -> let b = f a in b :: map f r\nlet r = map (fun x -> x + 1) l"
            ),
            200_000,
            32,
        ),
        (
            &format!(
                "{list}let rec fold f l a = match l with [] -> a | x :: r -> f x (fold f r a)\nlet r = fold (fun x y -> x + y) l 0"
            ),
            200_000,
            32,
        ),
    ] {
        let found = stack(source);
        // Looked at every 16,384 calls.
        let least = (calls - 16_384) * bytes;
        assert!(
            (least..=(calls + 2) * bytes).contains(&found),
            "{source}: {found}"
        );
    }
    assert_eq!(
        stack("let rec f n = if n = 0 then 0 else f (n - 1)\nlet r = f 2000000"),
        0
    );
}

/// A reference that never leaves its function is a register; one that does is a block of two words.
#[test]
fn references_that_stay_take_no_bytes() {
    let sum = "let f n = let s = ref 0 in for i = 1 to n do s := !s + i done; !s\nlet a = f 1000";
    assert_eq!(bytes(sum), 0);
    let floats =
        "let f n = let s = ref 0. in for i = 1 to n do s := !s +. 1. done; !s > 5.\nlet a = f 1000";
    assert_eq!(bytes(floats), 0);
    // Several at once, and one of them that leaves.
    let pair = "let f n = let s = ref 0. and k = ref 0 in for i = 1 to n do s := !s +. 1.; incr k done; !k + int_of_float !s\nlet a = f 1000";
    assert_eq!(bytes(pair), 0);
    let leaves = "let f n = let s = ref 0 and k = ref 0 in for i = 1 to n do incr s done; (!s, k)\nlet a = f 1000";
    assert_eq!(bytes(leaves), 16 + 24);
    assert_eq!(bytes("let f n = ref n\nlet a = f 3"), 16);
}

/// What is built of constants is shared, unless it may change.
#[test]
fn what_may_change_is_no_constant() {
    let source = "type p = { mutable x : int }\nlet f () = { x = 0 }\nlet a = f ()";
    assert_eq!(bytes(source), 16);
}

/// A field of something old that is assigned twice between two collections is moved once: a text that grows is still there.
#[test]
fn a_place_that_is_assigned_twice_is_moved_once() {
    let source = "type t = { mutable text : bytes; mutable used : int }\n\
                  let grow b = let text = Bytes.make (b.used + 1) 'x' in Bytes.blit b.text 0 text 0 b.used; b.text <- text; b.used <- b.used + 1\n\
                  let b = { text = Bytes.create 0; used = 0 }\n\
                  let () = for i = 1 to 40 do grow b done\n\
                  let s = Bytes.to_string b.text";
    let text = format!("{:?}", "x".repeat(40));
    for minor_heap in [40, 64, 80, 100, 150, 200, 300] {
        let options = Options {
            values: true,
            minor_heap,
            mode: Mode::Extended,
            ..Options::default()
        };
        let run = run(source, &options).expect("it is in the language");
        assert_eq!(run.stop, None);
        let last = run.rows.last().expect("there is an item");
        assert_eq!(last.values, [text.as_str()], "{minor_heap}");
    }
}

/// Each construct that was refused and is now, still by its name.
#[test]
fn what_is_refused_is_named() {
    for (source, name) in [
        ("class c = object end", "class"),
        ("let f (lazy x) = x", "lazy"),
        ("module rec M : sig end = struct end", "recursive modules"),
        ("type _ t = A : int t", "GADT"),
        ("let x = Printf.sprintf \"%a\" (fun () x -> x) \"a\"", "%a"),
        ("let x = Unix.time ()", "Unix"),
    ] {
        let errors = signature(source).expect_err(source);
        assert!(
            errors[0].message.contains(name),
            "{source}: {}",
            errors[0].message
        );
        assert!(errors[0].advice.is_some(), "{source}");
    }
}

/// A declared type that contains itself through other variants: each tag's argument is of the type that is declared for it. OCaml takes both.
#[test]
fn recursive_polymorphic_variants_have_the_type_that_is_declared() {
    let declared = "type e = [ `N of int | `M of string | `A of e * e | `L of string * e * e ]\n";
    for make in [
        "let rec make n : e = match n with 3 -> `A (make 1, make (n - 1)) | 4 -> `A (make 1, `A (`N 1, make 1)) | _ -> `N 3",
        "let rec make : int -> e = fun n -> if n <= 1 then `N 3 else match n with\n\
         | 4 -> `A (make 1, `L (\"y\", `N 0, `A (`N 1, make (n - 3)))) | _ -> `L (\"x\", make (n / 2), `A (`M \"y\", make (n - 2)))",
    ] {
        let value = "let rec value (x : e) = match x with `N n -> n | `M _ -> 100 | `A (a, b) | `L (_, a, b) -> value a + value b";
        let source = format!("{declared}{make}\n{value}\nlet r = (value (make 4), value (make 3))");
        let options = Options {
            values: true,
            ..Options::default()
        };
        let run = run(&source, &options).expect("it is in the language");
        let right = if make.contains("fun") {
            "(7, 106)"
        } else {
            "(7, 6)"
        };
        let last = run.rows.last().expect("there is an item");
        assert_eq!(
            (run.stop, last.values.as_slice()),
            (None, &[right.to_owned()][..])
        );
    }
    // Nothing is declared: OCaml takes it with a type `as 'a`; here it is refused, however deep.
    for source in [
        "let f x = (match x with `B -> () | _ -> ()); [`A x; x]",
        "let rec f x = match x with `A y -> f y | `B -> 0",
    ] {
        let refused = run(source, &Options::default()).unwrap_err();
        let said = format!("{refused:?}");
        assert!(
            said.contains("contain itself") && said.contains("annotate"),
            "{said}"
        );
    }
}

/// The library makes the text once: bytes grow with the texts, not with their square. A text above 256 words is not in the minor heap.
#[test]
fn texts_are_joined_in_one_piece() {
    let joined = |n: usize| {
        let list = "let rec list n = if n = 0 then [] else \"abcdef\" :: list (n - 1)\n";
        bytes(&format!(
            "{list}let l = list {n}\nlet s = String.concat \",\" l"
        ))
    };
    let [one, two, large] = [100, 200, 400].map(joined);
    assert!(two < 2 * one && two >= 1408, "{one} {two}");
    assert!(large < one, "{large}");
}
