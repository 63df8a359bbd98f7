//! What cross-validation chooses, against refits of every fold; conformance.

mod frozen;

use frozen::Frozen;
use pricetag_estimator::{Column, Design, Values, conformance, folds_by_group};
use pricetag_regress::Lasso;
use pricetag_regress::lasso::{Lambda, Standardisation};

#[test]
fn cross_validation_is_that_of_refits() {
    for (name, intercept, standardisation) in [
        ("counts", true, Standardisation::Deviation),
        ("relative", true, Standardisation::Range),
        ("relative", false, Standardisation::Maximum),
        ("diabetes", false, Standardisation::Deviation),
        ("more-columns", true, Standardisation::None),
        ("sum", true, Standardisation::Maximum),
    ] {
        let mut unchecked = Frozen("golden/lasso").design(name);
        let groups = unchecked.rows() / 3;
        unchecked.groups = (0..unchecked.rows())
            .map(|i| format!("g{}", i % groups.max(5)))
            .collect();
        let design = unchecked.check().unwrap();
        let lasso = Lasso {
            intercept,
            standardisation,
            folds: 5,
            grid: 20,
            seed: 7,
            ..Lasso::default()
        };
        let (path, curve) = lasso.cross_validate(&design).unwrap();
        assert_eq!(curve.lambda, path.grid(20));
        let folds = folds_by_group(&design.groups, 5, 7);
        for (k, fold) in folds.iter().enumerate() {
            let train = design.subset(&fold.train).unwrap();
            let test = design.subset(&fold.test).unwrap();
            let refit = Lasso {
                ratio: Some(1e-6),
                ..lasso.clone()
            }
            .path(&train)
            .unwrap();
            let total: f64 = test.weights.iter().sum();
            for (l, &lambda) in curve.lambda.iter().enumerate() {
                let predicted = refit.at(lambda).predict(&test);
                let squares = (0..test.rows())
                    .map(|i| test.weights[i] * (test.target[i] - predicted[i]).powi(2));
                let error = squares.sum::<f64>() / total;
                let found = curve.folds[k][l];
                assert!(
                    (found - error).abs() <= 1e-7 * error,
                    "{name} fold {k} λ {lambda}: {found} {error}"
                );
            }
        }
        let best = curve.mean.iter().copied().fold(f64::INFINITY, f64::min);
        let at = curve
            .lambda
            .iter()
            .position(|l| *l == curve.lambda_min)
            .unwrap();
        assert_eq!(curve.mean[at], best);
        assert!(curve.lambda_1se >= curve.lambda_min);
    }
}

#[test]
fn lassos_conform() {
    let plain = Lasso::default();
    let kinds = [
        plain.clone(),
        Lasso {
            intercept: false,
            standardisation: Standardisation::Maximum,
            ..plain.clone()
        },
        Lasso {
            standardisation: Standardisation::Range,
            lambda: Lambda::OneStandardError,
            ..plain.clone()
        },
        Lasso {
            non_negative: true,
            ..plain.clone()
        },
        Lasso {
            alpha: 0.5,
            ..plain.clone()
        },
        Lasso {
            lambda: Lambda::Value(0.5),
            ..plain
        },
    ];
    for lasso in &kinds {
        let exempt: &[&str] = match lasso.lambda {
            // A given λ is in units of the cost.
            Lambda::Value(_) => &["scaled target"],
            // The squares of an elastic net are smaller where a price is shared, so a copy shrinks it less.
            _ if lasso.alpha < 1.0 => &["a copy changes nothing"],
            _ => &[],
        };
        let found = conformance::violations_except(lasso, exempt);
        assert!(found.is_empty(), "{lasso:?}: {found:#?}");
    }
}

