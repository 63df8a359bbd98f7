//! Leverages against R's `hatvalues` (`golden/make.R`), and what a diagnosis makes of them.

#[path = "../../regress/tests/frozen/mod.rs"]
mod frozen;

use frozen::Frozen;
use pricetag_cost_model::Severity;
use pricetag_estimator::{Checked, Column, Design, Diagnosis, Values};

/// A frozen case and R's leverages.
fn load(name: &str) -> (Checked<Design>, Vec<f64>) {
    let mut design = Frozen("golden").design(&format!("leverage-{name}"));
    let leverages = design.columns.pop().unwrap();
    let rows = design.rows();
    (design.check().unwrap(), leverages.values.to_dense(rows))
}

#[test]
fn leverages_are_those_of_r() {
    for name in ["stackloss", "counts", "counts-relative", "aliased"] {
        let (design, expected) = load(name);
        let found = Diagnosis::of(&design);
        assert_eq!(found.leverage.len(), expected.len(), "{name}");
        for (row, (h, r)) in found.leverage.iter().zip(&expected).enumerate() {
            assert!((h - r).abs() < 1e-11, "{name}, row {row}: {h}, R has {r}");
        }
        // The trace of a projection is its rank.
        let trace: f64 = found.leverage.iter().sum();
        assert!((trace - found.rank as f64).abs() < 1e-9, "{name}: {trace}");
    }
}

#[test]
fn a_constant_beside_the_columns_takes_part() {
    let (design, expected) = load("constant");
    let found = Diagnosis::beside_constant(&design);
    for (h, r) in found.leverage.iter().zip(&expected) {
        assert!((h - r).abs() < 1e-9, "{h}, R has {r}");
    }
    assert_eq!(found.leading_rows(), [expected.len() - 1]);
    assert!(Diagnosis::of(&design).leading_rows().is_empty());
}

#[test]
fn a_row_that_decides_its_own_prediction_is_named() {
    let (design, expected) = load("counts");
    // The last row alone has a count of `rare`.
    let last = design.rows() - 1;
    assert!((expected[last] - 1.0).abs() < 1e-12);
    let found = Diagnosis::of(&design);
    assert_eq!(found.leading_rows()[0], last);
    let warning = found
        .messages
        .iter()
        .find(|m| m.message.contains("leverage"))
        .unwrap();
    assert_eq!(warning.severity, Severity::Warning);
    let label = &design.labels[last];
    assert!(
        warning.message.contains(&format!("`{label}` (1.00)")),
        "{}",
        warning.message
    );
    let (calm, _) = load("stackloss");
    assert!(Diagnosis::of(&calm).leading_rows().is_empty());
}

#[test]
fn columns_behind_a_large_condition_number_are_named() {
    let n = 40;
    let a: Vec<f64> = (0..n).map(|i| f64::from(i * 7 % 23) + 1.0).collect();
    let b: Vec<f64> = (0..n).map(|i| f64::from(i * 5 % 17) + 2.0).collect();
    let near: Vec<f64> = a
        .iter()
        .enumerate()
        .map(|(i, x)| 3.0 * x * (1.0 + 1e-6 * (i % 3) as f64))
        .collect();
    let columns = [("a", a), ("b", b), ("near a", near)].map(|(name, values)| Column {
        name: name.to_owned(),
        values: Values::Dense(values),
    });
    let design = Design::new(columns.to_vec(), vec![1.0; n as usize]);
    let found = Diagnosis::of(&design.check().unwrap());
    let behind: Vec<(usize, usize)> = found.inflated.iter().map(|i| (i.column, i.with)).collect();
    assert_eq!(behind.len(), 2, "{behind:?}");
    assert!(behind.contains(&(0, 2)) && behind.contains(&(2, 0)));
    let message = &found.messages[0].message;
    assert!(
        message.contains("behind it: ") && message.contains("`a`") && message.contains("`near a`"),
        "{message}"
    );
    assert!(!message.contains("`b`"), "{message}");
}
