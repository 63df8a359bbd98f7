//! Non-linear least squares against R's `nls` (`golden-robust/make.R`) and against its own definition.

mod frozen;

use std::collections::BTreeMap;

use frozen::{Frozen, numbers};
use pricetag_cost_model::{Formula, Severity};
use pricetag_estimator::{Checked, Column, Design, Estimator, Values, conformance};
use pricetag_regress::NonLinear;
use pricetag_regress::nls::Ending;

/// R's `nls`.
const R: Frozen = Frozen("golden-robust");

fn parse(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn table(names: &[&str], rows: &[Vec<f64>]) -> Design {
    let columns = names.iter().enumerate().map(|(j, name)| Column {
        name: (*name).to_owned(),
        values: Values::Dense(rows.iter().map(|r| r[j + 2]).collect()),
    });
    let mut design = Design::new(columns.collect(), rows.iter().map(|r| r[0]).collect());
    design.weights = rows.iter().map(|r| r[1]).collect();
    design
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

#[test]
fn estimates_and_errors_are_those_of_r() {
    for name in [
        "puromycin",
        "puromycin-relative",
        "dnase",
        "indometh",
        "nlogn",
        "nlogn-relative",
        "power",
        "power-bounded",
        "weightless-rows",
        "few-rows",
        "ties",
    ] {
        let case = format!("nls-{name}");
        let design = R.design(&case).check().unwrap();
        let text = R.text(&format!("{case}.txt"));
        let lines: BTreeMap<&str, &str> = text
            .lines()
            .filter_map(|l| l.trim().split_once(' '))
            .collect();
        let of = |key: &str| -> Vec<f64> {
            let words = lines.get(key).into_iter();
            numbers(words.flat_map(|l| l.split_whitespace()))
        };
        let mut estimator = NonLinear::new(parse(lines["formula"]));
        let (start, lower, upper) = (of("start"), of("lower"), of("upper"));
        let parameters: Vec<&str> = lines["parameters"].split_whitespace().collect();
        for (k, parameter) in parameters.iter().enumerate() {
            estimator = estimator.starting(parameter, start[k]);
            if !lower.is_empty() {
                estimator = estimator.within(parameter, lower[k], upper[k]);
            }
        }
        let fit = estimator.solve(&design).unwrap();
        assert_eq!(fit.ending, Ending::Converged, "{name}");
        let (estimates, errors, p) = (of("estimates"), of("errors"), of("p"));
        for (k, parameter) in parameters.iter().enumerate() {
            let found = fit
                .parameters
                .iter()
                .find(|p| p.name == *parameter)
                .unwrap();
            assert!(
                near(found.estimate, estimates[k], 3e-6),
                "{name}: {found:?}, R has {}",
                estimates[k]
            );
            // With a bound active R ignores it in the errors; ours hold given that value.
            if lower.is_empty() {
                assert!(
                    near(found.std_error, errors[k], 1e-5),
                    "{name}: {found:?}, R has {}",
                    errors[k]
                );
                let row = fit
                    .table
                    .coefficients
                    .iter()
                    .find(|c| c.name == *parameter)
                    .unwrap();
                assert!(
                    near(row.estimate.unwrap().3, p[k], 1e-3),
                    "{name}: {row:?}, R has {}",
                    p[k]
                );
            }
        }
        assert!(near(fit.rss, of("rss")[0], 1e-8), "{name}: {}", fit.rss);
        if lower.is_empty() {
            assert!(
                near(fit.sigma, of("sigma")[0], 1e-8) && f64::from(fit.residual_df) == of("df")[0],
                "{name}"
            );
        } else {
            let held: Vec<bool> = fit.parameters.iter().map(|p| p.at_bound).collect();
            assert_eq!(held, [false, true, true], "{name}: {:?}", fit.parameters);
        }
    }
}

/// Rows of a, b and a cost given by a formula, with a little deterministic noise.
fn measured(formula: &str, rows: usize, noise: f64) -> Checked<Design> {
    let truth = parse(formula);
    let rows: Vec<Vec<f64>> = (0..rows)
        .map(|i| {
            let (a, b) = (1.0 + 3.0 * i as f64, (5 + i * 7 % 11) as f64);
            let value = truth
                .evaluate(&|n| Some(if n == "a" { a } else { b }))
                .unwrap();
            vec![
                value * (1.0 + noise * ((i * 5 % 7) as f64 - 3.0)),
                1.0,
                a,
                b,
            ]
        })
        .collect();
    table(&["a", "b"], &rows).check().unwrap()
}

#[test]
fn the_gradient_vanishes_at_the_minimum() {
    let design = measured("40 + 2*a^1.3 + b*log(a)", 40, 0.01);
    let fit = NonLinear::new(parse("c + k*a^e + l*b*log(a)"))
        .starting("e", 1.0)
        .solve(&design)
        .unwrap();
    let names: Vec<&str> = fit.parameters.iter().map(|p| p.name.as_str()).collect();
    let at: Vec<f64> = fit.parameters.iter().map(|p| p.estimate).collect();
    let rss = |values: &[f64]| {
        let value = |n: &str| names.iter().position(|m| *m == n).map(|k| values[k]);
        let formula = fit.given.substituted(&value);
        let dense: Vec<Vec<f64>> = design
            .columns
            .iter()
            .map(|c| c.values.to_dense(40))
            .collect();
        let predicted = |i: usize| {
            formula
                .evaluate(&|n| Some(dense[usize::from(n == "b")][i]))
                .unwrap()
        };
        (0..40)
            .map(|i| (design.target[i] - predicted(i)).powi(2))
            .sum::<f64>()
    };
    assert!(near(rss(&at), fit.rss, 1e-9));
    for k in 0..at.len() {
        let step = fit.parameters[k].std_error * 1e-2;
        let moved = |by: f64| {
            let mut to = at.clone();
            to[k] += by;
            rss(&to)
        };
        assert!(
            moved(step) > fit.rss && moved(-step) > fit.rss,
            "{}",
            names[k]
        );
        let slope = (moved(step) - moved(-step)) / (moved(step) + moved(-step) - 2.0 * fit.rss);
        assert!(slope.abs() < 1e-2, "{}: {slope}", names[k]);
    }
}

#[test]
fn linear_parameters_need_no_start_and_the_result_reads_well() {
    let design = measured("50 + 3*a", 20, 0.0);
    let fitted = NonLinear::new(parse("k1*a + k2")).fit(&design).unwrap();
    assert_eq!(fitted.formula.rounded(6).text(), "50 + 3·a");
    assert!(matches!(fitted.formula, Formula::Linear { .. }));
    let noisy = measured("50 + 3*a", 20, 0.01);
    let text = NonLinear::new(parse("k1*a + k2"))
        .solve(&noisy)
        .unwrap()
        .text("cost");
    for part in [
        "Formula: cost ~ k1·a + k2\n",
        "Parameters:\n",
        "k1 ",
        "Residual standard error: ",
        " on 18 degrees of freedom",
        "Number of iterations to convergence: ",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn bounds_hold_and_are_reported() {
    let design = measured("5*a^1.5", 20, 0.01);
    let fit = NonLinear::new(parse("k*a^e"))
        .within("e", 0.0, 1.2)
        .starting("e", 1.0)
        .fit(&design)
        .unwrap();
    assert!(
        fit.notes
            .iter()
            .any(|n| n.severity == Severity::Warning && n.message.contains("`e` ended at a bound")),
        "{:?}",
        fit.notes
    );
    let fixed = NonLinear::new(parse("k*a^e"))
        .within("e", 1.5, 1.5)
        .solve(&measured("5*a^1.5", 20, 0.0))
        .unwrap();
    assert!(
        near(fixed.parameters[0].estimate, 5.0, 1e-12),
        "{:?}",
        fixed.parameters
    );
}

#[test]
fn what_cannot_be_fitted_is_said() {
    let design = measured("50 + 3*a", 20, 0.01);
    let message = |estimator: NonLinear| estimator.solve(&design).unwrap_err().to_string();
    let given = |text: &str| NonLinear::new(parse(text));
    for (estimator, part) in [
        (
            given("k*n^e"),
            "`n`, `e` are neither a column nor a parameter with a start value; the columns are `a`, `b`",
        ),
        (
            given("k*a").starting("b", 1.0),
            "`b` has a start value but is a column",
        ),
        (
            given("k*a").starting("kk", 1.0),
            "`kk` has a start value but does not occur in the formula",
        ),
        (
            given("k*a").starting("k", f64::NAN),
            "the start value NaN of `k` is not finite",
        ),
        (
            given("k*a").within("q", 0.0, 1.0),
            "`q` has bounds but is no parameter",
        ),
        (
            given("k*a").within("k", 1.0, 0.0),
            "the bounds 1 … 0 of `k` are not in order",
        ),
        (
            given("log(k)*a").starting("k", -1.0),
            "not finite at the start (k = -1)",
        ),
    ] {
        let found = message(estimator);
        assert!(found.starts_with("nls") && found.contains(part), "{found}");
    }
    // Two parameters that only occur as a product.
    let twins = given("p*q*a")
        .starting("p", 1.0)
        .starting("q", 2.0)
        .fit(&design)
        .unwrap();
    assert!(
        twins
            .notes
            .iter()
            .any(|n| n.severity == Severity::Error && n.message.contains("singular gradient")),
        "{:?}",
        twins.notes
    );
    let few = measured("a^1.5", 2, 0.0);
    let error = given("p*a^q + r")
        .starting("q", 1.0)
        .solve(&few)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "nls needs at least 3 observations, there are 2"
    );
}

#[test]
fn random_starts_find_what_one_start_misses() {
    let design = measured("10 + 3*sin(0.7*b)", 40, 0.001);
    let one = NonLinear::new(parse("c + k*sin(w*b)")).starting("w", 2.5);
    let lost = one.solve(&design).unwrap();
    let many = NonLinear {
        multistart: 30,
        seed: 7,
        ..one.within("w", 0.1, 3.0)
    };
    let found = many.solve(&design).unwrap();
    assert!(found.rss < 0.1 * lost.rss, "{} {}", found.rss, lost.rss);
    assert!(
        near(found.parameters[2].estimate, 0.7, 1e-2),
        "{:?}",
        found.parameters
    );
    assert!(found.agreeing < found.searches);
    assert_eq!(
        format!("{found:?}"),
        format!("{:?}", many.solve(&design).unwrap())
    );
}

#[test]
fn thresholds_and_conditions_can_be_fitted() {
    let design = measured("if(a > 30, 3*a + 50, 20)", 30, 0.001);
    let fit = NonLinear::new(parse("if(a > 30, k*a + c, d)"))
        .solve(&design)
        .unwrap();
    for (parameter, expected) in fit.parameters.iter().zip([3.0, 50.0, 20.0]) {
        assert!(near(parameter.estimate, expected, 0.02), "{parameter:?}");
    }
}

#[test]
fn non_linear_least_squares_conforms() {
    let linear = NonLinear::new(parse("k0 + k1*a + k2*b + k3*c"));
    let mut found = conformance::violations(&linear);
    let power = NonLinear::new(parse("k0 + k1*a^e + k2*b + k3*c")).starting("e", 1.0);
    found.extend(conformance::violations(&power));
    assert!(found.is_empty(), "{found:#?}");
}
