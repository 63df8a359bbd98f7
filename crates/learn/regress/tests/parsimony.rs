//! Few columns, none below zero: compared with all subsets, each fitted by non-negative least squares.

use faer::Mat;
use faer::linalg::solvers::SolveLstsq;
use pricetag_estimator::{
    Checked, Column, Design, Estimator, Values, conformance, relative_weights,
};
use pricetag_regress::Parsimony;
use pricetag_regress::lasso::Lambda;
use pricetag_regress::parsimony::Sizes;
use pricetag_regress::polynomial::{Polynomial, Selection, Selector, SparsePolynomial, Term};

const ROWS: usize = 60;
const COLUMNS: usize = 7;

/// Seven correlated columns; the cost is a sum of some of them, one of them with a negative sign, and noise.
fn design(seed: u64, noise: f64) -> Checked<Design> {
    let mut state = seed;
    let mut uniform = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut columns = vec![vec![0.0; ROWS]; COLUMNS];
    let mut target = vec![0.0; ROWS];
    for row in 0..ROWS {
        let shared = uniform();
        for column in &mut columns {
            column[row] = (1000.0 * (0.4 * shared + uniform())).round();
        }
        target[row] = 50.0 + 3.0 * columns[0][row] + 8.0 * columns[3][row] - 0.8 * columns[5][row]
            + columns[6][row]
            + noise * uniform();
    }
    let columns = columns.into_iter().enumerate().map(|(j, values)| Column {
        name: format!("x{j}"),
        values: Values::Dense(values),
    });
    Design::new(columns.collect(), target).check().unwrap()
}

fn few(most: usize, one_standard_error: bool) -> SparsePolynomial {
    SparsePolynomial {
        degree: 1,
        selector: Selector::Few(Parsimony {
            most,
            one_standard_error,
            ..Parsimony::default()
        }),
        ..SparsePolynomial::default()
    }
}

/// Least squares by Householder reflections: the coefficients and the squared error.
fn least_squares(columns: &[&[f64]], target: &[f64]) -> (Vec<f64>, f64) {
    let matrix = Mat::from_fn(target.len(), columns.len(), |i, j| columns[j][i]);
    let right = Mat::from_fn(target.len(), 1, |i, _| target[i]);
    let x = matrix.qr().solve_lstsq(&right);
    let residual = &matrix * &x - right;
    let x = (0..columns.len()).map(|j| x[(j, 0)]).collect();
    (x, residual.norm_l2().powi(2))
}

/// Squared error of every support: of least squares on a constant and some columns where no coefficient is below zero.
/// Non-negative least squares has the least error of these over the supports inside a set.
fn supports(design: &Design) -> Vec<(u32, f64)> {
    let dense: Vec<Vec<f64>> = std::iter::once(vec![1.0; ROWS])
        .chain(design.columns.iter().map(|c| c.values.to_dense(ROWS)))
        .collect();
    let of = |support: u32| {
        let chosen: Vec<&[f64]> = (0..dense.len())
            .filter(|j| support >> j & 1 == 1)
            .map(|j| dense[j].as_slice())
            .collect();
        let (x, error) = least_squares(&chosen, &design.target);
        (support >> 1, x.iter().all(|x| *x >= 0.0), error)
    };
    let all = (1_u32..1 << dense.len()).map(of);
    all.filter(|s| s.1).map(|s| (s.0, s.2)).collect()
}

