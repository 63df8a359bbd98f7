//! Few columns, none below zero: compared with all subsets, each fitted by non-negative least squares.

use faer::Mat;
use pricetag_estimator::{Checked, Column, Design, Estimator, Values, conformance};
use pricetag_regress::lasso::Lambda;
use pricetag_regress::polynomial::{Polynomial, Selection, Selector, SparsePolynomial};
use pricetag_regress::{Parsimony, nnls};

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

/// Squared error of non-negative least squares on a constant and some columns.
fn error(design: &Design, set: &[usize]) -> f64 {
    let columns: Vec<Vec<f64>> = std::iter::once(vec![1.0; ROWS])
        .chain(set.iter().map(|&j| design.columns[j].values.to_dense(ROWS)))
        .collect();
    let matrix = Mat::from_fn(ROWS, columns.len(), |i, j| columns[j][i]);
    nnls(&matrix, &design.target).residual_norm.powi(2)
}

#[test]
fn with_a_bound_it_finds_the_best_subset_of_that_size() {
    for seed in 1..=12 {
        let design = design(seed, 200.0);
        for size in 1..=3 {
            let subsets = (0_u32..1 << COLUMNS).filter(|s| s.count_ones() as usize <= size);
            let least = subsets
                .map(|s| (0..COLUMNS).filter(|j| s >> j & 1 == 1).collect::<Vec<_>>())
                .map(|set| error(&design, &set))
                .fold(f64::INFINITY, f64::min);
            let found = few(size, false).polynomial(&design).unwrap();
            let Some(Selection::Few(sizes)) = &found.selection else {
                panic!("{found:?}");
            };
            let set: Vec<usize> = found.terms.iter().map(|t| t.0.powers[0].0).collect();
            assert!(set.len() <= size && sizes.size <= size);
            assert!(found.intercept >= 0.0 && found.terms.iter().all(|t| t.1 > 0.0));
            assert!(!set.contains(&5), "{set:?}");
            if sizes.size == size {
                let ours = error(&design, &set);
                assert!(
                    ours <= least * (1.0 + 1e-8),
                    "seed {seed}, {size}: {ours} {least}"
                );
            }
        }
    }
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
fn of_thousands_of_terms_those_on_the_lassos_path_are_candidates() {
    let design = design(4, 200.0);
    let mut many = SparsePolynomial {
        degree: 6,
        interactions: 6,
        ..few(4, false)
    };
    many.screen.lambda = Lambda::Value(0.0);
    let terms = many.polynomial(&design).unwrap();
    assert!(terms.offered > 1000, "{}", terms.offered);
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
