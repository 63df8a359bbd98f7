//! Backward elimination against R's `step` (`tests/oracle_ols/make.R`) and against its definition by refitting.

mod frozen;

use frozen::{Frozen, close, number};
use pricetag_estimator::{Checked, Column, Design, Estimator, Values, conformance};
use pricetag_regress::{BackwardElimination, LeastSquares};
use proptest::prelude::*;

/// R's `step`.
const R: Frozen = Frozen("oracle_ols");

#[test]
fn drops_are_those_of_r() {
    let names = R.cases("step-");
    assert!(names.len() >= 16, "{names:?}");
    for name in names {
        let expected = R.lines(&name);
        let word = |key: &str| expected.iter().find(|l| l[0] == key).unwrap()[1].clone();
        let step = BackwardElimination {
            intercept: word("intercept") == "1",
            penalty: number(&word("penalty")),
            ..BackwardElimination::default()
        };
        let design = R.design(&name).check().unwrap();
        let found = step.eliminate(&design).unwrap();
        assert!(
            close(found.aic, number(&word("aic")), 1e-9),
            "{name}: AIC {}",
            found.aic
        );
        let r: Vec<&Vec<String>> = expected.iter().filter(|l| l[0] == "drop").collect();
        let sequence: Vec<&str> = found
            .drops
            .iter()
            .map(|d| design.columns[d.column].name.as_str())
            .collect();
        assert_eq!(
            sequence,
            r.iter().map(|l| l[1].as_str()).collect::<Vec<_>>(),
            "{name}"
        );
        for (drop, line) in found.drops.iter().zip(&r) {
            assert_eq!(drop.df, number(&line[2]) as u32, "{name}: {line:?}");
            assert!(
                close(drop.rss, number(&line[3]), 1e-9),
                "{name}: {drop:?} {line:?}"
            );
            assert!(
                (drop.aic - number(&line[4])).abs() < 1e-6,
                "{name}: {drop:?} {line:?}"
            );
        }
        let summary = step.fit(&design).unwrap().summary.unwrap();
        let kept: Vec<&Vec<String>> = expected.iter().filter(|l| l[0] == "kept").collect();
        assert_eq!(summary.coefficients.len(), kept.len(), "{name}");
        for (row, line) in summary.coefficients.iter().zip(kept) {
            assert_eq!(row.name, line[1], "{name}");
            let estimate = row.estimate.unwrap().0;
            assert!(
                close(estimate, number(&line[2]), 1e-7),
                "{name}: {line:?} {estimate}"
            );
        }
    }
}

#[test]
fn an_exact_fit_has_no_criterion() {
    let column = |name: &str, values: Vec<f64>| Column {
        name: name.into(),
        values: Values::Dense(values),
    };
    let design = Design::new(
        vec![
            column("a", vec![1.0, 2.0, 5.0]),
            column("b", vec![3.0, 1.0, 1.0]),
        ],
        vec![7.0, 4.0, 7.0],
    );
    let error = BackwardElimination::default()
        .fit(&design.check().unwrap())
        .unwrap_err();
    assert!(error.to_string().contains("exactly"), "{error}");
}

#[test]
fn aliased_columns_have_no_price_and_dropped_ones_none_but_zero() {
    let design = R.design("step-aliased-plain").check().unwrap();
    let step = BackwardElimination::default();
    let found = step.eliminate(&design).unwrap();
    let fitted = step.fit(&design).unwrap();
    assert_eq!(fitted.coefficients.len(), design.columns.len());
    for drop in &found.drops {
        let expected = (drop.df == 1).then_some(0.0);
        assert_eq!(fitted.coefficients[drop.column].estimate, expected);
    }
    assert!(
        found
            .kept
            .iter()
            .all(|&k| fitted.coefficients[k].estimate.is_some_and(|e| e != 0.0))
    );
    assert!(
        fitted.notes[0].message.contains("kept"),
        "{:?}",
        fitted.notes
    );
}

