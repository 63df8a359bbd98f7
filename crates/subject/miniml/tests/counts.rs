//! Counts against the paper: its prices times our counts give its published bounds, and hand-derived counts.

use std::collections::BTreeMap;

use pricetag_miniml::{Limits, Run, Stop, count};

fn run(source: &str) -> Run {
    match count(source, Limits::default()) {
        Ok(run) => run,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// Counts of the last item.
fn last(source: &str) -> BTreeMap<String, u64> {
    let run = run(source);
    assert_eq!(run.stop, None);
    run.rows.last().expect("there is an item").counts.clone()
}

/// Prices of section 5, in nanoseconds.
fn price(counts: &BTreeMap<String, u64>) -> f64 {
    let prices = [
        ("FunApp", 1.505),
        ("patternMatch", 0.223),
        ("tupleHead", 5.892),
        ("tupleElem", 1.717),
    ];
    let prices: BTreeMap<_, _> = prices.into();
    counts
        .iter()
        .map(|(name, n)| prices[&**name] * *n as f64)
        .sum()
}

/// The cost of `f l1 l2` for lists of a length, without that outermost call.
fn body(definition: &str, n: usize) -> f64 {
    let list = vec!["1"; n].join("; ");
    price(&last(&format!(
        "{definition}\nlet l = [{list}]\n;;\nappend l []"
    ))) - 1.505
}

const APPEND: &str = "let rec append l1 l2 = match l1 with [] -> l2 | x :: xs -> x :: append xs l2";
const APPEND2: &str = "let rec append l1 l2 = match l1 with [] -> l2 | x :: xs ->
  (match xs with [] -> x :: l2 | y :: ys -> x :: y :: append ys l2)";

#[test]
fn append_costs_what_the_paper_says() {
    for n in [0, 1, 7, 100] {
        assert!(
            (body(APPEND, n) - (0.446 + 11.277 * n as f64)).abs() < 1e-9,
            "n = {n}"
        );
    }
}

#[test]
fn append_of_two_at_a_time_costs_what_the_paper_says() {
    let slope = (body(APPEND2, 100) - body(APPEND2, 50)) / 50.0;
    assert!((slope - 10.5245).abs() < 1e-9, "{slope}");
    assert!((body(APPEND2, 0) - 0.446).abs() < 1e-9);
}

#[test]
fn factorial_counts_as_in_section_2() {
    let counts = last("let rec fact n = if n = 0 then 1 else n * fact (n - 1)\n;;\nfact 10");
    let wanted = [
        ("FunApp", 11),
        ("IntCondEq", 11),
        ("IntMult", 10),
        ("IntSub", 10),
    ];
    assert_eq!(counts, wanted.map(|(k, v)| (k.to_owned(), v)).into());
}

#[test]
fn tail_calls_are_told_apart() {
    let counts = last("let rec f n = if n = 0 then 0 else f (n - 1)\n;;\nf 1_000_000");
    assert_eq!((counts["FunApp"], counts["TailApp"]), (1, 1_000_000));
}

#[test]
fn closures_are_charged_by_captured_variables() {
    let counts =
        last("let g = 1\nlet f a b = fun () -> let h c = a + b + c + g in h\n;;\nf 1 2 ()");
    assert_eq!(
        (counts["FunDef"], counts["closure"], counts["letlambda"]),
        (1, 2, 1)
    );
}

#[test]
fn an_exception_ends_the_charges() {
    let counts = last(
        "exception E\nlet f x = if x then raise E else 1\n;;\ntry (f true + 1) * 2 with E -> 0",
    );
    assert!(
        !counts.contains_key("IntAdd") && !counts.contains_key("IntMult"),
        "{counts:?}"
    );
    assert_eq!(
        (counts["raise"], counts["try"], counts["patternMatch"]),
        (1, 1, 1)
    );
}

#[test]
fn types_choose_the_comparison() {
    let counts = last("let p a b = a < b\n;;\n(p 1 2, 1 < 2, 1. < 2., \"a\" < \"b\")");
    for name in ["PolyCond", "IntCondLT", "FloatCondLT", "StringCond"] {
        assert_eq!(counts[name], 1, "{name}");
    }
}

#[test]
fn deep_recursion_is_limited_by_memory_alone() {
    let run = run("let rec f n = if n = 0 then 0 else 1 + f (n - 1)\n;;\nprint_int (f 3_000_000)");
    assert_eq!((run.stop, &run.output[..]), (None, &b"3000000"[..]));
}

#[test]
fn divergence_ends_with_the_fuel() {
    let limits = Limits {
        fuel: 1000,
        ..Limits::default()
    };
    let run = count("let rec f x = f x\n;;\nf 1", limits).expect("it is well typed");
    assert_eq!(run.stop, Some(Stop::Fuel(1000)));
    let limits = Limits {
        memory: 1 << 24,
        ..Limits::default()
    };
    let run = count("let rec f x = 1 + f x\n;;\nf 1", limits).expect("it is well typed");
    assert_eq!(run.stop, Some(Stop::Memory(1 << 24)));
}
