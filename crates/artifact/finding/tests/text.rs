//! Text and JSON of the answers: stable, aligned, and safe to print.

use std::collections::BTreeMap;

use pricetag_cost_model::Term;
use pricetag_finding::*;

fn explanation() -> Explanation {
    Explanation {
        schema: FINDING_SCHEMA,
        target: "wall".into(),
        unit: "ns".into(),
        observations: 3,
        predicted: 1e6,
        items: vec![
            CostItem {
                name: "Sorter.sort(int[]) block 3".into(),
                kind: "block".into(),
                count: 1200.0,
                cost: 8e5,
                share: 0.8,
                price: Some(666.7),
                price_bounds: Some((600.0, 700.0)),
                prior: Some(450.0),
                evidence: Some(0.93),
                control: Some(Control {
                    variation: 0.9,
                    peak: Some(12.0),
                    input: Some("size".into()),
                    correlation: Some(0.99),
                    exponent: Some(1.98),
                    risk: true,
                }),
                ..CostItem::default()
            },
            CostItem {
                name: "base".into(),
                cost: 2e5,
                share: 0.2,
                split_from: Some("b".into()),
                ..CostItem::default()
            },
        ],
        ..Explanation::default()
    }
}

#[test]
fn explanation_shows_cost_price_and_risk() {
    let text = explanation().to_text(10, 100);
    assert!(
        text.contains("wall over 3 observations: 1.00 ms predicted"),
        "{text}"
    );
    assert!(text.contains("600 ns … 700 ns"), "{text}");
    assert!(text.contains("base *"), "{text}");
    let line = |text: &str, begin: &str| {
        let mut lines = text.lines();
        lines
            .find(|l| l.trim_start().starts_with(begin))
            .unwrap()
            .to_owned()
    };
    assert!(
        line(&text, "method").contains("prior") && line(&text, "Sorter").contains("450 ns"),
        "{text}"
    );
    let mut without = explanation();
    without.items[0].prior = None;
    let without = without.to_text(10, 100);
    assert!(!without.contains("prior"), "{without}");
    assert!(
        text.contains("carries 90.0 % of the variation of the cost; it follows size, growing like its power 2.0; at worst 12 times"),
        "{text}"
    );
    let cut = explanation().to_text(1, 100);
    assert!(cut.contains("1 more: 20.0 %"), "{cut}");
}

#[test]
fn predictions_say_what_is_outside() {
    let row = Prediction {
        label: "big\u{7}.txt".into(),
        value: 2e9,
        interval: Some((1.9e9, 2.2e9)),
        measured: Some(2.5e9),
        outside: vec![Outside {
            feature: "size".into(),
            value: 50.0,
            min: 1.0,
            max: 10.0,
            excess: 4.4,
            effect: 0.8,
        }],
        outside_share: 0.8,
        unpriced: vec!["new block".into()],
        ..Prediction::default()
    };
    assert!(row.extrapolates());
    assert!((row.relative_error().unwrap() + 0.2).abs() < 1e-12);
    let all = Predictions {
        unit: "ns".into(),
        level: Some(0.95),
        rows: vec![row],
        ..Predictions::default()
    };
    let text = all.to_text(120);
    assert!(
        text.contains("1.90 s … 2.20 s") && text.contains("-20.0 %"),
        "{text}"
    );
    assert!(text.contains("1 feature outside training range, 80.0 % of the prediction; most: size = 50 (seen 1 … 10)"), "{text}");
    assert!(text.contains("new block has no price"), "{text}");
}

#[test]
fn rows_a_little_outside_are_counted_and_not_listed() {
    let row = |label: &str, excess: f64, share: f64, unpriced: &[&str]| Prediction {
        label: label.into(),
        value: 1e6,
        outside: vec![Outside {
            feature: "size".into(),
            excess,
            effect: share,
            ..Outside::default()
        }],
        outside_share: share,
        unpriced: unpriced.iter().map(|&name| name.to_owned()).collect(),
        ..Prediction::default()
    };
    let rows = vec![
        row("near", 0.1, -0.005, &[]),
        row("nearer", 0.01, 0.0, &[]),
        row("effect", 0.1, 0.02, &[]),
        row("far", 7.0, 0.0, &[]),
        row("unknown", 0.1, 0.0, &["new block"]),
        Prediction {
            label: "inside".into(),
            ..Prediction::default()
        },
    ];
    let all = Predictions {
        unit: "ns".into(),
        rows,
        ..Predictions::default()
    };
    let text = all.to_text(100);
    let line = |label: &str| {
        text.lines()
            .find(|l| l.trim_start().starts_with(label))
            .unwrap()
    };
    for label in ["effect", "far", "unknown"] {
        assert!(line(label).ends_with("extrapolates"), "{text}");
        assert!(text.contains(&format!("! {label}: ")), "{text}");
    }
    for label in ["near", "nearer"] {
        assert!(line(label).ends_with("hardly"), "{text}");
        assert!(!text.contains(&format!("! {label}")), "{text}");
    }
    assert!(line("inside").ends_with("0 ns"), "{text}");
    assert!(
        text.contains("(2 of 6 observations; --json names them)"),
        "{text}"
    );
}

