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

/// A reference that never leaves its function is a register; one that does is a block of two words.
#[test]
fn references_that_stay_take_no_bytes() {
    let sum = "let f n = let s = ref 0 in for i = 1 to n do s := !s + i done; !s\nlet a = f 1000";
    assert_eq!(bytes(sum), 0);
    let floats =
        "let f n = let s = ref 0. in for i = 1 to n do s := !s +. 1. done; !s > 5.\nlet a = f 1000";
    assert_eq!(bytes(floats), 0);
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
