//! Filters and exact solves against the paper's scripts run by R (`tests/oracle_ols/make.R`), and by their definitions.

mod frozen;

mod exact;

use exact::cramer;
use frozen::{Frozen, close, number};
use pricetag_estimator::{Column, Design, Estimator, Values, conformance};
use pricetag_regress::collinearity::Because;
use pricetag_regress::{CorrelationFilter, ExactSolve, InflationFilter, LeastSquares, RunRule};

/// What R makes of the filters and of exact solutions.
const R: Frozen = Frozen("oracle_ols");

#[test]
fn the_papers_filter_leaves_out_what_its_script_does() {
    let names = R.cases("filter-");
    assert!(names.len() >= 3);
    for name in names {
        let design = R.design(&name).check().unwrap();
        for line in R.lines(&name).iter().filter(|l| l[0] == "correlation") {
            let filter = CorrelationFilter {
                threshold: number(&line[1]),
            };
            let found = filter.filter(&design).unwrap();
            let left_out: Vec<&str> = found
                .left_out
                .iter()
                .map(|l| design.columns[l.column].name.as_str())
                .collect();
            assert_eq!(left_out, line[2..], "{name}, {}", line[1]);
            assert_eq!(found.kept.len() + left_out.len(), design.columns.len());
        }
    }
}

