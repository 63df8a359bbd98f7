//! L1, Huber and normalised regression against R (`golden-robust/make.R`), against every vertex of small problems, and
//! against their definitions.

mod frozen;

use frozen::{Frozen, numbers};
use pricetag_estimator::{Column, Design, Estimator, Values, conformance};
use pricetag_regress::robust::Scale;
use pricetag_regress::{Huber, LeastAbsolute, LeastSquares, NonNegative, Normalised};
use proptest::prelude::*;

fn design(columns: Vec<Vec<f64>>, target: Vec<f64>) -> Design {
    let named = |(j, values): (usize, Vec<f64>)| Column {
        name: format!("x{}", j + 1),
        values: Values::Dense(values),
    };
    Design::new(columns.into_iter().enumerate().map(named).collect(), target)
}

/// R's robust fits.
const R: Frozen = Frozen("golden-robust");

/// A frozen case and R's lines about it.
fn load(name: &str) -> (Design, Vec<(String, Vec<f64>)>) {
    let parse = |line: Vec<String>| {
        let values = numbers(&line[1..]);
        (line[0].clone(), values)
    };
    let lines = R.lines(name).into_iter().map(parse);
    (R.design(name), lines.collect())
}

const CASES: [&str; 15] = [
    "stackloss",
    "engel",
    "engel-relative",
    "counts",
    "counts-relative",
    "counts-some-weightless",
    "counts-wide",
    "ties",
    "duplicate-rows",
    "duplicate-column",
    "more-columns-than-rows",
    "one-row",
    "ranges",
    "half-exact",
    "signs",
];

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-300)
}

/// Σ √w |y − xβ|, from the definition.
fn absolute_error(design: &Design, coefficients: &[f64]) -> f64 {
    let dense: Vec<Vec<f64>> = design
        .columns
        .iter()
        .map(|c| c.values.to_dense(design.rows()))
        .collect();
    let residual = |i: usize| {
        design.target[i]
            - dense
                .iter()
                .zip(coefficients)
                .map(|(c, b)| c[i] * b)
                .sum::<f64>()
    };
    (0..design.rows())
        .map(|i| design.weights[i].sqrt() * residual(i).abs())
        .sum()
}

#[test]
fn least_absolute_errors_are_those_of_quantreg() {
    let (mut compared, mut unique) = (0, 0);
    for name in CASES {
        let (design, lines) = load(name);
        let checked = design.clone().check().unwrap();
        for non_negative in [false, true] {
            let estimator = LeastAbsolute {
                intercept: false,
                non_negative,
            };
            let fit = estimator.solve(&checked).unwrap();
            let estimates: Vec<f64> = fit
                .fitted
                .coefficients
                .iter()
                .map(|c| c.estimate.unwrap_or(0.0))
                .collect();
            let objective = absolute_error(&design, &estimates);
            let size: f64 = absolute_error(&design, &vec![0.0; estimates.len()]);
            let proof = fit.certificate;
            assert!(
                near(proof.objective, objective, 1e-9) || objective < 1e-9 * size,
                "{name}: {proof:?} {objective}"
            );
            assert!(
                (proof.objective - proof.bound).abs() <= 1e-9 * proof.objective.max(1e-3 * size),
                "{name}: {proof:?}"
            );
            assert!(proof.imbalance <= 1e-9, "{name}: {proof:?}");
            assert!(
                !non_negative || estimates.iter().all(|b| *b >= 0.0),
                "{name}: {estimates:?}"
            );
            let wanted = lines
                .iter()
                .find(|l| l.0 == if non_negative { "rqpos" } else { "rq" });
            let Some((_, wanted)) = wanted else { continue };
            compared += 1;
            if non_negative {
                // An interior point of R's: never better than the exact solution, and close.
                assert!(
                    objective <= wanted[0] * (1.0 + 1e-9) && near(objective, wanted[0], 1e-4),
                    "{name}: {objective} {wanted:?}"
                );
                continue;
            }
            assert!(
                near(objective, wanted[0], 1e-10),
                "{name}: {objective}, R has {}",
                wanted[0]
            );
            if !fit.ambiguous {
                unique += 1;
                for (found, wanted) in estimates.iter().zip(&wanted[1..]).filter(|p| !p.1.is_nan())
                {
                    assert!(
                        near(*found, *wanted, 1e-7),
                        "{name}: {estimates:?}, R has {wanted:?}"
                    );
                }
            }
        }
    }
    assert!(
        compared >= 22 && unique >= 8,
        "{compared} compared, {unique} unique"
    );
}

