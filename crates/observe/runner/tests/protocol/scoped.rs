//! Invocations of a method as observations.

use pricetag_dataset::{InputValue, Status};
use pricetag_runner::{Counts, RecordOptions, RunnerError};
use pricetag_trace::{Parameters, Record};

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
