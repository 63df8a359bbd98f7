//! What may go on at once in recursive definitions, against counts derived by hand.

use std::collections::BTreeMap;

use pricetag_miniml::{Mode, Options, run};

type Counts = BTreeMap<String, u64>;

/// Alternatives of each part of the last item: what is outside of recursive definitions, then those first that run most often.
fn all_parts(source: &str) -> Vec<Vec<Counts>> {
    let options = Options {
        mode: Mode::Extended,
        ..Options::default()
    };
    let run = run(source, &options).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(run.stop, None);
    let last = run.rows.last().expect("there is an item");
    let parts = last.regions.iter().map(|r| r.alternatives.clone());
    parts.collect()
}

/// Those of recursive definitions.
fn parts(source: &str) -> Vec<Vec<Counts>> {
    all_parts(source).split_off(1)
}

fn counts(pairs: &[(&str, u64)]) -> Counts {
    let pairs = pairs.iter();
    pairs.map(|(c, n)| ((*c).to_owned(), *n)).collect()
}

/// A list of so many elements, the definition, and a call of it on the list.
fn on_list(definition: &str, n: u64, call: &str) -> Vec<Vec<Counts>> {
    parts(&format!(
        "let rec up n l = if n = 0 then l else up (n - 1) (n :: l)\nlet l = up {n} []\n{definition}\n;;\n{call}"
    ))
}

#[test]
fn a_walk_waits_for_its_tails() {
    let definition = "let rec sum l a = match l with [] -> a | x :: r -> sum r (a + x)";
    let found = on_list(definition, 1000, "sum l 0");
    let [only] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(only.contains(&counts(&[("load-chain", 1000)])), "{only:?}");
    assert!(
        only.contains(&counts(&[("int-add-chain", 1000)])),
        "{only:?}"
    );
    assert!(only.contains(&counts(&[("iterate", 1000)])), "{only:?}");
    assert_eq!(only[0]["load"], 2000);
}

#[test]
fn what_comes_back_takes_its_time_on_the_way_back_too() {
    let definition = "let rec copy l = match l with [] -> [] | x :: r -> x :: copy r";
    let found = on_list(definition, 1000, "copy l");
    let [down, back] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(down.contains(&counts(&[("load-chain", 1000)])), "{down:?}");
    assert_eq!(back[0], counts(&[("cons", 1000), ("return-own", 1000)]));
    assert!(back.contains(&counts(&[("store", 3000)])), "{back:?}");
}

#[test]
fn another_function_works_for_its_caller() {
    let definition = "let rec fold f a l = match l with [] -> a | x :: r -> fold f (f a x) r";
    let found = on_list(definition, 1000, "fold (fun a x -> a - x) 0 l");
    let [only] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(only[0]["int-add"], 1000);
    assert_eq!(only[0]["call-apply"], 1000);
}

#[test]
fn short_loops_overlap_with_the_next() {
    let definition = "let rec sum l a = match l with [] -> a | x :: r -> sum r (a + x)\n\
        let rec again n l = if n = 0 then 0 else sum l 0 + again (n - 1) l";
    let chain = |n: u64| {
        let found = on_list(definition, n, "again 100 l");
        let chains = found.iter().flatten().filter_map(|a| a.get("load-chain"));
        chains.copied().max().unwrap_or(0)
    };
    assert_eq!(chain(1000), 100_000);
    assert!((100..400).contains(&chain(12)), "{}", chain(12));
}

#[test]
fn calls_of_two_at_once_form_no_chain() {
    let definition = "type t = L | N of t * t\n\
        let rec full d = if d = 0 then L else N (full (d - 1), full (d - 1))\nlet t = full 8\n\
        let rec size t = match t with L -> 1 | N (a, b) -> size a + size b";
    let found = on_list(definition, 1, "size t");
    let chained = found.iter().flatten().any(|a| a.contains_key("load-chain"));
    assert!(!chained, "{found:?}");
}

#[test]
fn parameters_have_chains_of_their_own_whatever_their_number() {
    // The first is multiplied from call to call, another is added to.
    let chains = |other: usize| {
        let names: Vec<String> = (0..=other).map(|i| format!("p{i}")).collect();
        let next: Vec<String> = (0..=other)
            .map(|i| match i {
                0 => "(p0 * k)".to_owned(),
                _ if i == other => format!("(p{i} + k)"),
                _ => format!("p{i}"),
            })
            .collect();
        let ones = " 1".repeat(other + 1);
        let found = parts(&format!(
            "let rec f {} k n = if n = 0 then p0 + p{other} else f {} k (n - 1)\nlet x = f{ones} 3 1000",
            names.join(" "),
            next.join(" ")
        ));
        found.concat()
    };
    for other in [1, 255, 256, 300] {
        let found = chains(other);
        for chain in ["int-mul-chain", "int-add-chain"] {
            let alone = counts(&[(chain, 1000)]);
            assert!(found.contains(&alone), "{other}: {found:?}");
        }
    }
}

