//! Ridge regression with lower bounds: min ½‖r − A x‖² + ½λ‖x‖² subject to x ≥ −l, with many more columns than rows.
//!
//! Its optimality conditions are x = max(−l, Aᵀρ/λ) with ρ = r − A x, so only the residual ρ (one number per row) is
//! unknown: ρ + A·max(−l, Aᵀρ/λ) = r. That is the gradient of a strictly convex, piecewise quadratic function of ρ;
//! Newton's method with a line search solves it in a handful of steps (Hintermüller, Ito & Kunisch 2002, semismooth
//! Newton as a primal-dual active set). A step costs rows² × columns, and the number of columns enters linearly.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::Solve;
use faer::{Accum, Mat, MatRef, Par, Side};

use crate::lasso::gram::mirror;
use crate::wide::{add, dot};

/// Newton steps; a handful is usual.
const STEPS: usize = 100;
/// A step that gains less than this share of the value, and makes the gradient no smaller, is taken for rounding. That is a
/// rule of thumb: strong convexity (with constant 1) bounds the distance to the optimum by the gradient, value − minimum ≤
/// ½‖gradient‖², and not by what one step gained.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Solves the problem; `lower[j]` = l ≥ 0, `gram` = A Aᵀ. None when the numbers are not finite.
pub(crate) fn bounded_ridge(
    a: &Mat<f64>,
    gram: &Mat<f64>,
    r: &[f64],
    lambda: f64,
    lower: &[f64],
) -> Option<Vec<f64>> {
    let (n, p) = (a.nrows(), a.ncols());
    let mut rho = r.to_vec();
    let mut state = State::at(a, r, lambda, lower, &rho);
    for _ in 0..STEPS {
        let size = dot(&state.gradient, &state.gradient).sqrt();
        if size <= 1e-14 * dot(r, r).sqrt().max(1e-300) {
            break;
        }
        let (free, bound): (Vec<usize>, Vec<usize>) =
            (0..p).partition(|&j| state.slopes[j] / lambda > -lower[j]);
        // Of the free and the bound columns, multiply out the fewer.
        let mut jacobian = if free.len() < bound.len() {
            gram_of(a, &free, 1.0 / lambda)
        } else {
            (gram - gram_of(a, &bound, 1.0)) * faer::Scale(1.0 / lambda)
        };
        for i in 0..n {
            jacobian[(i, i)] += 1.0;
        }
        let right = Mat::from_fn(n, 1, |i, _| -state.gradient[i]);
        let step = jacobian.llt(Side::Lower).ok()?.solve(&right);
        let slope: f64 = (0..n).map(|i| step[(i, 0)] * state.gradient[i]).sum();
        let mut length = 1.0;
        let still = loop {
            let next: Vec<f64> = (0..n).map(|i| rho[i] + length * step[(i, 0)]).collect();
            let there = State::at(a, r, lambda, lower, &next);
            // Near the optimum rounding hides descent of the value; the gradient still shows it.
            let flatter = dot(&there.gradient, &there.gradient).sqrt() <= 0.9 * size;
            if there.value <= state.value + 1e-4 * length * slope || flatter || length < 1e-10 {
                let gained = state.value - there.value;
                let still = !flatter && gained <= ROUNDING * state.value.abs();
                (rho, state) = (next, there);
                break still;
            }
            length *= 0.5;
        };
        if length < 1e-10 || still {
            break; // rounding: no further descent
        }
    }
    let x: Vec<f64> = state
        .slopes
        .iter()
        .zip(lower)
        .map(|(s, l)| (s / lambda).max(-l))
        .collect();
    x.iter().all(|v| v.is_finite()).then_some(x)
}

