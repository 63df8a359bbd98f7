//! Predictions against sums done by hand.

use std::collections::BTreeMap;

use pricetag_cost_model::*;
use pricetag_dataset::{
    Dataset, Feature, FeatureKind, InputValue, Measured, Observation, ObservationId, Source, Status,
};
use pricetag_finding::Predictions;
use pricetag_predict::{PredictError, predict_dataset, predict_table};

/// Predictions for a table in a file.
fn predict_csv(model: &CostModel, bytes: &[u8]) -> Result<Predictions, PredictError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    std::fs::write(&path, bytes).unwrap();
    predict_table(model, &Source::read(&path, None)?)
}

fn model(formula: Formula, domain: &[(&str, f64, f64)]) -> CostModel {
    CostModel {
        schema: MODEL_SCHEMA,
        target: "wall".into(),
        unit: "ns".into(),
        method: "nnls".into(),
        text: String::new(),
        formula,
        prices: Vec::new(),
        interval: Some(Interval {
            level: 0.95,
            lower: 0.9,
            upper: 1.2,
            coverage: None,
            scatter: None,
            method: "split".into(),
            leverage: None,
        }),
        domain: domain
            .iter()
            .map(|&(name, min, max)| (name.to_owned(), Domain { min, max }))
            .collect(),
        evaluation: None,
        baseline: None,
        alternatives: Vec::new(),
        costs: None,
        unexplained: None,
        standings: Vec::new(),
        screening: None,
        preferred: None,
        charges: None,
        terms: Vec::new(),
        concise: None,
        sensitivity: None,
        summary: None,
        diagnostics: Vec::new(),
        provenance: Provenance::default(),
    }
}

fn linear() -> CostModel {
    let formula = Formula::Linear {
        intercept: 100.0,
        terms: vec![
            (2.0, "a".into()),
            (3.0, "b".into()),
            (0.0, "never".into()),
            (7.0, "base".into()),
        ],
    };
    model(
        formula,
        &[
            ("a", 0.0, 10.0),
            ("b", 1.0, 5.0),
            ("base", 1.0, 1.0),
            ("never", 1.0, 2.0),
        ],
    )
}

#[test]
fn a_row_inside_the_range() {
    let all = predict_csv(
        &linear(),
        "label,a,b,wall,comment\nx,10,5,120,hello\n".as_bytes(),
    )
    .unwrap();
    let row = &all.rows[0];
    assert_eq!(row.value, 100.0 + 20.0 + 15.0 + 7.0);
    assert_eq!(row.interval, Some((142.0 * 0.9, 142.0 * 1.2)));
    assert_eq!((row.label.as_str(), row.measured), ("x", Some(120.0)));
    assert!(!row.extrapolates());
    assert_eq!(all.assumed, ["base"]);
}

#[test]
fn a_row_outside_the_range_says_how_far() {
    let all = predict_csv(&linear(), "a,b,base\n20,0.5,1\n".as_bytes()).unwrap();
    let row = &all.rows[0];
    let value = 100.0 + 40.0 + 1.5 + 7.0;
    assert_eq!(row.value, value);
    assert_eq!(row.label, "row 1");
    assert_eq!(row.outside.len(), 2);
    assert_eq!(row.outside[0].feature, "a");
    assert!((row.outside[0].excess - 1.0).abs() < 1e-12);
    assert!((row.outside[0].effect - 20.0 / value).abs() < 1e-12);
    assert!((row.outside[1].excess - 0.125).abs() < 1e-12);
    assert!((row.outside_share - (20.0 - 1.5) / value).abs() < 1e-12);
}

#[test]
fn effects_of_a_product_are_found_by_evaluation() {
    let formula = Formula::Product(vec![
        Formula::Feature("a".into()),
        Formula::Feature("b".into()),
    ]);
    let all = predict_csv(
        &model(formula, &[("a", 1.0, 10.0), ("b", 1.0, 5.0)]),
        "a,b\n20,3\n".as_bytes(),
    )
    .unwrap();
    assert_eq!(all.rows[0].value, 60.0);
    assert!((all.rows[0].outside[0].effect - 0.5).abs() < 1e-12);
}