#[test]
fn a_float_that_is_handed_on_is_boxed_on_its_chain() {
    let source =
        "let rec power n a = if n = 0 then a else power (n - 1) (a *. 1.5)\nlet x = power 1000 1.";
    let chain = counts(&[("box-chain", 1000), ("float-mul-chain", 1000)]);
    let found = parts(source).concat();
    assert!(found.contains(&chain), "{found:?}");
}

#[test]
fn a_second_operand_is_untagged_before_it_is_multiplied() {
    let chain = |product: &str| {
        let source = format!(
            "let rec all n a = if n = 0 then a else all (n - 1) ({product})\nlet x = all 1000 1"
        );
        parts(&source).concat()
    };
    let second = counts(&[("int-mul-chain", 1000), ("untag-chain", 1000)]);
    let found = chain("n * a");
    assert!(found.contains(&second), "{found:?}");
    let found = chain("a * n");
    let first = counts(&[("int-mul-chain", 1000)]);
    assert!(found.contains(&first), "{found:?}");
}

#[test]
fn conversions_put_floats_in_a_line() {
    let line = |next: &str| {
        let source = format!(
            "let rec all n a = if n = 0 then a else all (n - 1) ({next})\nlet x = all 1000 1."
        );
        parts(&source)
            .concat()
            .contains(&counts(&[("float-line", 3000)]))
    };
    assert!(line("a +. 2. *. float_of_int n"));
    assert!(!line("a +. 2. *. 3. *. 4."));
}

#[test]
fn chains_of_a_short_loop_on_a_converted_number_wait_for_the_loop_before() {
    let inner = "let rec inner k x = if k = 0 then x else inner (k - 1) (1. /. (1. +. x))";
    let of = |argument: &str| {
        let all = format!(
            "{inner}\nlet rec all n a b = if n = 0 then a else all (n - 1) (a +. inner 12 {argument}) b\nlet x = all 100 0. 2."
        );
        parts(&all).concat()
    };
    // 12 calls in a row are 170 instructions: 12 self calls of 3, 13 branches of 2, 12 subtractions, 24 floats of 2, 12 boxes of 4.
    let share = (1200.0_f64 * 170.0 / 384.0).round() as u64;
    let line = counts(&[
        ("box-line", 1200),
        ("float-div-line", 1200),
        ("float-line", 1200),
    ]);
    let part = counts(&[
        ("box-chain", share),
        ("float-add-chain", share),
        ("float-div-chain", share),
    ]);
    assert!(of("(float_of_int n)").contains(&line));
    assert!(of("(float_of_int n)").contains(&part));
    assert!(of("b").contains(&part));
    assert!(!of("b").contains(&line));
}

#[test]
fn units_that_do_one_operation_at_a_time_are_busy_beside_the_rest() {
    let of = |next: &str| {
        let source = format!(
            "let rec all n k a = if n = 0 then a else all (n - 1) k ({next})\nlet x = all 1000 7 0"
        );
        parts(&source).concat()
    };
    let busy = |n: u64| counts(&[("divider-busy", n)]);
    assert!(of("n mod k + n / k").contains(&busy(2000)));
    // By a constant nothing is divided.
    let none = of("n mod 7 + n / 8");
    assert!(!none.iter().any(|a| a.contains_key("divider-busy")));
    let floats = parts(
        "let rec all n k a = if n = 0 then a else all (n - 1) k (a +. sqrt k /. 3.)\nlet x = all 1000 2. 0.",
    );
    let busy = counts(&[("float-divider-busy", 2000)]);
    assert!(floats.concat().contains(&busy), "{floats:?}");
}

#[test]
fn a_block_that_is_built_anew_is_waited_for_through_memory() {
    let chains = |next: &str| -> Vec<Counts> {
        let source = format!(
            "let rec go n p = if n = 0 then p else let (a, b) = p in go (n - 1) ({next})\nlet x = go 1000 (1, 2)"
        );
        let all = parts(&source).concat().into_iter();
        all.filter(|a| a.contains_key("block-chain")).collect()
    };
    let alone = counts(&[("block-chain", 1000)]);
    let added = counts(&[("block-chain", 1000), ("int-add-chain", 1000)]);
    assert_eq!(chains("b, a"), [alone.clone(), alone.clone()]);
    assert_eq!(chains("b, a + n"), [alone, added.clone()]);
    assert_eq!(chains("n, b + n"), std::slice::from_ref(&added));
    // What does not come back to its own place is waited for once only.
    assert_eq!(chains("1, a + n"), []);
    assert_eq!(chains("n, n"), []);

    let record = "type p = { x : float; y : float }\n\
        let rec go n p = if n = 0 then p else go (n - 1) { x = p.x +. 1.5; y = p.x *. 2. }\nlet q = go 1000 { x = 1.; y = 2. }";
    let chain = counts(&[("box-chain", 1000), ("float-add-chain", 1000)]);
    let found = parts(record).concat();
    assert!(found.contains(&chain), "{found:?}");
    assert_eq!(
        found.iter().filter(|a| a.contains_key("box-chain")).count(),
        1
    );
}

