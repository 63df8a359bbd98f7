//! Invocations of a method as observations.

use pricetag_dataset::{InputValue, Status};
use pricetag_runner::{Counts, RecordOptions, RunnerError};
use pricetag_trace::{Argument, Parameters, Record};

use crate::bench::*;

fn scoped(bench: &Bench) -> RecordOptions {
    let scope = "org.example.Search#query".parse().unwrap();
    RecordOptions {
        scope,
        ..bench.options()
    }
}

#[test]
fn invocations_of_two_runs_are_matched_and_warm_up_is_set_aside() {
    let bench = Bench::new(&[("a", "")]);
    let wall = |i: u64| if i < 10 { 9000 } else { 1000 };
    bench.trace(
        "count",
        (0..60)
            .map(|i| call(i, (i % 30) as i64, 2 * wall(i), 10))
            .chain([process(9)])
            .collect(),
    );
    bench.trace(
        "time",
        (0..60)
            .map(|i| call(i, (i % 30) as i64, wall(i), 0))
            .chain([process(9)])
            .collect(),
    );
    let recorded = go(&scoped(&bench)).unwrap();
    assert_eq!(recorded.rows.len(), 60);
    assert_eq!(
        recorded
            .rows
            .iter()
            .filter(|r| r.observation.status == Status::WarmUp)
            .count(),
        10
    );
    let row = &recorded.rows[31];
    assert_eq!(row.observation.label, "Search#query #32");
    assert_eq!(row.observation.costs["wall"].repeats, [1000.0, 1000.0]);
    assert_eq!(row.observation.inputs["arg0"], InputValue::Number(1.0));
    assert_eq!(row.observation.inputs["arg1.size"], InputValue::Number(4.0));
    assert_eq!(
        row.observation.group, recorded.rows[1].observation.group,
        "equal arguments share a group"
    );
    assert!(matches!(
        &row.counts,
        Some(Counts::Invocation { index: 31, .. })
    ));
    drop(recorded);
    let given = go(&RecordOptions {
        warmup: Some(3),
        resume: true,
        ..scoped(&bench)
    })
    .unwrap();
    assert_eq!(
        given
            .rows
            .iter()
            .filter(|r| r.observation.status == Status::WarmUp)
            .count(),
        3
    );
}

/// What was recorded of invocations with these arguments and times, and how many are set aside.
fn warmed(of: impl Fn(u64) -> (i64, u64) + Copy, number: u64) -> (Vec<String>, usize) {
    let bench = Bench::new(&[("a", "")]);
    for mode in ["count", "time"] {
        let calls = (0..number).map(|i| call(i, of(i).0, of(i).1, 10));
        bench.trace(mode, calls.chain([process(9)]).collect());
    }
    let recorded = go(&scoped(&bench)).unwrap();
    let aside = recorded.rows.iter().map(|r| r.observation.status);
    let aside = aside.filter(|status| *status == Status::WarmUp).count();
    (recorded.meta.notes.clone(), aside)
}

#[test]
fn times_that_do_not_settle_cost_no_input() {
    let (notes, aside) = warmed(|i| (i as i64, 20_000 - 400 * i), 40);
    assert_eq!(aside, 0, "{notes:?}");
    assert!(
        notes
            .iter()
            .any(|n| n.contains("did not settle in 40 invocations")),
        "{notes:?}"
    );
}

#[test]
fn inputs_that_came_during_warm_up_alone_are_counted() {
    let wall = |i: u64| if i < 10 { 9000 } else { 1000 };
    let lost = |notes: &[String]| {
        notes
            .iter()
            .find(|n| n.contains("during warm-up alone"))
            .cloned()
    };
    let (notes, aside) = warmed(|i| (i as i64 % 30, wall(i)), 60);
    assert_eq!((aside, lost(&notes)), (10, None), "each comes again");
    let (notes, aside) = warmed(
        |i| (if i < 4 { 100 + i as i64 } else { i as i64 % 28 }, wall(i)),
        60,
    );
    assert_eq!(aside, 10);
    let told = lost(&notes).unwrap_or_else(|| panic!("{notes:?}"));
    assert!(
        told.contains("4 of 32 inputs") && told.contains("--warmup 0"),
        "{told}"
    );
}

#[test]
fn few_different_inputs_are_said_to_be_judged_on_repeats() {
    let wall = |i: u64| if i < 16 { 9000 } else { 1000 };
    let (notes, _) = warmed(|i| (i as i64 % 8, wall(i)), 96);
    let told = |what: &str| notes.iter().any(|note| note.contains(what));
    assert!(
        told("96 invocations have only 8 different arguments"),
        "{notes:?}"
    );
    assert!(!told("during warm-up alone"), "each comes again: {notes:?}");
}

#[test]
fn arguments_are_called_like_the_parameters() {
    let bench = Bench::new(&[("a", "")]);
    let named = Record::Parameters(Parameters {
        scope: 0,
        class: "org/example/Search".to_owned(),
        method: "query(ILjava/lang/String;)V".to_owned(),
        names: vec![Some("limit".to_owned()), Some("text".to_owned())],
    });
    for mode in ["count", "time"] {
        let calls = (0..4).map(|i| call(i, i as i64, 1000, 10));
        let all = std::iter::once(named.clone()).chain(calls);
        bench.trace(mode, all.chain([process(9)]).collect());
    }
    let recorded = go(&scoped(&bench)).unwrap();
    let inputs = &recorded.rows[3].observation.inputs;
    assert_eq!(inputs["limit"], InputValue::Number(3.0));
    assert_eq!(inputs["text.size"], InputValue::Number(4.0));
    assert!(
        inputs.keys().all(|name| !name.starts_with("arg")),
        "{inputs:?}"
    );
}