/// A column that differs from another by a hundred-thousandth: products of rows hold its new share, 1e-10, to six digits.
#[test]
fn folds_of_nearly_dependent_columns_are_worked_out_from_their_rows() {
    let rows = 60;
    let value = |i: usize| 10.0 + ((i * 17) % 23) as f64;
    let noise = |i: usize, k: usize| (((i * (7 + k) + i * i) % 13) as f64 - 6.0) / 6.0;
    let dense = |f: &dyn Fn(usize) -> f64| Values::Dense((0..rows).map(f).collect());
    let column = |name: &str, values| Column {
        name: name.into(),
        values,
    };
    let columns = vec![
        column("a", dense(&value)),
        column("near a", dense(&|i| value(i) + 3e-4 * noise(i, 0))),
        column("b", dense(&|i| ((i * 5) % 11) as f64)),
    ];
    let target = |i: usize| {
        3.0 * value(i) + 2e4 * 3e-4 * noise(i, 0) + ((i * 5) % 11) as f64 + 0.1 * noise(i, 2)
    };
    let design = Design::new(columns, (0..rows).map(target).collect())
        .check()
        .unwrap();
    let lasso = Lasso {
        folds: 4,
        grid: 30,
        ratio: Some(1e-9),
        ..Lasso::default()
    };
    let (path, curve) = lasso.cross_validate(&design).unwrap();
    let last = &path.knots.last().unwrap().model;
    assert_eq!(last.coefficients.len(), 3, "both enter: {last:?}");
    for (k, fold) in folds_by_group(&design.groups, 4, 1).iter().enumerate() {
        let train = design.subset(&fold.train).unwrap();
        let test = design.subset(&fold.test).unwrap();
        let refit = Lasso {
            ratio: Some(1e-11),
            ..lasso.clone()
        };
        let refit = refit.path(&train).unwrap();
        for (l, &lambda) in curve.lambda.iter().enumerate() {
            let predicted = refit.at(lambda).predict(&test);
            let squares = (0..test.rows()).map(|i| (test.target[i] - predicted[i]).powi(2));
            let error = squares.sum::<f64>() / test.rows() as f64;
            let found = curve.folds[k][l];
            assert!(
                (found - error).abs() <= 1e-7 * error,
                "fold {k} λ {lambda}: {found} {error}"
            );
        }
    }
}

#[test]
fn penalties_decide_between_equals() {
    // Two copies: the one that costs less is taken, whatever the order.
    let values =
        |f: &dyn Fn(f64) -> f64| Values::Dense((1..=30).map(|i| f(f64::from(i))).collect());
    let columns = vec![
        Column {
            name: "dear".into(),
            values: values(&|i| i),
        },
        Column {
            name: "cheap".into(),
            values: values(&|i| i),
        },
        Column {
            name: "free".into(),
            values: values(&|i| (i * 7.0) % 5.0),
        },
    ];
    let target = (1..=30)
        .map(|i| 3.0 * f64::from(i) + 2.0 * f64::from(i * 7 % 5) + 10.0)
        .collect();
    let design = Design::new(columns, target).check().unwrap();
    let lasso = Lasso {
        penalties: vec![2.0, 1.0, 0.0],
        ..Lasso::default()
    };
    let path = lasso.path(&design).unwrap();
    assert!(
        path.knots
            .iter()
            .all(|k| k.model.coefficients.iter().all(|c| c.0 != 0))
    );
    assert!(
        path.knots
            .iter()
            .all(|k| k.model.coefficients.iter().any(|c| c.0 == 2))
    );
    let refused = Lasso {
        non_negative: true,
        ..lasso
    }
    .path(&design);
    assert!(
        refused.is_err(),
        "a free column and a bound do not go together"
    );
}

/// 12 rows, 40 columns: the path reaches the costs exactly unless it is told to stop before.
#[test]
fn a_path_ends_where_it_is_told_that_enough_is_explained() {
    let values = |j: usize| -> Vec<f64> {
        (0..12)
            .map(|i| ((i * i * 7 + i * j * 13 + j * j * 5) % 31) as f64)
            .collect()
    };
    let columns = (0..40).map(|j| Column {
        name: format!("c{j}"),
        values: Values::Dense(values(j)),
    });
    let target: Vec<f64> = (0..12).map(|i| 100.0 + f64::from((i * 17) % 12)).collect();
    let mean = target.iter().sum::<f64>() / 12.0;
    let total: f64 = target.iter().map(|y| (y - mean).powi(2)).sum();
    let design = Design::new(columns.collect(), target).check().unwrap();
    let whole = Lasso {
        ratio: Some(0.0),
        ..Lasso::default()
    };
    let short = Lasso {
        saturation: Some(0.01),
        ..whole.clone()
    };
    let left = |knot: &pricetag_regress::lasso::Knot| {
        let predicted = knot.model.predict(&design);
        let squares = predicted
            .iter()
            .zip(&design.target)
            .map(|(p, y)| (p - y).powi(2));
        squares.sum::<f64>() / total
    };
    let (whole, short) = (whole.path(&design).unwrap(), short.path(&design).unwrap());
    assert!(left(whole.knots.last().unwrap()) < 1e-20);
    let (last, before) = short.knots.split_last().unwrap();
    assert!(left(last) <= 0.01 && before.iter().all(|k| left(k) > 0.01));
    assert_eq!(whole.knots[..short.knots.len()], short.knots[..]);
}