/// Branches and returns that are missed.
fn missed(parts: &[Vec<Counts>]) -> u64 {
    let kinds = ["mispredict", "mispredict-more", "mispredict-return"];
    let of = |a: &Counts| kinds.iter().filter_map(|k| a.get(*k)).sum();
    let parts = parts.iter();
    parts.map(|p| p.iter().map(of).max().unwrap_or(0)).sum()
}

/// A list without order, the definition, and a call of it on the list.
fn on_noise(definition: &str, n: u64, call: &str) -> Vec<Vec<Counts>> {
    parts(&format!(
        "let rec up n s l = if n = 0 then l else up (n - 1) ((s * 1597 + 51749) mod 244944) (s / 64 mod 1024 :: l)\n\
         let l = up {n} 7 []\n{definition}\n;;\n{call}"
    ))
}

/// Branches that are known by heart.
const BY_HEART: u64 = 2500;

#[test]
fn branches_without_order_are_missed_half_the_time() {
    let definition = "let rec low l c = match l with [] -> c | x :: r -> if x mod 64 < 32 then low r (c + 1) else low r (c - 1)";
    let found = on_noise(definition, 20_000, "low l 0");
    let half = 10_000 - BY_HEART;
    let range = half * 8 / 10..half * 12 / 10;
    assert!(range.contains(&missed(&found)), "{}", missed(&found));
    // Nothing goes on while a branch is on the wrong way: each alternative holds them.
    assert!(found.concat().iter().all(|a| a.contains_key("mispredict")));

    assert_eq!(missed(&on_list(definition, 20_000, "low l 0")), 0);
    // What is repeated as a whole is known by heart.
    assert_eq!(missed(&on_noise(definition, 4000, "low l 0")), 0);
}

#[test]
fn branches_beyond_what_any_processor_knows_by_heart_are_told_apart() {
    let definition = "let rec low n s c = if n = 0 then c else let t = (s * 1597 + 51749) mod 244944 in\n\
        if t mod 64 < 32 then low (n - 1) t (c + 1) else low (n - 1) t (c - 1)";
    let of = |n: u64, kind: &str| {
        let found = on_list(definition, 1, &format!("low {n} 7 0"));
        let missed = found.iter().flatten().filter_map(|a| a.get(kind));
        missed.copied().max().unwrap_or(0)
    };
    assert_eq!(of(40_000, "mispredict-more"), 0);
    let (some, many) = (of(100_000, "mispredict"), of(100_000, "mispredict-more"));
    assert_eq!(some, 25_000 - BY_HEART);
    assert!((15_000..30_000).contains(&many), "{many}");
}

#[test]
fn returns_in_turn_are_foreseen_and_others_are_not() {
    let definition = |test: &str| {
        format!(
            "let rec sum l = match l with [] -> 0 | x :: r -> if {test} then x + sum r else sum r - x"
        )
    };
    let of = |found: &[Vec<Counts>]| {
        let missed = found
            .iter()
            .flatten()
            .filter_map(|a| a.get("mispredict-return"));
        missed.copied().max().unwrap_or(0)
    };
    let turns = on_list(&definition("x mod 3 = 0"), 20_000, "sum l");
    assert!(of(&turns) < 200, "{}", of(&turns));
    let noise = on_noise(&definition("x mod 64 < 32"), 20_000, "sum l");
    assert!((8000..12_000).contains(&of(&noise)), "{}", of(&noise));
    // They are charged on the way back, and none is known by heart.
    let back = &noise[1][0];
    assert!(back.contains_key("return-own") && back.contains_key("mispredict-return"));
    let few = on_noise(&definition("x mod 64 < 32"), 1000, "sum l");
    assert!(of(&few) > 300, "{}", of(&few));
}