#[test]
fn names_are_the_same_for_all_inputs() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    let method = |method: &str, names: &[&str]| {
        Record::Parameters(Parameters {
            scope: 0,
            class: "org/example/Search".to_owned(),
            method: method.to_owned(),
            names: names.iter().map(|n| Some((*n).to_owned())).collect(),
        })
    };
    let methods = [
        method("query(I)V", &["n"]),
        method("query(II)V", &["n", "k"]),
    ];
    for (input, arguments) in [("a", vec![7]), ("b", vec![8, 9])] {
        for mode in ["count", "time"] {
            let arguments: Vec<_> = arguments.iter().map(|&v| Argument::Integer(v)).collect();
            let calls = (0..3).map(|i| call_with(i, arguments.clone(), 1000, 10));
            let all = methods.iter().cloned().chain(calls).chain([process(9)]);
            bench.trace(&format!("{mode}-{input}"), all.collect());
        }
    }
    let recorded = go(&scoped(&bench)).unwrap();
    let inputs = |label: &str| {
        let mut rows = recorded.rows.iter().map(|r| &r.observation);
        let row = rows.find(|o| o.label == label).unwrap();
        let numbers = row.inputs.iter().filter(|(name, _)| !name.contains('.'));
        numbers
            .map(|(name, value)| format!("{name} {value:?}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(inputs("in/a #2"), ["k Number(0.0)", "n Number(7.0)"]);
    assert_eq!(inputs("in/b #2"), ["k Number(9.0)", "n Number(8.0)"]);
}

#[test]
fn what_a_run_finished_before_it_failed_is_kept() {
    for (word, why) in [("fail-late", "X: late"), ("crash-late", "SIGSEGV")] {
        let bench = Bench::new(&[("a", word), ("b", "")]);
        for (mode, calls, wall) in [("count", 6, 3000), ("time", 8, 1000)] {
            let calls = (0..calls).map(|i| call(i, i as i64, wall, 10));
            bench.trace(mode, calls.chain([process(9)]).collect());
        }
        let options = RecordOptions {
            warmup: Some(1),
            ..scoped(&bench)
        };
        let recorded = go(&options).unwrap();
        let of = |input: &str| -> Vec<_> {
            let rows = recorded.rows.iter().map(|r| &r.observation);
            rows.filter(|o| o.label.starts_with(input)).collect()
        };
        let rows = of("in/a");
        assert_eq!(rows.len(), 7, "{word}");
        assert_eq!(rows[0].status, Status::WarmUp);
        assert!(rows[1..6].iter().all(|o| o.status == Status::Ok));
        // Both timing runs came further than the counting run.
        assert_eq!(rows[5].costs["wall"].repeats, [1000.0, 1000.0]);
        assert_eq!(
            (rows[6].label.as_str(), rows[6].status),
            ("in/a", Status::Failed)
        );
        let reason = rows[6].reason.as_deref().unwrap();
        assert!(
            reason.contains(why) && reason.contains("counting run 1"),
            "{reason}"
        );
        // An input that went well is compared strictly: its runs differ in length.
        assert_eq!(of("in/b").len(), 6);
        assert_eq!(of("in/b")[0].costs["wall"].repeats, [3000.0]);
        assert_eq!(recorded.finished, (2, 2));
    }
}

#[test]
fn an_input_that_fails_before_any_invocation_is_one_row_and_run_once() {
    let bench = Bench::new(&[("a", "fail-late"), ("b", "")]);
    for mode in ["count", "time"] {
        bench.trace(
            &format!("{mode}-b"),
            (0..3)
                .map(|i| call(i, 1, 1000, 10))
                .chain([process(9)])
                .collect(),
        );
    }
    let recorded = go(&scoped(&bench)).unwrap();
    assert_eq!(recorded.rows.len(), 4);
    assert_eq!(recorded.rows[0].observation.status, Status::Failed);
    assert_eq!(bench.log().iter().filter(|l| l.ends_with("/a")).count(), 1);
}

#[test]
fn runs_that_differ_fall_back_to_one_run_and_say_so() {
    let bench = Bench::new(&[("a", "")]);
    bench.trace(
        "count",
        (0..4)
            .map(|i| call(i, i as i64, 3000, 10))
            .chain([process(9)])
            .collect(),
    );
    bench.trace(
        "time",
        (0..3)
            .map(|i| call(i, 50 + i as i64, 2000, 0))
            .chain([process(9)])
            .collect(),
    );
    let recorded = go(&scoped(&bench)).unwrap();
    assert_eq!(recorded.rows[0].observation.costs["wall"].repeats, [3000.0]);
    assert!(
        recorded
            .meta
            .notes
            .iter()
            .any(|n| n.contains("different invocations") && n.contains("50 % slower")),
        "{:?}",
        recorded.meta.notes
    );
}

#[test]
fn a_scope_that_is_never_entered_is_an_error() {
    let bench = Bench::new(&[("a", "")]);
    assert!(matches!(
        go(&scoped(&bench)),
        Err(RunnerError::ScopeNeverEntered { .. })
    ));
}
