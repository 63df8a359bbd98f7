//! Moves on planted platforms: what a route must give follows from its definition.

use std::collections::BTreeMap;

use pricetag_finding::{Prediction, Predictions};
use pricetag_platform::{Benchmark, ListedPrice, PlatformList};
use pricetag_transfer::{Ask, Counted, Program, Route, TransferError, choose, differ, move_to};

/// Times of a platform: what it charges for `a` and `b`, times a benchmark's own deviation.
fn list(a: f64, b: f64, odd: impl Fn(u32) -> f64) -> PlatformList {
    let benchmarks = (0..24).map(|i| {
        let (x, y) = (f64::from(i % 5 + 1), f64::from(i % 3));
        Benchmark {
            name: format!("b{i}"),
            group: format!("g{}", i % 2),
            ns: Some((a * x + b * y) * odd(i)),
            counts: BTreeMap::from([("opcode a".into(), x), ("opcode b".into(), y)]),
            ..Benchmark::default()
        }
    });
    let price = |name: &str, ns: f64| ListedPrice {
        name: name.into(),
        members: vec![(name.into(), 1.0)],
        ns: Some(ns),
        ..ListedPrice::default()
    };
    PlatformList {
        benchmarks: benchmarks.collect(),
        prices: vec![price("opcode a", a), price("opcode b", b)],
        ..PlatformList::default()
    }
}

fn program(rows: &[(f64, f64, f64)]) -> Program {
    let rows = rows.iter().enumerate().map(|(i, (a, b, cost))| Counted {
        label: i.to_string(),
        counts: BTreeMap::from([("opcode a".into(), *a), ("opcode b".into(), *b)]),
        measured: Some(*cost),
    });
    Program {
        rows: rows.collect(),
    }
}

fn predictions(program: &Program) -> Predictions {
    let rows = program.rows.iter().map(|row| Prediction {
        label: row.label.clone(),
        value: row.measured.unwrap(),
        interval: row.measured.map(|m| (m / 1.2, m * 1.2)),
        ..Prediction::default()
    });
    Predictions {
        target: "cpu".into(),
        unit: "ns".into(),
        level: Some(0.95),
        rows: rows.collect(),
        ..Predictions::default()
    }
}

fn ask<'a>(
    program: &'a Program,
    here: &'a PlatformList,
    there: &'a PlatformList,
    route: Option<Route>,
) -> Ask<'a> {
    Ask {
        predictions: predictions(program),
        program,
        here,
        there,
        route,
        command: &[],
        runs: &[],
    }
}

#[test]
fn the_spread_of_the_lists_chooses_the_route() {
    let here = list(1.0, 10.0, |_| 1.0);
    let even = list(2.0, 20.0, |i| if i % 2 == 0 { 1.05 } else { 0.95 });
    let uneven = list(2.0, 80.0, |_| 1.0);
    assert_eq!(choose(&here, &even, true).0, Route::Ratio);
    assert_eq!(choose(&here, &uneven, true).0, Route::Mixture);
    assert_eq!(choose(&here, &uneven, false).0, Route::Ratio);
    let mut interpreted = uneven.clone();
    interpreted.platform.insert("flags".into(), "-Xint".into());
    assert_eq!(choose(&here, &interpreted, true).0, Route::Sum);
}

#[test]
fn the_papers_rule_is_its_formula() {
    let (here, there) = (list(1.0, 10.0, |_| 1.0), list(3.0, 5.0, |_| 1.0));
    // R here: 120 / 60 and 240 / 120, so 2.
    let program = program(&[(20.0, 10.0, 60.0), (40.0, 20.0, 120.0)]);
    let moved = move_to(ask(&program, &here, &there, Some(Route::Paper))).unwrap();
    let values: Vec<f64> = moved.predictions.rows.iter().map(|r| r.value).collect();
    assert!(
        (values[0] - 0.5 * (20.0 * 3.0 + 10.0 * 5.0)).abs() < 1e-9,
        "{values:?}"
    );
    assert!(
        (values[1] - 0.5 * (40.0 * 3.0 + 20.0 * 5.0)).abs() < 1e-9,
        "{values:?}"
    );
}

#[test]
fn uncertain_factors_make_intervals_wider_and_none_narrower() {
    let here = list(1.0, 10.0, |_| 1.0);
    let program = program(&[(20.0, 1.0, 60.0)]);
    let width = |there: &PlatformList| {
        let moved = move_to(ask(&program, &here, there, Some(Route::Ratio))).unwrap();
        let row = &moved.predictions.rows[0];
        let (low, high) = row.interval.unwrap();
        assert!(low < row.value && row.value < high);
        high / low
    };
    // Logarithms add in squares: the model's own factor of 1.2, and the least uncertainty of a route at 95 %.
    let same = width(&here);
    let expected = (2.0 * 1.2_f64.ln().hypot(1.96 * 0.1)).exp();
    assert!((same - expected).abs() < 1e-9, "{same}");
    let scattered = list(1.0, 10.0, |i| (f64::from(i % 7) - 3.0).exp());
    assert!(width(&scattered) > 2.0 * same);
}

#[test]
fn a_program_that_is_a_benchmark_moves_like_the_program_it_is() {
    let (here, there) = (list(1.0, 10.0, |_| 1.0), list(1.0, 60.0, |_| 1.0));
    // Only b: dearer by six than the rest, whose median is less.
    let program = program(&[(1.0, 2.0, 21.0)]);
    let moved = move_to(ask(&program, &here, &there, Some(Route::Mixture))).unwrap();
    let truth = (1.0 + 120.0) / 21.0;
    let middle = differ(&here, &there).unwrap().benchmarks.unwrap().median;
    let rule = 0.7 * f64::ln(truth) + 0.3 * middle.ln();
    assert!(
        (moved.moved.factor.ln() - rule).abs() < 0.1,
        "{}",
        moved.moved.factor
    );
}

#[test]
fn what_has_no_counts_has_no_mixture_and_bytes_are_no_time() {
    let here = list(1.0, 10.0, |_| 1.0);
    let none = Program::default();
    let mut question = ask(&none, &here, &here, Some(Route::Mixture));
    question.predictions = predictions(&program(&[(1.0, 1.0, 5.0)]));
    assert!(matches!(
        move_to(question),
        Err(TransferError::NotCounted { .. })
    ));
    let counted = program(&[(1.0, 1.0, 5.0)]);
    let mut question = ask(&counted, &here, &here, None);
    question.predictions.unit = "byte".into();
    assert!(matches!(
        move_to(question),
        Err(TransferError::NoTime { .. })
    ));
}