#[test]
fn dependent_columns_and_ties_are_said() {
    let l1 = LeastAbsolute::default();
    let (design, _) = load("duplicate-column");
    let fit = l1.fit(&design.check().unwrap()).unwrap();
    let given: Vec<bool> = fit
        .coefficients
        .iter()
        .map(|c| c.estimate.is_some())
        .collect();
    assert_eq!(given, [true, true, true, true, false, false, false]);
    assert!(
        fit.notes[0].message.contains("`x5`, `x6`, `x7`"),
        "{:?}",
        fit.notes
    );
    // The median of an even number of observations.
    let (even, odd) = (vec![1.0, 2.0, 4.0, 9.0], vec![1.0, 2.0, 4.0]);
    let of = |y: Vec<f64>| l1.solve(&design_of_ones(y).check().unwrap()).unwrap();
    assert!(
        of(even.clone()).ambiguous
            && of(even).fitted.notes[0]
                .message
                .contains("other coefficients")
    );
    let odd = of(odd);
    assert!(!odd.ambiguous && odd.fitted.notes.is_empty());
    assert_eq!(odd.fitted.coefficients[0].estimate, Some(2.0));
}

fn design_of_ones(y: Vec<f64>) -> Design {
    design(vec![vec![1.0; y.len()]], y)
}

#[test]
fn wild_measurements_do_not_spoil_the_prices() {
    let n = 40;
    let a: Vec<f64> = (0..n).map(|i| f64::from(1 + i * 7 % 23)).collect();
    let b: Vec<f64> = (0..n).map(|i| f64::from(2 + i * 5 % 17)).collect();
    let mut y: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 3.0 * a + 0.5 * b).collect();
    for i in (0..12).map(|i| 3 * i) {
        y[i] *= 50.0;
    }
    let checked = design(vec![a, b], y).check().unwrap();
    let error = |e: &dyn Estimator| {
        let fit = e.fit(&checked).unwrap();
        (fit.coefficients[0].estimate.unwrap() - 3.0).abs()
    };
    assert!(error(&LeastAbsolute::default()) < 1e-9);
    assert!(error(&Huber::default()) < 1e-6);
    assert!(error(&LeastSquares::default()) > 1.0);
}

#[test]
fn huber_is_that_of_mass() {
    let mut compared = 0;
    for name in CASES {
        let (design, lines) = load(name);
        let checked = design.check().unwrap();
        for (key, scale) in [("mad", Scale::MedianDeviation), ("prop2", Scale::Proposal2)] {
            let Some((_, wanted)) = lines.iter().find(|l| l.0 == key) else {
                continue;
            };
            let fit = Huber {
                scale,
                ..Huber::default()
            }
            .fit(&checked)
            .unwrap();
            let kept: Vec<_> = fit
                .coefficients
                .iter()
                .filter(|c| c.estimate.is_some())
                .collect();
            let p = kept.len();
            assert_eq!(wanted.len(), 1 + 2 * p, "{name}");
            for (k, c) in kept.iter().enumerate() {
                let (b, e) = (c.estimate.unwrap(), c.std_error.unwrap());
                // Coefficients are determined to a share of their standard errors.
                let close = (b - wanted[1 + k]).abs() <= 1e-8 * b.abs().max(e);
                assert!(close, "{name} {key}: {b}, R has {}", wanted[1 + k]);
                assert!(
                    near(e, wanted[1 + p + k], 1e-7),
                    "{name} {key}: error {e}, R has {}",
                    wanted[1 + p + k]
                );
                compared += 1;
            }
        }
    }
    assert!(compared >= 60, "{compared}");
    let (half, _) = load("half-exact");
    let fit = Huber::default().fit(&half.check().unwrap()).unwrap();
    assert!(near(fit.coefficients[0].estimate.unwrap(), 2.0, 1e-9));
    assert!(
        fit.notes[0].message.contains("fitted exactly"),
        "{:?}",
        fit.notes
    );
    let wrong = Huber {
        threshold: 0.0,
        ..Huber::default()
    };
    let error = wrong.fit(&load("engel").0.check().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "huber: threshold = 0 is out of range");
}

#[test]
fn normalised_errors_are_divided_by_the_total_of_the_group() {
    // Two programs: totals 10 and 1000; by hand Σ x·y/S² / Σ x²/S².
    let (x, y) = (vec![1.0, 2.0, 10.0, 90.0], vec![4.0, 6.0, 100.0, 900.0]);
    let mut two = design(vec![x], y);
    two.groups = ["small", "small", "large", "large"]
        .map(str::to_owned)
        .to_vec();
    let checked = two.clone().check().unwrap();
    let fit = Normalised(LeastSquares::default()).fit(&checked).unwrap();
    let expected = (16.0 / 1e2 + 82_000.0 / 1e6) / (5.0 / 1e2 + 8200.0 / 1e6);
    assert_eq!(fit.method, "normalised");
    assert!(near(fit.coefficients[0].estimate.unwrap(), expected, 1e-14));
    // The robust form: the weighted median of y/x with weights x/S, here 4, 3, 10, 10 with 0.1, 0.2, 0.01, 0.09.
    let robust = Normalised(LeastAbsolute::default()).fit(&checked).unwrap();
    assert!(
        near(robust.coefficients[0].estimate.unwrap(), 4.0, 1e-12),
        "{robust:?}"
    );
    // A row without weight is in no total.
    two.weights[3] = 0.0;
    let fit = Normalised(NonNegative).fit(&two.check().unwrap()).unwrap();
    let expected = (16.0 / 1e2 + 1000.0 / 1e4) / (5.0 / 1e2 + 100.0 / 1e4);
    assert!(
        near(fit.coefficients[0].estimate.unwrap(), expected, 1e-12),
        "{fit:?}"
    );
}

