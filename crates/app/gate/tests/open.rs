//! Gates do not fail open: what was not seen, or cannot be told, is said.

use std::collections::BTreeMap;

use pricetag_gate::{Baseline, Benchmark, Counted, Counts, Figure, Suite, Verdict, check};

fn baseline(instructions: &[u64], bytes: Option<u64>, caveats: &[&str]) -> Baseline {
    let benchmark = Benchmark {
        instructions: Figure::of(instructions).unwrap(),
        calls: Figure::Exact(3),
        bytes: bytes.map(|n| Figure::of_bytes(&[n; 3]).unwrap()),
        digest: None,
        inputs: BTreeMap::new(),
        content: None,
        caveats: caveats.iter().map(|&c| c.to_owned()).collect(),
    };
    Baseline {
        suite: "s".to_owned(),
        benchmarks: BTreeMap::from([("b".to_owned(), benchmark)]),
        ..Baseline::default()
    }
}

fn counted(instructions: u64, bytes: Option<u64>, caveats: &[&str]) -> Counted {
    let counts = Counts {
        instructions,
        calls: 3,
        bytes,
        caveats: caveats.iter().map(|&c| c.to_owned()).collect(),
        ..Counts::default()
    };
    Counted {
        benchmarks: BTreeMap::from([("b".to_owned(), counts)]),
        ..Counted::default()
    }
}

fn checked(baseline: &Baseline, runs: Vec<Counted>) -> Verdict {
    check(baseline, &Suite::of(runs))
}

fn is_counted_again(baseline: &Baseline, runs: Vec<Counted>) -> bool {
    let suite = Suite::of(runs);
    check(baseline, &suite).wants_another_run(baseline, &suite)
}

#[test]
fn bytes_that_nobody_measured_fail() {
    let baseline = baseline(&[1000; 3], Some(500_000), &[]);
    let measured = checked(&baseline, vec![counted(1000, Some(500_000), &[])]);
    assert!(measured.passed, "{:?}", measured.problems);
    let missing = checked(&baseline, vec![counted(1000, None, &[])]);
    assert!(!missing.passed);
    assert!(
        missing.problems[0].starts_with("bytes were not measured in b"),
        "{:?}",
        missing.problems
    );
    // The next run may measure them.
    assert!(is_counted_again(&baseline, vec![counted(1000, None, &[])]));
    let again = vec![counted(1000, None, &[]), counted(1000, Some(500_000), &[])];
    assert!(checked(&baseline, again).passed);
}

#[test]
fn a_caveat_of_the_baseline_hides_no_other() {
    let baseline = baseline(&[1000; 3], None, &["at least 3 invocations have no row"]);
    let other_number = checked(
        &baseline,
        vec![counted(1000, None, &["at least 4 invocations have no row"])],
    );
    assert!(other_number.passed, "{:?}", other_number.problems);
    let both = [
        "at least 3 invocations have no row",
        "classes were left uncounted",
    ];
    let fresh = checked(&baseline, vec![counted(900, None, &both)]);
    assert!(!fresh.passed);
    assert!(
        fresh.problems[0].contains("classes were left uncounted"),
        "{:?}",
        fresh.problems
    );
}

#[test]
fn more_than_any_run_of_the_baseline_is_told_where_chance_may_be_the_reason() {
    let baseline = baseline(&[10_368, 10_238, 11_508], None, &[]);
    let told = checked(&baseline, vec![counted(16_600, None, &[])]);
    assert!(told.passed);
    let note = told
        .notes
        .iter()
        .find(|note| note.starts_with("more than in any run"));
    let note = note.expect("a note");
    assert!(note.contains("16,600") && note.contains("11,508"), "{note}");
    let usual = checked(&baseline, vec![counted(11_000, None, &[])]);
    assert!(
        !usual
            .notes
            .iter()
            .any(|note| note.starts_with("more than in any run"))
    );
}

#[test]
fn what_another_run_cannot_change_is_not_counted_again() {
    let mut baseline = baseline(&[1000; 3], None, &[]);
    baseline.java.major = 21;
    let run = || vec![counted(1000, None, &[])];
    assert!(!checked(&baseline, run()).passed);
    assert!(!is_counted_again(&baseline, run()));
}