#[test]
fn missing_columns() {
    let error = predict_csv(&linear(), "a\n1\n".as_bytes()).unwrap_err();
    assert!(
        matches!(&error, PredictError::MissingFeatures { count: 1, first, .. } if first == "b"),
        "{error}"
    );
    assert!(error.to_string().contains("add it to the table"), "{error}");
    let all = predict_csv(&linear(), "b\n2\n".as_bytes()).unwrap();
    assert_eq!(all.rows[0].value, 100.0 + 6.0 + 7.0);
    assert_eq!(all.assumed, ["a", "base"]);
}

#[test]
fn bad_tables() {
    let text = |table: &str| {
        predict_csv(&linear(), table.as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert!(text("a,b\n1,two\n").contains("line 2, column `b`: `two` is not a number"));
    assert!(text("a,b\n1,\n").contains("is not a number"));
    assert!(text("a,b\n1,NaN\n").contains("is not a number"));
    assert!(text("a,a\n1,2\n").contains("columns 1 and 2 are both named `a`"));
    assert!(text("a,b\n").contains("no rows"));
    assert!(text("").contains("the file is empty"));
    assert!(text("a,b\n1\n").contains("line 2: 1 fields where the header has 2"));
    let log = model(
        Formula::Log(Box::new(Formula::Feature("a".into()))),
        &[("a", 1.0, 2.0)],
    );
    assert!(matches!(
        predict_csv(&log, "a\n0\n".as_bytes()),
        Err(PredictError::NotFinite { .. })
    ));
}

fn dataset() -> Dataset {
    let block = |name: &str| Feature {
        name: name.into(),
        kind: FeatureKind::Block,
        unit: "1".into(),
        ..Feature::default()
    };
    let observation = |label: &str, status| Observation {
        label: label.into(),
        status,
        inputs: BTreeMap::from([
            ("size".to_owned(), InputValue::Number(4.0)),
            ("mode".to_owned(), InputValue::Text("fast".into())),
        ]),
        costs: BTreeMap::from([(
            "wall".to_owned(),
            Measured {
                repeats: vec![9.0, 1.0, 5.0],
            },
        )]),
        ..Observation::default()
    };
    Dataset {
        observations: vec![
            observation("bad", Status::Failed),
            observation("x", Status::Ok),
            observation("y", Status::Ok),
        ],
        features: vec![block("p"), block("q"), block("new")],
        columns: vec![
            vec![(ObservationId(1), 2.0), (ObservationId(2), 2.0)],
            vec![(ObservationId(1), 4.0), (ObservationId(2), 9.0)],
            vec![(ObservationId(2), 1.0)],
        ],
        ..Dataset::default()
    }
}

#[test]
fn datasets_use_counts_inputs_and_categories_of_successful_rows() {
    let formula = Formula::Linear {
        intercept: 0.0,
        terms: vec![
            (10.0, "p".into()),
            (1.0, "size".into()),
            (0.5, "mode=fast".into()),
        ],
    };
    let mut model = model(
        formula,
        &[
            ("p", 0.0, 5.0),
            ("q", 0.0, 9.0),
            ("size", 1.0, 9.0),
            ("mode=fast", 0.0, 1.0),
        ],
    );
    model.prices = vec![Price {
        bucket: "p + 1 more".into(),
        members: vec!["p".into(), "q".into()],
        ratios: vec![1.0, 2.0],
        price: Some(10.0),
        std_error: None,
        bounds: None,
        prior: None,
        evidence: None,
        support: 2,
        share: 1.0,
        note: None,
    }];
    let all = predict_dataset(&model, &dataset()).unwrap();
    assert_eq!(all.rows.len(), 2);
    assert_eq!(all.rows[0].value, 20.0 + 4.0 + 0.5);
    assert_eq!(all.rows[0].measured, Some(5.0));
    assert!(!all.rows[0].extrapolates());
    assert_eq!(all.rows[1].unpriced, ["new"]);
    assert_eq!(all.rows[1].separated, ["p + 1 more"]);
    assert!(all.rows[1].extrapolates());
}

#[test]
fn a_missing_value_is_no_unpriced_count_and_no_missing_column() {
    let formula = Formula::Linear {
        intercept: 1.0,
        terms: vec![(10.0, "C.x#1".into()), (2.0, "C.f(int) depth".into())],
    };
    let model = model(
        formula,
        &[("C.x#1", 3.0, 5.0), ("C.f(int) depth", 2.0, 9.0)],
    );
    let value = |name: &str| Feature {
        name: name.into(),
        kind: FeatureKind::Value,
        unit: "1".into(),
        ..Feature::default()
    };
    let mut data = dataset();
    data.features = vec![value("C.x#1"), value("C.m().i#1")];
    data.columns = vec![
        vec![(ObservationId(1), 4.0)],
        vec![(ObservationId(1), 0.0), (ObservationId(2), 0.0)],
    ];
    let all = predict_dataset(&model, &data).unwrap();
    assert_eq!(all.rows[0].value, 41.0);
    assert_eq!(all.rows[1].value, 1.0);
    assert!(all.rows.iter().all(|row| row.unpriced.is_empty()));
    let outside = |row: usize| -> Vec<&str> {
        let names = all.rows[row].outside.iter();
        names.map(|outside| outside.feature.as_str()).collect()
    };
    assert_eq!(outside(0), ["C.f(int) depth"]);
    assert_eq!(outside(1), ["C.x#1", "C.f(int) depth"]);
    let table = "C.x#1,C.f(int) depth\n4,2\n,2\n";
    let all = predict_csv(&model, table.as_bytes()).unwrap();
    assert_eq!((all.rows[0].value, all.rows[1].value), (45.0, 5.0));
    assert!(all.rows[1].extrapolates() && !all.rows[0].extrapolates());
    data.features[0].kind = FeatureKind::Block;
    data.features[1].kind = FeatureKind::Block;
    assert!(matches!(
        predict_dataset(&model, &data),
        Err(PredictError::MissingFeatures { count: 1, .. })
    ));
}

#[test]
fn code_that_every_run_of_the_training_reached_and_this_one_does_not_counts_nothing() {
    let name = "A.m(int) block 3 turns (A.java:7)";
    let formula: Formula = format!("2 + 3*`{name}`").parse().unwrap();
    let model = model(formula, &[(name, 0.98, 40.0)]);
    let with = |other: &str| {
        let mut data = dataset();
        data.features = vec![Feature {
            name: other.into(),
            kind: FeatureKind::Transition,
            unit: "1".into(),
            ..Feature::default()
        }];
        data.columns = vec![vec![(ObservationId(1), 4.0)]];
        predict_dataset(&model, &data)
    };
    let all = with("B.n() block 1 turns (B.java:2)").unwrap();
    assert!(
        all.rows
            .iter()
            .all(|row| row.value == 2.0 && row.extrapolates())
    );
    // It may be another program altogether, unless some of the same class was counted.
    assert!(all.unknown_program && all.to_text(100).contains("is this the program"));
    let same = with("A.n() block 1 turns (A.java:2)").unwrap();
    assert!(!same.unknown_program && !same.to_text(100).contains("is this the program"));
    // Nothing of the sort was counted.
    let error = with("B.n() invocations").unwrap_err();
    assert!(matches!(
        error,
        PredictError::MissingFeatures { count: 1, .. }
    ));
}

/// A model of somebody's table, in which `n` was always 3.
fn of_a_table(formula: Formula) -> CostModel {
    let ranges = [
        ("n", 3.0, 3.0),
        ("b", 0.0, 50.0),
        ("k=p", 0.0, 1.0),
        ("k=q", 0.0, 1.0),
    ];
    let mut model = model(formula, &ranges);
    model.provenance.scope = "table".into();
    model
}

#[test]
fn both_sides_of_an_if_are_needed() {
    let formula: Formula = "if(n > 10, 99*b, 7*n)".parse().unwrap();
    let model = of_a_table(formula);
    let error = predict_csv(&model, b"n,B\n3,1\n").unwrap_err().to_string();
    assert!(
        error.contains("no column for 1 of the model's features, such as `b` (0 … 50 in training)")
            && error.contains("(is it what `B` holds?)"),
        "{error}"
    );
    let all = predict_csv(&model, b"n,b\n3,1\n20,60\n").unwrap();
    assert_eq!((all.rows[0].value, all.rows[1].value), (21.0, 5940.0));
    assert!(!all.rows[0].extrapolates() && all.rows[1].outside.len() == 2);
}

#[test]
fn nothing_is_assumed_of_a_table() {
    let model = of_a_table("5*b + 2*n".parse().unwrap());
    for table in ["n\n3\n", "b\n3\n", "gzip;tls\n0;1\n"] {
        let error = predict_csv(&model, table.as_bytes()).unwrap_err();
        assert!(
            matches!(error, PredictError::MissingFeatures { .. }),
            "{error}"
        );
    }
    assert_eq!(
        predict_csv(&model, b"n;b\n3;4\n").unwrap().rows[0].value,
        26.0
    );
}

#[test]
fn a_feature_that_the_formula_does_not_ask_for_is_watched_as_well() {
    let model = of_a_table("5*b".parse().unwrap());
    let all = predict_csv(&model, b"b,n\n4,3\n4,4\n4,3.1\n").unwrap();
    let far: Vec<bool> = all
        .rows
        .iter()
        .map(pricetag_finding::Prediction::extrapolates)
        .collect();
    assert_eq!(far, [false, true, false]);
    let caution = all.rows[1].caution();
    assert!(caution.contains("n = 4 (seen 3 … 3)"), "{caution}");
    assert!(!all.rows[1].hardly_extrapolates());
}

#[test]
fn levels_that_were_never_seen_are_flagged() {
    let model = of_a_table("5*b + 100*`k=q`".parse().unwrap());
    let all = predict_csv(&model, b"b,k\n1,p\n2, q\n3,new\n4,\n5,True\n").unwrap();
    let values: Vec<f64> = all.rows.iter().map(|row| row.value).collect();
    assert_eq!(values, [5.0, 110.0, 15.0, 25.0]);
    let unseen: Vec<_> = all.rows.iter().map(|row| row.unpriced.concat()).collect();
    assert_eq!(unseen, ["", "", "k=new", "k=True"]);
    assert_eq!(all.failed[0].label, "row 4");
    assert_eq!(all.failed[0].reason, "`k` is missing (line 5)");
    // No row has the level that the model asks for, but the table has the category.
    assert_eq!(
        predict_csv(&model, b"b,k\n1,p\n").unwrap().rows[0].value,
        5.0
    );
    assert!(predict_csv(&model, b"b\n1\n").is_err());
}

#[test]
fn booleans_are_numbers_and_holes_are_filled_as_when_it_was_learnt() {
    let mut model = of_a_table("5*b + 9*`b is missing`".parse().unwrap());
    model
        .domain
        .insert("b is missing".into(), Domain { min: 0.0, max: 1.0 });
    let recording = &mut model.provenance.recording;
    recording.insert("imputed b".into(), "20".into());
    let all = predict_csv(&model, b"b\nTrue\nfalse\nNA\n30\n").unwrap();
    let values: Vec<f64> = all.rows.iter().map(|row| row.value).collect();
    assert_eq!(values, [5.0, 0.0, 109.0, 150.0]);
}

#[test]
fn no_cost_is_negative_where_all_are_positive_and_ends_are_in_order() {
    let mut model = of_a_table("40 - b".parse().unwrap());
    let table = b"b\n30\n41\n500\n";
    let free = predict_csv(&model, table).unwrap();
    assert_eq!(free.rows[2].value, -460.0);
    assert_eq!(free.rows[2].interval, Some((-460.0 * 1.2, -460.0 * 0.9)));
    model.costs = Some(Domain {
        min: 8.0,
        max: 40.0,
    });
    let all = predict_csv(&model, table).unwrap();
    let values: Vec<f64> = all.rows.iter().map(|row| row.value).collect();
    assert_eq!(values, [10.0, 0.8, 0.8]);
    let given: Vec<_> = all.rows.iter().map(|row| row.implausible).collect();
    assert_eq!(given, [None, Some(-1.0), Some(-460.0)]);
    assert!(all.rows[1].extrapolates() && all.rows[1].caution().contains("below zero"));
    let (low, high) = all.rows[2].interval.unwrap();
    assert!(0.0 < low && low < 0.8 && 0.8 < high);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]
    #[test]
    fn no_table_makes_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = predict_csv(&linear(), &bytes);
    }

    #[test]
    fn rows_within_their_range_never_extrapolate(a in 0.0..=10.0f64, b in 1.0..=5.0f64) {
        let all = predict_csv(&linear(), format!("a,b\n{a},{b}\n").as_bytes()).unwrap();
        proptest::prop_assert!(!all.rows[0].extrapolates());
        proptest::prop_assert!((all.rows[0].value - (107.0 + 2.0 * a + 3.0 * b)).abs() < 1e-9);
    }
}