#[test]
fn failed_runs_are_named_beside_predictions() {
    let failed = |n: usize| Unpredicted {
        label: format!("in/{n}"),
        reason: format!("exit code {n}"),
    };
    let all = Predictions {
        rows: vec![Prediction::default()],
        failed: (1..=7).map(failed).collect(),
        ..Predictions::default()
    };
    let text = all.to_text(100);
    assert!(
        text.contains("7 of 8 observations failed and have no prediction:\n! in/1: exit code 1\n"),
        "{text}"
    );
    assert!(
        text.contains("in/5") && !text.contains("in/6") && text.contains("--json names all"),
        "{text}"
    );
    let older = to_json(&all).replace("\"failed\"", "\"unknown\"");
    let read: Predictions = serde_json::from_str(&older).unwrap();
    assert!(
        read.failed.is_empty(),
        "an answer of an older version is read"
    );
}

#[test]
fn json_round_trips_and_is_stable() {
    let first = to_json(&explanation());
    let back: Explanation = serde_json::from_str(&first).unwrap();
    assert_eq!(back, explanation());
    assert_eq!(to_json(&back), first);
    assert!(first.starts_with("{\n  \"schema\": 1,"));
}

#[test]
fn inspection_lists_are_cut_and_say_so() {
    let inspection = Inspection {
        subject: vec!["java".into(), "App".into()],
        scope: "main".into(),
        observations: BTreeMap::from([("failed".into(), 3), ("ok".into(), 1200)]),
        failed: (0..3)
            .map(|i| FailedObservation {
                label: format!("f{i}"),
                reason: "exit 1".into(),
            })
            .collect(),
        costs: vec![CostColumn {
            name: "wall".into(),
            unit: "ns".into(),
            range: Some((1e3, 2e3, 3e9)),
            noise: Some(0.02),
            ..CostColumn::default()
        }],
        design: Some(Design {
            rows: 10,
            columns: 4,
            rank: 3,
            merged: vec![MergedBucket {
                name: "a + 1 more".into(),
                members: vec!["a".into(), "b".into()],
                advice: None,
            }],
            missing: (1..8)
                .map(|i| MissingColumn {
                    feature: format!("a.b.C.x#{i}"),
                    rows: i,
                })
                .collect(),
            ..Design::default()
        }),
        ..Inspection::default()
    };
    let text = inspection.to_text(2, 100);
    assert!(
        text.contains("  C.x#5: in 5 of 10 rows\n  … 2 more"),
        "{text}"
    );
    assert!(text.contains("3 failed, 1,200 ok"), "{text}");
    assert!(
        text.contains("… 1 more")
            && text.contains("condition infinite")
            && text.contains("a + 1 more"),
        "{text}"
    );
}

#[test]
fn summary_fits_its_width() {
    let summary = Summary {
        unit: "ns".into(),
        target: "wall".into(),
        sentences: vec!["word ".repeat(60)],
        top: vec![SummaryItem {
            name: "m".repeat(300),
            cost: 1e9,
            share: 0.5,
            bounds: Some((0.45, 0.56)),
        }],
        below: vec!["2 more: 3 %".into()],
        terms: (0..10)
            .map(|i| Term {
                text: format!("{i}·`{}`", "name ".repeat(30)),
                share: 0.1,
            })
            .collect(),
        warnings: (0..10).map(|i| format!("warning {i}")).collect(),
        notes: (0..6).map(|i| format!("note {i}")).collect(),
        outputs: vec![("report".into(), "report.html".into())],
        ..Summary::default()
    };
    let text = summary.to_text(80);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(
        text.contains(" 45–56 %  ██████████\n2 more: 3 %\n")
            && text.contains("wall is the sum of\n")
            && text.contains("2 more: the model has them")
            && text.contains("2 more warnings")
            && text.contains("- note 3\n- 2 more notes"),
        "{text}"
    );
}

#[test]
fn places_read_as_in_java() {
    let place = Place {
        class: "a/b/C$D".into(),
        method: Some("m".into()),
        descriptor: Some("([ILjava/util/Map$Entry;)V".into()),
        source_file: Some("C.java".into()),
        ..Place::default()
    };
    assert_eq!(place.method_name(), "a.b.C$D.m(int[], Map$Entry)");
    assert_eq!(place.source_path().unwrap(), "a/b/C.java");
}

/// Where a program has no price nothing is said of its collections, neither that they were right nor wrong.
#[test]
fn collections_are_compared_where_they_are_predicted() {
    let row = |measured: f64, predicted: Option<f64>, may_finish_major| ControlRow {
        collections: (measured, predicted),
        may_finish_major,
        major: f64::from(u8::from(may_finish_major)),
        ..ControlRow::default()
    };
    let program = |rows: Vec<ControlRow>| ControlProgram {
        rows,
        ..ControlProgram::default()
    };
    let mode = ModeReport {
        programs: vec![
            program(vec![
                row(0.0, Some(0.0), false),
                row(2.0, Some(2.0), false),
                row(3.0, Some(2.0), false),
                row(4.0, Some(3.0), true),
            ]),
            program(vec![row(1.0, None, false), row(5.0, None, false)]),
        ],
        ..ModeReport::default()
    };
    let report = ControlReport {
        modes: [("extended".to_owned(), mode)].into(),
        ..ControlReport::default()
    };
    let text = report.to_text(100);
    let told = "collections as predicted: at 2 of 3 sizes, and at 0 of 1 where a major collection may finish, outside the model (it did at 1); at 2 there is no prediction\n";
    assert!(text.contains(told), "{text}");
}
