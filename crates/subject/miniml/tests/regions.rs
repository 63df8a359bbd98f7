//! What may go on at once in recursive definitions, against counts derived by hand.

use std::collections::BTreeMap;

use pricetag_miniml::{Mode, Options, run};

type Counts = BTreeMap<String, u64>;

/// Alternatives of each part of the last item, those first that run in a recursive definition most often.
fn parts(source: &str) -> Vec<Vec<Counts>> {
    let options = Options {
        mode: Mode::Extended,
        ..Options::default()
    };
    let run = run(source, &options).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(run.stop, None);
    let last = run.rows.last().expect("there is an item");
    let parts = last.regions.iter().map(|r| r.alternatives.clone());
    // What is outside of recursive definitions comes first.
    parts.skip(1).collect()
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