#[test]
fn it_conforms() {
    for intercept in [false, true] {
        let step = BackwardElimination {
            intercept,
            ..BackwardElimination::default()
        };
        let found = conformance::violations(&step);
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// The criterion of a fit of some columns, from scratch.
fn criterion(design: &Checked<Design>, columns: &[usize]) -> f64 {
    let mut some = Design::clone(design);
    some.columns = columns.iter().map(|&j| design.columns[j].clone()).collect();
    let fit = LeastSquares {
        intercept: true,
        ..LeastSquares::default()
    };
    let summary = fit.fit(&some.check().unwrap()).unwrap().summary.unwrap();
    let n = design.rows() as f64;
    let rss = summary.sigma.powi(2) * f64::from(summary.residual_df);
    n * (rss / n).ln() + 2.0 * f64::from(summary.rank)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_drop_is_the_best_of_all(
        cells in proptest::collection::vec(0_u8..30, 25 * 5),
        costs in proptest::collection::vec(0_u16..500, 25),
    ) {
        let columns = (0..5)
            .map(|j| Column {
                name: format!("c{j}"),
                values: Values::Dense((0..25).map(|i| f64::from(cells[25 * j + i])).collect()),
            })
            .collect();
        let target = costs.iter().map(|c| f64::from(*c)).collect();
        let design = Design::new(columns, target).check().unwrap();
        let step = BackwardElimination { intercept: true, ..BackwardElimination::default() };
        let found = step.eliminate(&design).unwrap();
        let mut present: Vec<usize> = (0..5).collect();
        let mut aic = criterion(&design, &present);
        prop_assert!((found.aic - aic).abs() < 1e-7);
        for drop in &found.drops {
            let without = |c: usize| present.iter().copied().filter(|&p| p != c).collect::<Vec<_>>();
            let of_drop = if present.len() > 1 { criterion(&design, &without(drop.column)) } else { drop.aic };
            prop_assert!((drop.aic - of_drop).abs() < 1e-7);
            if present.len() > 1 {
                for &other in &present {
                    prop_assert!(criterion(&design, &without(other)) >= of_drop - 1e-7);
                }
            }
            prop_assert!(of_drop <= aic + 1e-7);
            aic = of_drop;
            present.retain(|&p| p != drop.column);
        }
        prop_assert_eq!(&present, &found.kept);
    }
}

/// Costs and columns whose squares are no numbers: the same columns are kept, and the criterion moves by what the units are worth.
#[test]
fn numbers_whose_squares_overflow_are_scaled() {
    use pricetag_estimator::{Column, Design, Values};
    let fitted = |a: f64, b: f64, y: f64| {
        let noise = |i: usize| 0.1 * ((i * 5 % 7) as f64 - 3.0);
        let columns = vec![
            Column {
                name: "a".into(),
                values: Values::Dense((0..40).map(|i| a * f64::from(1 + i * 7 % 41)).collect()),
            },
            Column {
                name: "b".into(),
                values: Values::Dense((0..40).map(|i| b * f64::from(1 + i * 11 % 23)).collect()),
            },
        ];
        let cost = |i: usize| (1 + i * 7 % 41) as f64 * 3.0 + 50.0 + noise(i);
        let target = (0..40).map(|i| y * cost(i)).collect();
        let design = Design::new(columns, target).check().unwrap();
        BackwardElimination {
            intercept: true,
            ..BackwardElimination::default()
        }
        .eliminate(&design)
        .unwrap()
    };
    let plain = fitted(1.0, 1.0, 1.0);
    assert_eq!(plain.kept, [0]);
    let huge = fitted(1e300, 1e-300, 1e200);
    assert_eq!(huge.kept, plain.kept);
    let shift = 2.0 * 40.0 * 1e200_f64.ln();
    assert!(
        (huge.aic - plain.aic - shift).abs() < 1e-6,
        "{} {}",
        huge.aic,
        plain.aic
    );
}