#[test]
fn robust_estimators_conform() {
    let mut found = Vec::new();
    for intercept in [false, true] {
        for non_negative in [false, true] {
            found.extend(conformance::violations(&LeastAbsolute {
                intercept,
                non_negative,
            }));
        }
        for scale in [Scale::MedianDeviation, Scale::Proposal2] {
            found.extend(conformance::violations(&Huber {
                intercept,
                scale,
                ..Huber::default()
            }));
        }
    }
    found.extend(conformance::violations(
        &Normalised(LeastSquares::default()),
    ));
    found.extend(conformance::violations(&Normalised(
        LeastAbsolute::default(),
    )));
    found.extend(conformance::violations(&Normalised(NonNegative)));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn many_ties_are_certified() {
    // Small whole numbers: nearly every vertex is degenerate. A linear congruential generator makes them.
    let mut state = 20_261_121_u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as f64
    };
    for (n, p) in [(40, 3), (120, 8), (400, 15), (60, 40)] {
        let columns: Vec<Vec<f64>> = (0..p).map(|_| (0..n).map(|_| next(4)).collect()).collect();
        let target: Vec<f64> = (0..n).map(|_| next(6)).collect();
        let checked = design(columns, target).check().unwrap();
        for non_negative in [false, true] {
            for intercept in [false, true] {
                let fit = LeastAbsolute {
                    intercept,
                    non_negative,
                }
                .solve(&checked)
                .unwrap();
                let proof = fit.certificate;
                let gap = (proof.objective - proof.bound).abs() / proof.objective;
                assert!(
                    gap <= 1e-9 && proof.imbalance <= 1e-9,
                    "{n} × {p}: {proof:?}"
                );
            }
        }
    }
}

/// The least objective over all points where as many rows (or walls βⱼ = 0) as columns are fitted exactly.
fn best_vertex(columns: &[Vec<f64>], target: &[f64], walls: bool) -> f64 {
    let n = target.len();
    let mut rows: Vec<([f64; 2], f64)> = (0..n)
        .map(|i| ([columns[0][i], columns[1][i]], target[i]))
        .collect();
    if walls {
        rows.extend([([1.0, 0.0], 0.0), ([0.0, 1.0], 0.0)]);
    }
    let mut best = f64::INFINITY;
    for i in 0..rows.len() {
        for j in 0..i {
            let (([a, b], u), ([c, d], v)) = (rows[i], rows[j]);
            let determinant = a * d - b * c;
            if determinant == 0.0 {
                continue;
            }
            let beta = [(u * d - b * v) / determinant, (a * v - u * c) / determinant];
            if walls && beta.iter().any(|x| *x < -1e-12) {
                continue;
            }
            let error =
                |k: usize| (target[k] - columns[0][k] * beta[0] - columns[1][k] * beta[1]).abs();
            best = best.min((0..n).map(error).sum());
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn no_vertex_is_better(rows in prop::collection::vec((-3..=3_i32, -3..=3_i32, -5..=5_i32), 2..9), non_negative in any::<bool>()) {
        let column = |pick: &dyn Fn(&(i32, i32, i32)) -> i32| rows.iter().map(|r| f64::from(pick(r))).collect::<Vec<f64>>();
        let columns = vec![column(&|r| r.0), column(&|r| r.1)];
        let target = column(&|r| r.2);
        let best = best_vertex(&columns, &target, non_negative);
        let dependent = rows.iter().all(|a| rows.iter().all(|b| a.0 * b.1 == a.1 * b.0));
        prop_assume!(best.is_finite() && (non_negative || !dependent));
        let given = design(columns, target);
        let fit = LeastAbsolute { intercept: false, non_negative }.solve(&given.clone().check().unwrap()).unwrap();
        let estimates: Vec<f64> = fit.fitted.coefficients.iter().map(|c| c.estimate.unwrap_or(0.0)).collect();
        let found = absolute_error(&given, &estimates);
        prop_assert!((found - best).abs() <= 1e-9, "{found} at {estimates:?}, best {best}");
        prop_assert!((fit.certificate.objective - fit.certificate.bound).abs() <= 1e-9);
    }
}
