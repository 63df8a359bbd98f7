//! The comparer itself: it must notice every kind of disagreement, or a green conformance suite means nothing.

use std::collections::BTreeMap;

use pricetag_testkit::classes::MethodCode;
use pricetag_testkit::compare::compare;
use pricetag_testkit::{ClassIndex, Counts, MethodKey, Program};

const SOURCE: &str =
    "class P {\n  int f(int n) {\n    n++; // count: 3\n    return n; // count: 3\n  }\n}\n";

fn method() -> MethodKey {
    MethodKey {
        class: "P".into(),
        name: "f".into(),
        descriptor: "(I)I".into(),
    }
}

/// `iinc; iload_1; ireturn` on lines 3 and 4.
fn classes() -> ClassIndex {
    let code = MethodCode {
        code: vec![0x84, 1, 1, 0x1b, 0xac],
        lines: vec![(0, 3), (3, 4)],
    };
    ClassIndex {
        methods: BTreeMap::from([(method(), code)]),
    }
}

fn counts(each: &[(u16, u64)]) -> Counts {
    Counts {
        methods: BTreeMap::from([(method(), each.iter().copied().collect())]),
        ..Counts::default()
    }
}

fn differences(program: &str, derived: &Counts, stepped: &Counts) -> Vec<String> {
    let program = Program::parse("P", program).expect("the program is well formed");
    compare(&program, &classes(), derived, stepped)
        .differences
        .iter()
        .map(ToString::to_string)
        .collect()
}

const RIGHT: [(u16, u64); 3] = [(0, 3), (3, 3), (4, 3)];

#[test]
fn agreement_is_silent() {
    assert_eq!(
        differences(SOURCE, &counts(&RIGHT), &counts(&RIGHT)),
        [""; 0]
    );
}

#[test]
fn an_instruction_that_differs_is_named_with_line_and_mnemonic() {
    let derived = counts(&[(0, 3), (3, 3), (4, 2)]);
    let found = differences(SOURCE, &derived, &counts(&RIGHT));
    assert_eq!(found, ["P.f(I)I 4 ireturn (line 4): stepped 3, derived 2"]);
}

#[test]
fn an_instruction_the_probes_do_not_know_is_a_difference() {
    let found = differences(SOURCE, &counts(&[(0, 3), (3, 3)]), &counts(&RIGHT));
    assert_eq!(
        found,
        ["P.f(I)I 4 ireturn (line 4): stepped 3, derived not known"]
    );
}

#[test]
fn a_count_the_oracle_did_not_see_is_a_difference() {
    let found = differences(SOURCE, &counts(&RIGHT), &counts(&[(0, 3), (3, 3)]));
    assert_eq!(found, ["P.f(I)I 4 ireturn (line 4): stepped 0, derived 3"]);
}

#[test]
fn a_wrong_comment_is_found_on_both_sides() {
    let source = SOURCE.replace("return n; // count: 3", "return n; // count: 4");
    let found = differences(&source, &counts(&RIGHT), &counts(&RIGHT));
    let expected = [
        "line 4: the comment says 4, single-stepping counts 3",
        "line 4: the comment says 4, the probes yield 3",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_comment_on_a_line_without_code_is_a_difference() {
    let source = SOURCE.replace("class P {", "class P { // count: 1");
    let found = differences(&source, &counts(&RIGHT), &counts(&RIGHT));
    assert_eq!(found, ["line 1 has no code"; 2]);
}

#[test]
fn uncounted_code_must_be_listed() {
    let none = Counts::default();
    let found = differences("", &none, &counts(&RIGHT));
    assert_eq!(found, ["P ran uncounted and is not listed"]);

    let mut listed = Counts::default();
    listed.listed.insert("P".into(), "too large".into());
    assert_eq!(
        differences("", &listed, &counts(&RIGHT)),
        ["P is not counted: too large"]
    );
    assert_eq!(
        differences("// uncounted: P\n", &listed, &counts(&RIGHT)),
        [""; 0]
    );
    let found = differences("// uncounted: P\n", &counts(&RIGHT), &counts(&RIGHT));
    assert_eq!(found, ["nothing named P is listed as uncounted"]);
}

#[test]
fn imbalance_and_inexactness_are_differences_unless_announced() {
    let mut derived = counts(&RIGHT);
    derived
        .imbalances
        .insert(method(), "block 1: entered 2 times but left 3 times".into());
    let found = differences(SOURCE, &derived, &counts(&RIGHT));
    assert_eq!(
        found,
        ["P.f(I)I: block 1: entered 2 times but left 3 times"]
    );

    let mut derived = counts(&RIGHT);
    derived.inexact.push("a thread was running".into());
    assert_eq!(
        differences(SOURCE, &derived, &counts(&RIGHT)),
        ["inexact: a thread was running"]
    );
    let announced = format!("// inexact: it runs on\n{}", SOURCE.replacen('\n', " ", 1));
    assert_eq!(differences(&announced, &derived, &counts(&RIGHT)), [""; 0]);
    let found = differences(&announced, &counts(&RIGHT), &counts(&RIGHT));
    assert_eq!(found, ["the trace claims to be exact, although it runs on"]);
}

#[test]
fn methods_that_vary_are_not_compared() {
    let source = "// varies: f\nclass P {\n}\n";
    assert_eq!(
        differences(source, &counts(&RIGHT), &counts(&[(0, 9)])),
        [""; 0]
    );
}

#[test]
fn a_run_is_held_against_what_it_says_itself() {
    let source = "// varies: f\nclass P {\n  int n = 0; // count: =rounds\n}\n";
    let said = |times: u64, name: &str, rounds: u64| Counts {
        said: BTreeMap::from([(name.to_owned(), rounds)]),
        ..counts(&[(0, times)])
    };
    let right = |times| said(times, "rounds", times);
    assert_eq!(differences(source, &right(3), &right(9)), [""; 0]);
    let found = differences(source, &said(3, "rounds", 4), &right(9));
    assert_eq!(found, ["line 3: the comment says 4, the probes yield 3"]);
    let found = differences(source, &said(3, "round", 3), &right(9));
    assert_eq!(
        found,
        ["line 3: the program did not say rounds=N on standard error"]
    );
}