#[test]
fn with_a_bound_it_finds_the_best_subset_of_that_size() {
    let mut compared = [0; 4];
    for seed in 1..=12 {
        let design = design(seed, 200.0);
        let supports = supports(&design);
        let least = |within: &dyn Fn(u32) -> bool| {
            let inside = supports.iter().filter(|s| within(s.0));
            inside.map(|s| s.1).fold(f64::INFINITY, f64::min)
        };
        for size in 1..=3 {
            let found = few(size, false).polynomial(&design).unwrap();
            let Some(Selection::Few(sizes)) = &found.selection else {
                panic!("{found:?}");
            };
            let set: Vec<usize> = found.terms.iter().map(|t| t.0.powers[0].0).collect();
            assert!(set.len() <= size && sizes.size <= size);
            assert!(found.intercept >= 0.0 && found.terms.iter().all(|t| t.1 > 0.0));
            assert!(!set.contains(&5), "{set:?}");
            let chosen: u32 = set.iter().map(|j| 1 << j).sum();
            let ours = least(&|support| support & !chosen == 0);
            let best = least(&|support| support.count_ones() as usize <= sizes.size);
            assert!(
                ours <= best * (1.0 + 1e-8),
                "seed {seed}, {size}: {ours} {best}"
            );
            compared[sizes.size] += 1;
        }
    }
    // Nearly every bound is used up: the cost has three columns that matter and one that cannot enter.
    assert!(compared[1..].iter().all(|n| *n >= 10), "{compared:?}");
}

/// The sum of both summands, a twentieth off, explains the cost better than either of them, and in company worse than both.
fn summands() -> Checked<Design> {
    let mut summands = Design::clone(&design(7, 0.0));
    let dense = |j: usize| summands.columns[j].values.to_dense(ROWS);
    let (a, b) = (dense(1), dense(4));
    let off = |row: usize| 1.0 + 0.05 * ((7 * row % 11) as f64 - 5.0) / 5.0;
    let sum = (0..ROWS).map(|row| (a[row] + b[row]) * off(row)).collect();
    summands.target = (0..ROWS)
        .map(|row| 50.0 + 3.0 * (a[row] + b[row]))
        .collect();
    summands.columns[2].values = Values::Dense(sum);
    summands.check().unwrap()
}

fn terms(found: &Polynomial) -> Vec<(usize, f64)> {
    let of = |t: &(Term, f64)| (t.0.powers[0].0, t.1);
    found.terms.iter().map(of).collect()
}

#[test]
fn the_best_column_alone_makes_room_for_two_that_are_better_together() {
    let design = summands();
    let alone = few(1, false).polynomial(&design).unwrap();
    assert_eq!(terms(&alone)[0].0, 2);
    let found = few(2, false).polynomial(&design).unwrap();
    assert!((found.intercept - 50.0).abs() < 1e-4, "{found:?}");
    let [(1, a), (4, b)] = terms(&found)[..] else {
        panic!("{found:?}");
    };
    assert!((a - 3.0).abs() < 1e-6 && (b - 3.0).abs() < 1e-6, "{a} {b}");
}

/// With one survivor only its powers are offered as products; the other column enters as it is.
#[test]
fn columns_that_did_not_survive_are_candidates_as_they_are() {
    let narrow = SparsePolynomial {
        survivors: 1,
        degree: 2,
        ..few(2, false)
    };
    let found = narrow.polynomial(&summands()).unwrap();
    assert_eq!(found.survivors.len(), 1);
    assert_eq!(found.offered, COLUMNS + 1);
    let found = terms(&found);
    assert_eq!((found[0].0, found[1].0), (1, 4), "{found:?}");
}

/// What few columns leave unexplained scatters by a factor of up to two either way, as often up as down.
#[test]
fn as_many_costs_are_predicted_too_high_as_too_low_where_errors_are_relative() {
    for seed in 1..=5 {
        let mut scattered = Design::clone(&design(seed, 0.0));
        for (row, y) in scattered.target.iter_mut().enumerate() {
            *y *= f64::exp2(((7 * row + 3) % ROWS) as f64 / (ROWS as f64 - 1.0) * 2.0 - 1.0);
        }
        scattered.weights = relative_weights(&scattered.target);
        let scattered = scattered.check().unwrap();
        let below = |relative: bool| {
            let mut few = few(2, false);
            let Selector::Few(parsimony) = &mut few.selector else {
                panic!("few columns");
            };
            parsimony.relative = relative;
            let found = few.polynomial(&scattered).unwrap();
            assert!(found.terms.len() <= 2 && found.terms.iter().all(|t| t.1 > 0.0));
            let predicted = |row: usize| {
                let of = |t: &(Term, f64)| {
                    let (column, power) = t.0.powers[0];
                    assert_eq!(power, 1);
                    t.1 * scattered.columns[column].values.to_dense(ROWS)[row]
                };
                found.intercept + found.terms.iter().map(of).sum::<f64>()
            };
            let below = (0..ROWS).filter(|&row| predicted(row) < scattered.target[row]);
            below.count()
        };
        // Rows that lie on the fitted plane fall on neither side; weights come from the predictions before.
        assert!(
            below(true).abs_diff(ROWS / 2) <= 4,
            "{seed}: {}",
            below(true)
        );
        assert!(below(false) >= ROWS * 3 / 5, "{seed}: {}", below(false));
    }
}

