//! NNLS against its duality gap, and against all active sets in whole numbers on small problems.

mod exact;

use exact::cramer;
use faer::Mat;
use pricetag_regress::{NnlsSolution, nnls};
use proptest::prelude::*;

fn product(a: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    (0..a.nrows())
        .map(|i| (0..a.ncols()).map(|j| a[(i, j)] * x[j]).sum())
        .collect()
}

/// min ½‖Ax − b‖², x ≥ 0 has the dual max ½‖b‖² − ½‖b − ν‖² over Aᵀν ≤ 0. The residual, moved by its infeasibility, is a
/// dual point; what is returned bounds the distance from the optimum, as a share of ½‖b‖².
fn gap(a: &Mat<f64>, b: &[f64], found: &NnlsSolution) -> f64 {
    let residual: Vec<f64> = product(a, &found.x)
        .iter()
        .zip(b)
        .map(|(f, b)| b - f)
        .collect();
    let scale = b.iter().map(|v| v * v).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut complementary = 0.0;
    let mut infeasible = 0.0_f64;
    for j in 0..a.ncols() {
        let w: f64 = (0..a.nrows()).map(|i| a[(i, j)] * residual[i]).sum();
        let length = (0..a.nrows())
            .map(|i| a[(i, j)].powi(2))
            .sum::<f64>()
            .sqrt();
        assert!(found.x[j] >= 0.0);
        complementary += (found.x[j] * w).abs();
        if length > 0.0 {
            infeasible = infeasible.max(w / length / scale.sqrt());
        }
    }
    (complementary / scale).max(infeasible)
}

fn matrices() -> impl Strategy<Value = (Mat<f64>, Vec<f64>)> {
    (1usize..14, 1usize..10).prop_flat_map(|(n, p)| {
        let cells = proptest::collection::vec(-2i8..7, n * p);
        let costs = proptest::collection::vec(-20i32..100, n);
        let scales = proptest::collection::vec(0usize..4, p);
        (cells, costs, scales).prop_map(move |(cells, costs, scales)| {
            let a = Mat::from_fn(n, p, |i, j| {
                f64::from(cells[j * n + i]) * [1.0, 1e6, 1e-6, 0.0][scales[j]]
            });
            (a, costs.into_iter().map(f64::from).collect())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_duality_gap_is_closed((a, b) in matrices()) {
        let found = nnls(&a, &b);
        let gap = gap(&a, &b, &found);
        prop_assert!(gap <= 1e-9, "{:e}", gap);
        prop_assert!(found.violation <= 1e-9, "{:e}", found.violation);
    }
}

#[test]
fn the_gap_is_closed_on_many_counts() {
    let mut state = 7_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let (n, p) = (600, 126);
    let size: Vec<f64> = (0..n).map(|_| 10.0 + 90.0 * random()).collect();
    let mut a = Mat::zeros(n, p);
    for j in 0..p {
        for i in 0..n {
            a[(i, j)] = (size[i] * random()).floor();
        }
    }
    for i in 0..n {
        a[(i, 99)] = a[(i, 3)]; // a copy
        a[(i, 98)] = a[(i, 0)] + a[(i, 1)];
    }
    let b: Vec<f64> = (0..n)
        .map(|i| (a[(i, 0)] + 3.0 * a[(i, 3)] + 2.0 * a[(i, 50)]) * (1.0 + 0.1 * random()))
        .collect();
    let found = nnls(&a, &b);
    assert!(found.x.iter().filter(|x| **x > 0.0).count() > 5);
    assert!(gap(&a, &b, &found) <= 1e-12, "{:e}", gap(&a, &b, &found));
}

/// The fitted costs of the solution as numerators over one denominator, exact: of all sets of columns, one has a least-squares solution
/// that is nowhere negative and a gradient that is nowhere descending (Karush, Kuhn and Tucker).
fn exact_fit(columns: &[Vec<i128>], costs: &[i128]) -> (Vec<i128>, i128) {
    let dot = |a: &[i128], b: &[i128]| -> i128 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    let optimal = (0_u32..1 << columns.len()).find_map(|set| {
        let chosen: Vec<Vec<i128>> = (0..columns.len())
            .filter(|j| set & (1 << j) != 0)
            .map(|j| columns[j].clone())
            .collect();
        let (numerators, denominator) = cramer(&chosen, costs)?;
        if denominator <= 0 || numerators.iter().any(|x| *x < 0) {
            return None;
        }
        let fit: Vec<i128> = (0..costs.len())
            .map(|i| chosen.iter().zip(&numerators).map(|(c, x)| c[i] * x).sum())
            .collect();
        let left: Vec<i128> = (costs.iter().zip(&fit))
            .map(|(b, f)| b * denominator - f)
            .collect();
        (columns.iter().all(|c| dot(c, &left) <= 0)).then_some((fit, denominator))
    });
    optimal.expect("some set of columns is the active one")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// The prices may be many, what they add up to is one.
    #[test]
    fn small_problems_are_solved_as_in_whole_numbers(
        (n, columns, costs) in (1usize..7, 1usize..6).prop_flat_map(|(n, p)| {
            let column = proptest::collection::vec(-2i128..7, n);
            (Just(n), proptest::collection::vec(column, p), proptest::collection::vec(-20i128..100, n))
        })
    ) {
        let a = Mat::from_fn(n, columns.len(), |i, j| columns[j][i] as f64);
        let b: Vec<f64> = costs.iter().map(|&c| c as f64).collect();
        let found = product(&a, &nnls(&a, &b).x);
        let (exact, denominator) = exact_fit(&columns, &costs);
        for (found, exact) in found.iter().zip(exact) {
            let exact = exact as f64 / denominator as f64;
            prop_assert!((found - exact).abs() <= 1e-9 * 100.0, "{found} {exact}");
        }
    }
}