#[test]
fn inflation_is_that_of_r() {
    let mut compared = 0;
    for name in R.cases("filter-") {
        let design = R.design(&name).check().unwrap();
        let all = R.lines(&name);
        for (at, line) in all.iter().enumerate().filter(|(_, l)| l[0] == "limit") {
            let filter = InflationFilter {
                limit: number(&line[1]),
            };
            let found = filter.filter(&design).unwrap();
            let expected: Vec<&Vec<String>> = all[at + 1..]
                .iter()
                .take_while(|l| l[0] == "inflated")
                .collect();
            assert_eq!(found.left_out.len(), expected.len(), "{name}: {found:?}");
            for (left_out, r) in found.left_out.iter().zip(expected) {
                let Because::Inflation { factor, .. } = left_out.because else {
                    panic!("{name}: {left_out:?}");
                };
                assert_eq!(design.columns[left_out.column].name, r[1], "{name}");
                assert!(close(factor, number(&r[2]), 1e-8), "{name}: {factor} {r:?}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn sums_go_before_inflation_is_asked_and_constants_stay() {
    let design = R.design("filter-counts").check().unwrap();
    let found = InflationFilter::default().filter(&design).unwrap();
    let sum = design.columns.iter().position(|c| c.name == "b6").unwrap();
    let constant = design.columns.iter().position(|c| c.name == "b8").unwrap();
    assert_eq!(found.left_out[0].column, sum);
    assert_eq!(found.left_out[0].because, Because::Dependent);
    assert!(found.kept.contains(&constant));
    let kept = found.apply(&design).check().unwrap();
    assert_eq!(kept.columns.len(), found.kept.len());
    let again = InflationFilter::default().filter(&kept).unwrap();
    assert!(again.left_out.is_empty(), "{again:?}");
    let note = found.note(&design).unwrap();
    assert!(note.message.contains("`b6`"), "{}", note.message);
    assert!(again.note(&kept).is_none());
}

#[test]
fn options_out_of_range_are_named() {
    let design = R.design("filter-counts").check().unwrap();
    let error = InflationFilter { limit: 0.5 }.filter(&design).unwrap_err();
    assert!(error.to_string().contains("limit = 0.5"), "{error}");
    let error = CorrelationFilter {
        threshold: f64::NAN,
    }
    .filter(&design)
    .unwrap_err();
    assert!(error.to_string().contains("threshold"), "{error}");
}

#[test]
fn the_papers_runs_and_prices_are_those_of_its_script() {
    let names = R.cases("solve-");
    assert!(names.len() >= 4);
    for name in names {
        let design = R.design(&name).check().unwrap();
        let expected = R.lines(&name);
        let runs: Vec<usize> = expected[0][1..]
            .iter()
            .map(|w| number(w) as usize - 1)
            .collect();
        let solve = ExactSolve {
            rule: RunRule::Correlation,
            ..ExactSolve::default()
        };
        if runs.is_empty() {
            let error = solve.solve(&design).unwrap_err();
            assert!(error.to_string().contains("negatively"), "{error}");
            continue;
        }
        let found = solve.solve(&design).unwrap();
        assert_eq!(found.runs, runs, "{name}");
        for (price, r) in found.prices.iter().zip(&expected[1][1..]) {
            assert!(close(*price, number(r), 1e-10), "{name}: {price} {r}");
        }
    }
}

/// Largest absolute relative difference of predictions on the picked runs.
fn error_on_runs(design: &Design, found: &pricetag_regress::solve::Solution) -> f64 {
    found
        .runs
        .iter()
        .map(|&run| {
            let sum: f64 = found
                .columns
                .iter()
                .zip(&found.prices)
                .map(|(&j, p)| design.columns[j].values.to_dense(design.rows())[run] * p)
                .sum();
            (sum / design.target[run] - 1.0).abs()
        })
        .fold(0.0, f64::max)
}

#[test]
fn picked_runs_are_reproduced_and_better_conditioned_than_the_papers() {
    for name in R.cases("solve-") {
        let design = R.design(&name).check().unwrap();
        let found = ExactSolve::default().solve(&design).unwrap();
        assert!(error_on_runs(&design, &found) < 1e-11, "{name}: {found:?}");
        assert!(found.condition < 1e3, "{name}: {}", found.condition);
        let paper = ExactSolve {
            rule: RunRule::Correlation,
            ..ExactSolve::default()
        };
        if let Ok(paper) = paper.solve(&design) {
            assert!(found.condition < 2.0 * paper.condition, "{name}");
        }
    }
}

#[test]
fn integer_prices_without_noise_come_back_exactly_and_dependent_columns_have_none() {
    let rows = 30;
    let value = |i: usize, j: usize| ((i * (2 * j + 3) + i * i * (j + 1) + 7 * j) % 23) as f64;
    let mut columns: Vec<Column> = (0..4)
        .map(|j| Column {
            name: format!("c{j}"),
            values: Values::Dense((0..rows).map(|i| value(i, j)).collect()),
        })
        .collect();
    let target: Vec<f64> = (0..rows)
        .map(|i| 3.0 * value(i, 0) + 5.0 * value(i, 1) + 2.0 * value(i, 2) + 11.0 * value(i, 3))
        .collect();
    let twin = columns[1].values.scaled(2.0);
    columns.push(Column {
        name: "twin".into(),
        values: twin,
    });
    let design = Design::new(columns, target).check().unwrap();
    let fitted = ExactSolve::default().fit(&design).unwrap();
    for (c, price) in fitted.coefficients.iter().zip([3.0, 5.0, 2.0, 11.0]) {
        assert!(close(c.estimate.unwrap(), price, 1e-12), "{c:?}");
    }
    assert_eq!(fitted.coefficients[4].estimate, None);
    let text: String = fitted.notes.iter().map(|n| n.message.as_str()).collect();
    assert!(
        text.contains("4 runs") && text.contains("not picked: 0.0 %"),
        "{text}"
    );
}

#[test]
fn solve_conforms() {
    let found = conformance::violations(&ExactSolve::default());
    assert!(found.is_empty(), "{found:#?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    #[test]
    fn least_squares_of_integers_are_exact_fractions(
        cells in proptest::collection::vec(-20_i128..20, 12 * 4),
        target in proptest::collection::vec(-1000_i128..1000, 12),
        intercept: bool,
    ) {
        let mut columns: Vec<Vec<i128>> = cells.chunks(12).map(<[i128]>::to_vec).collect();
        let named = |c: &Vec<i128>, j: usize| Column {
            name: format!("c{j}"),
            values: Values::Dense(c.iter().map(|v| *v as f64).collect()),
        };
        let design = Design::new(
            columns.iter().enumerate().map(|(j, c)| named(c, j)).collect(),
            target.iter().map(|v| *v as f64).collect(),
        );
        if intercept {
            columns.insert(0, vec![1; 12]);
        }
        if let Some((numerators, denominator)) = cramer(&columns, &target) {
            let fit = LeastSquares { intercept, ..LeastSquares::default() };
            let fitted = fit.fit(&design.check().unwrap()).unwrap();
            let summary = fitted.summary.unwrap();
            for (row, numerator) in summary.coefficients.iter().zip(numerators) {
                let exact = numerator as f64 / denominator as f64;
                let found = row.estimate.unwrap().0;
                proptest::prop_assert!(
                    (found - exact).abs() <= 1e-13 * exact.abs().max(1e-3),
                    "{found} {exact}"
                );
            }
        }
    }
}