/// One fold outweighs all others by sixteen orders of magnitude: what is left of a difference would be rounding.
#[test]
fn folds_that_outweigh_the_others_cost_no_digits() {
    let even = design(3, 200.0);
    let sizes = |design: &Checked<Design>| match few(4, false).polynomial(design).unwrap().selection
    {
        Some(Selection::Few(sizes)) => sizes,
        other => panic!("{other:?}"),
    };
    let huge = |factor: f64| {
        let mut out = Design::clone(&even);
        out.weights[0] = factor;
        sizes(&out.check().unwrap())
    };
    let (light, heavy) = (huge(1e-9), huge(1e17));
    // With the heavy row held out, what is learnt from the others predicts it; so do its prices without its weight.
    let relative = |sizes: &Sizes| (sizes.mean[4] / sizes.mean[0]).sqrt();
    assert!(relative(&light) < 0.1, "{light:?}");
    assert!(relative(&heavy) < 0.2, "{heavy:?}");
}

#[test]
fn one_standard_error_takes_fewer_columns_whose_error_is_within_it() {
    let mut fewer = 0;
    for seed in 1..=12 {
        let design = design(seed, 3000.0);
        let sizes = |rule| match few(7, rule).polynomial(&design).unwrap().selection {
            Some(Selection::Few(sizes)) => sizes,
            other => panic!("{other:?}"),
        };
        let (least, sparse) = (sizes(false), sizes(true));
        assert_eq!(least.mean, sparse.mean);
        assert_eq!(least.size, least.best);
        let allowed = least.mean[least.best] + least.standard_error[least.best];
        assert!(sparse.mean[sparse.size] <= allowed);
        assert!((0..sparse.size).all(|s| sparse.mean[s] > allowed));
        fewer += usize::from(sparse.size < least.size);
    }
    assert!(fewer > 3, "{fewer}");
}

#[test]
fn of_very_many_terms_those_on_the_lassos_path_are_candidates() {
    let mut wide = Design::clone(&design(4, 200.0));
    for j in 0..6 {
        let values = wide.columns[j].values.to_dense(ROWS);
        let other = values.iter().rev().map(|v| v + 1.0).collect();
        wide.columns.push(Column {
            name: format!("y{j}"),
            values: Values::Dense(other),
        });
    }
    let design = wide.check().unwrap();
    let mut many = SparsePolynomial {
        degree: 6,
        interactions: 6,
        ..few(4, false)
    };
    many.screen.lambda = Lambda::Value(0.0);
    let terms = many.polynomial(&design).unwrap();
    assert!(terms.offered > 20_000, "{}", terms.offered);
    let linear = few(4, false).polynomial(&design).unwrap();
    let error = |p: &Polynomial| match &p.selection {
        Some(Selection::Few(sizes)) => sizes.mean[sizes.size],
        other => panic!("{other:?}"),
    };
    assert!(terms.terms.len() <= 4);
    // The truth is linear but for a negative part: nothing is to be won, and little may be lost.
    assert!(error(&terms) < 1.5 * error(&linear));
}

#[test]
fn it_keeps_the_contract_of_estimators() {
    let method = few(4, true);
    assert_eq!(method.name(), "poly");
    let found = conformance::violations(&method);
    assert!(found.is_empty(), "{found:?}");
}