/// `factor · A Aᵀ` over some columns of A, each at most once.
pub(crate) fn gram_of(a: &Mat<f64>, columns: &[usize], factor: f64) -> Mat<f64> {
    const BLOCK: usize = 1024;
    let n = a.nrows();
    let mut out = Mat::zeros(n, n);
    let mut add = |part: MatRef<'_, f64>| {
        triangular::matmul(
            out.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            part,
            BlockStructure::Rectangular,
            part.transpose(),
            BlockStructure::Rectangular,
            factor,
            Par::Seq,
        );
    };
    if columns.len() == a.ncols() {
        add(a.as_ref());
    } else {
        let mut part = Mat::zeros(n, BLOCK.min(columns.len()));
        for block in columns.chunks(BLOCK) {
            for (k, &j) in block.iter().enumerate() {
                part.col_as_slice_mut(k).copy_from_slice(a.col_as_slice(j));
            }
            add(part.as_ref().subcols(0, block.len()));
        }
    }
    mirror(&mut out);
    out
}

/// The function, its gradient and Aᵀρ at one ρ.
struct State {
    value: f64,
    gradient: Vec<f64>,
    slopes: Vec<f64>,
}

impl State {
    fn at(a: &Mat<f64>, r: &[f64], lambda: f64, lower: &[f64], rho: &[f64]) -> Self {
        let slopes: Vec<f64> = (0..a.ncols())
            .map(|j| dot(a.col_as_slice(j), rho))
            .collect();
        let mut gradient: Vec<f64> = rho.iter().zip(r).map(|(p, r)| p - r).collect();
        let mut value = 0.5 * dot(rho, rho) - dot(rho, r);
        for (j, (&s, &l)) in slopes.iter().zip(lower).enumerate() {
            let x = (s / lambda).max(-l);
            // The antiderivative of max(−l, s/λ).
            value += if s / lambda > -l {
                0.5 * s * s / lambda
            } else {
                -l * s - 0.5 * lambda * l * l
            };
            if x != 0.0 {
                add(&mut gradient, x, a.col_as_slice(j));
            }
        }
        Self {
            value,
            gradient,
            slopes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bounded_ridge, gram_of};
    use crate::nnls::nnls;
    use faer::Mat;
    use proptest::prelude::*;

    /// The same problem as non-negative least squares of stacked equations: with x = y − l, y ≥ 0,
    /// ‖[A; √λ I] y − [r + A l; √λ l]‖².
    fn by_stacking(a: &Mat<f64>, r: &[f64], lambda: f64, lower: &[f64]) -> Vec<f64> {
        let (n, p) = (a.nrows(), a.ncols());
        let root = lambda.sqrt();
        let stacked = Mat::from_fn(n + p, p, |i, j| match i.checked_sub(n) {
            None => a[(i, j)],
            Some(k) if k == j => root,
            Some(_) => 0.0,
        });
        let right: Vec<f64> = (0..n + p)
            .map(|i| match i.checked_sub(n) {
                None => r[i] + (0..p).map(|j| a[(i, j)] * lower[j]).sum::<f64>(),
                Some(k) => root * lower[k],
            })
            .collect();
        nnls(&stacked, &right)
            .x
            .iter()
            .zip(lower)
            .map(|(y, l)| y - l)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_stacked_equations(
            n in 1_usize..8,
            p in 1_usize..25,
            exponent in -4_i32..3,
            numbers in proptest::collection::vec(-1.0_f64..1.0, 300),
        ) {
            let lambda = 10_f64.powi(exponent);
            let a = Mat::from_fn(n, p, |i, j| numbers[i * p + j]);
            let r: Vec<f64> = numbers[200..200 + n].to_vec();
            let lower: Vec<f64> = numbers[220..220 + p].iter().map(|v| v.max(0.0)).collect();
            let all: Vec<usize> = (0..p).collect();
            let x = bounded_ridge(&a, &gram_of(&a, &all, 1.0), &r, lambda, &lower).unwrap();
            for (found, expected) in x.iter().zip(by_stacking(&a, &r, lambda, &lower)) {
                prop_assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }
}