#[test]
fn continuations_are_found_in_one_another() {
    let chained = |definition: &str, call: &str| {
        let found = parts(&format!("{definition}\n;;\n{call}"));
        let of = found.iter().map(|p| {
            let each: Vec<u64> = p
                .iter()
                .filter_map(|a| a.get("closure-chain").copied())
                .collect();
            // Nothing else goes on meanwhile: each alternative holds them.
            assert!(each.is_empty() || each.len() == p.len(), "{p:?}");
            each.first().copied().unwrap_or(0)
        });
        of.sum::<u64>()
    };
    let product = "let rec go n k = if n = 0 then k 1 else go (n - 1) (fun r -> k (r * n))";
    // The first is called by `go`, the identity by the last.
    assert_eq!(chained(product, "go 1000 (fun r -> r)"), 999);
    assert_eq!(chained(product, "go 1 (fun r -> r)"), 0);
    // Where the call is the last of the code before the function's own.
    let last = "let rec go n k = if n > 0 then go (n - 1) (fun r -> k (r * n)) else k 1";
    assert_eq!(chained(last, "go 1000 (fun r -> r)"), 999);
    // One that is not in tail position.
    let sum = "let rec go n k = if n = 0 then k 1 else go (n - 1) (fun r -> 1 + k r)";
    assert_eq!(chained(sum, "go 1000 (fun r -> r)"), 999);
    // The same function again and again is where it was.
    let again = "let rec go n f a = if n = 0 then a else go (n - 1) f (f a)";
    assert_eq!(chained(again, "go 1000 (fun x -> x + 1) 0"), 0);
}

#[test]
fn a_function_that_comes_back_is_a_call_of_its_own() {
    // `step n` returns to `caml_apply2`, or to the caller, which applies what came back.
    let definition = "let step x = if x < 0 then (fun y -> y) else (fun y -> y + x)\n\
        let rec run f n a = if n = 0 then a else run f (n - 1) (f n a)\n\
        let rec own n a = if n = 0 then a else 1 + own (n - 1) (step n a)";
    assert_eq!(missed(&on_list(definition, 1, "run step 20000 0")), 0);
    let deep = missed(&on_list(definition, 1, "own 20000 0"));
    assert_eq!(deep, 0);
}

#[test]
fn calls_left_by_an_exception_are_no_longer_foreseen() {
    let definition = |end: &str, call: &str| {
        format!(
            "let rec seek n = if n = 0 then {end} else 1 + seek (n - 1)\n\
             let rec walk l = match l with [] -> 0 | x :: r ->\n\
             let rest = if x mod 64 < 32 then 1 + walk r else 2 + walk r in rest + {call}"
        )
    };
    let of = |definition: String| missed(&on_noise(&definition, 20_000, "walk l"));
    let back = of(definition("1", "seek 5"));
    let thrown = of(definition(
        "raise Not_found",
        "(try seek 5 with Not_found -> 1)",
    ));
    // Half of the branches on the way down, half of the returns on the way back.
    assert!(back > 14_000, "{back}");
    assert!(back.abs_diff(thrown) < back / 10, "{back} {thrown}");
}

/// Alternatives of what the last item does outside of recursive definitions.
fn outside(source: &str) -> Vec<Counts> {
    all_parts(source).swap_remove(0)
}

#[test]
fn rounds_of_a_loop_wait_for_what_it_assigns() {
    let alone = |body: &str| {
        outside(&format!(
            "let t = Array.init 256 (fun i -> i)\nlet f n = let x = ref 1. in let a = ref 0 in let b = ref 1 in {body}; (!x, !a, !b)\nlet y = f 1000"
        ))
    };
    let found = alone("for i = 1 to n do x := !x *. 1.5 done");
    let chain = counts(&[("float-mul-chain", 1000)]);
    assert!(found.contains(&chain), "{found:?}");
    // Two that go round together.
    let found = alone("for i = 1 to n do let c = !a + !b in a := !b; b := c done");
    let chain = counts(&[("int-add-chain", 1000)]);
    assert!(found.contains(&chain), "{found:?}");
    // A table in the middle; the longest of two chains is told.
    let found = alone(
        "for i = 1 to n do x := !x +. 1.5; a := t.((!a lxor i) land 255) lxor (!a lsr 8) done",
    );
    let chain = counts(&[("int-add-chain", 4000), ("load-chain", 1000)]);
    assert!(found.contains(&chain), "{found:?}");
    // One loop after the other: both wait.
    let found =
        alone("for i = 1 to n do x := !x *. 1.5 done; for i = 1 to 500 do x := !x *. 2.5 done");
    let chain = counts(&[("float-mul-chain", 1500)]);
    assert!(found.contains(&chain), "{found:?}");
    // What begins anew in every round waits for nothing.
    let found = alone("for i = 1 to n do let y = ref 1. in y := !y *. 1.5; x := !y done");
    let chained = found.iter().any(|a| a.contains_key("float-mul-chain"));
    assert!(!chained, "{found:?}");
}
