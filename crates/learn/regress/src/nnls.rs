//! Non-negative least squares, weighted by the design's weights.
//!
//! The active-set method (`active_set`) on columns scaled to unit length. Deviations: the final coefficients
//! come from a QR of the passive columns, because normal equations lose half the digits; and when columns outnumber
//! `GRAM_COLUMNS` the Gram matrix is not formed, gradients come from residuals instead. `from_gram` serves callers
//! who have the normal equations only.

use faer::Mat;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Qr};

use crate::active_set::{Found, Products, Solver};
use crate::lasso::gram::square;
use crate::wide::dot;

/// Up to this many columns the Gram matrix is formed.
const GRAM_COLUMNS: usize = 2500;

/// NNLS as an estimator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonNegative;

/// A solution and how optimal it is.
#[derive(Clone, Debug, PartialEq)]
pub struct NnlsSolution {
    /// Coefficients, ≥ 0.
    pub x: Vec<f64>,
    /// Length of the residual vector.
    pub residual_norm: f64,
    /// Largest violation of the optimality conditions, for columns and target of unit length.
    pub violation: f64,
    /// Columns taken into or out of the passive set.
    pub steps: usize,
}

impl Estimator for NonNegative {
    fn name(&self) -> &'static str {
        "nnls"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let roots: Vec<f64> = design.weights.iter().map(|w| w.sqrt()).collect();
        let target: Vec<f64> = design
            .target
            .iter()
            .zip(&roots)
            .map(|(y, r)| y * r)
            .collect();
        let mut columns = Mat::zeros(design.rows(), design.columns.len());
        for (j, column) in design.columns.iter().enumerate() {
            for (i, value) in column.values.entries() {
                columns[(i, j)] = value * roots[i];
            }
        }
        let solution = nnls(&columns, &target);
        let coefficients = solution
            .x
            .iter()
            .map(|&x| Coefficient {
                estimate: Some(x),
                ..Coefficient::default()
            })
            .collect();
        let mut fitted = Fitted::linear("nnls", design, 0.0, coefficients);
        if solution.violation > 1e-6 {
            fitted.notes.push(Diagnostic {
                severity: Severity::Warning,
                message: format!(
                    "the non-negative fit is optimal only to {:.1e}",
                    solution.violation
                ),
                advice: Some(
                    "The features are nearly dependent; treat single prices with care.".into(),
                ),
            });
        }
        Ok(fitted)
    }
}

/// min ‖Ax − b‖ subject to x ≥ 0.
pub fn nnls(a: &Mat<f64>, b: &[f64]) -> NnlsSolution {
    let p = a.ncols();
    let scaled = Scaled::new(a, b);
    if p <= GRAM_COLUMNS && p <= 4 * a.nrows() {
        let unit = Mat::from_fn(a.nrows(), p, |i, j| a[(i, j)] / scaled.lengths[j]);
        let gram = Gram {
            gram: square(unit.as_ref()),
            correlation: scaled.correlation.clone(),
        };
        scaled.finish(Solver::new(&gram, p).run())
    } else {
        scaled.finish(Solver::new(&scaled, p).run())
    }
}

/// min ½xᵀGx − cᵀx subject to x ≥ 0, for `G = AᵀA` and `c = Aᵀb`, beginning with the passive set `start`. Half the digits
/// of [`nnls`], and no pass over rows.
pub(crate) fn from_gram(gram: &Mat<f64>, c: &[f64], start: &[usize]) -> Vec<f64> {
    let p = c.len();
    let lengths: Vec<f64> = (0..p).map(|j| positive(gram[(j, j)].sqrt())).collect();
    let correlation: Vec<f64> = c.iter().zip(&lengths).map(|(c, l)| c / l).collect();
    let largest = positive(correlation.iter().fold(0.0, |m, c| c.abs().max(m)));
    let products = Gram {
        gram: Mat::from_fn(p, p, |i, j| gram[(i, j)] / lengths[i] / lengths[j]),
        correlation: correlation.iter().map(|c| c / largest).collect(),
    };
    let mut solver = Solver::new(&products, p);
    solver.exchange(start);
    let found = solver.run();
    let unscaled = found.x.iter().zip(&lengths).map(|(x, l)| x * largest / l);
    unscaled.collect()
}

fn positive(length: f64) -> f64 {
    if length > 0.0 && length.is_finite() {
        length
    } else {
        1.0
    }
}

fn column(a: &Mat<f64>, j: usize) -> &[f64] {
    a.col_as_slice(j)
}

/// The normal equations.
struct Gram {
    gram: Mat<f64>,
    correlation: Vec<f64>,
}

impl Products for Gram {
    fn correlation(&self) -> &[f64] {
        &self.correlation
    }

    fn inner(&self, i: usize, j: usize) -> f64 {
        self.gram[(i, j)]
    }

    fn gradient(&self, x: &[f64], passive: &[usize]) -> Vec<f64> {
        let mut w = self.correlation.clone();
        for &j in passive.iter().filter(|&&j| x[j] != 0.0) {
            for (wi, g) in w.iter_mut().zip(self.gram.col_as_slice(j)) {
                *wi -= x[j] * g;
            }
        }
        w
    }
}

/// Everything in units where columns and target have length one.
struct Scaled<'a> {
    a: &'a Mat<f64>,
    b: &'a [f64],
    lengths: Vec<f64>,
    b_length: f64,
    correlation: Vec<f64>,
}

impl Products for Scaled<'_> {
    fn correlation(&self) -> &[f64] {
        &self.correlation
    }

    fn inner(&self, i: usize, j: usize) -> f64 {
        dot(column(self.a, i), column(self.a, j)) / self.lengths[i] / self.lengths[j]
    }

    fn gradient(&self, x: &[f64], passive: &[usize]) -> Vec<f64> {
        let residual = self.residual(x);
        let mut w: Vec<f64> = (0..x.len())
            .map(|j| dot(column(self.a, j), &residual) / self.lengths[j])
            .collect();
        for &j in passive {
            w[j] = 0.0;
        }
        w
    }
}

impl<'a> Scaled<'a> {
    fn new(a: &'a Mat<f64>, b: &'a [f64]) -> Self {
        let p = a.ncols();
        let length = |v: &[f64]| positive(dot(v, v).sqrt());
        let lengths: Vec<f64> = (0..p).map(|j| length(column(a, j))).collect();
        let b_length = length(b);
        let correlation = (0..p)
            .map(|j| dot(column(a, j), b) / lengths[j] / b_length)
            .collect();
        Self {
            a,
            b,
            lengths,
            b_length,
            correlation,
        }
    }

    fn residual(&self, x: &[f64]) -> Vec<f64> {
        let mut r: Vec<f64> = self.b.iter().map(|b| b / self.b_length).collect();
        for (j, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let factor = x / self.lengths[j];
            for (ri, a) in r.iter_mut().zip(column(self.a, j)) {
                *ri -= factor * a;
            }
        }
        r
    }

    /// Polishes by QR, measures optimality and undoes the scaling.
    fn finish(&self, found: Found) -> NnlsSolution {
        let Found {
            mut x,
            mut passive,
            steps,
        } = found;
        passive.sort_unstable();
        let unit = |&j: &usize| {
            let of_column = column(self.a, j).iter().map(|v| v / self.lengths[j]);
            of_column.collect()
        };
        let target = self.b.iter().map(|b| b / self.b_length).collect();
        let qr = Qr::new(passive.iter().map(unit).collect(), target, 1e-14);
        let polished = qr.solve();
        if qr.rank == passive.len() && polished.iter().all(|z| *z > 0.0) {
            for (&at, z) in qr.pivot.iter().zip(&polished) {
                x[passive[at]] = *z;
            }
        }
        let residual = self.residual(&x);
        let violation = (0..x.len())
            .map(|j| {
                let w = dot(column(self.a, j), &residual) / self.lengths[j];
                if x[j] > 0.0 { w.abs() } else { w.max(0.0) }
            })
            .fold(0.0, f64::max);
        let unscaled = x.iter().zip(&self.lengths);
        NnlsSolution {
            residual_norm: dot(&residual, &residual).sqrt() * self.b_length,
            x: unscaled.map(|(x, l)| x * self.b_length / l).collect(),
            violation,
            steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn normal_equations_give_the_same_from_any_start(
            n in 1_usize..12,
            p in 1_usize..16,
            numbers in proptest::collection::vec(-1.0_f64..1.0, 500),
            start in proptest::collection::btree_set(0_usize..16, 0..16),
        ) {
            // A little ridge makes the solution unique.
            let a = Mat::from_fn(n + p, p, |i, j| match i.checked_sub(n) {
                None => numbers[i * p + j],
                Some(k) => f64::from(u8::from(k == j)) * 0.1,
            });
            let mut b = numbers[300..300 + n].to_vec();
            b.resize(n + p, 0.0);
            let c: Vec<f64> = (0..p).map(|j| dot(column(&a, j), &b)).collect();
            let start: Vec<usize> = start.into_iter().filter(|&j| j < p).collect();
            let found = from_gram(&(a.transpose() * &a), &c, &start);
            for (found, expected) in found.iter().zip(nnls(&a, &b).x) {
                prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }

    #[test]
    fn dependent_columns_and_no_columns() {
        let a = Mat::from_fn(3, 3, |i, j| if j < 2 { (i + 1) as f64 } else { 1.0 });
        let b = [2.0, 4.0, 6.0];
        let c: Vec<f64> = (0..3).map(|j| dot(column(&a, j), &b)).collect();
        let x = from_gram(&(a.transpose() * &a), &c, &[0, 1, 2]);
        assert!(
            (x[0] + x[1] - 2.0).abs() < 1e-6 && x[2].abs() < 1e-6,
            "{x:?}"
        );
        assert!(from_gram(&Mat::zeros(0, 0), &[], &[]).is_empty());
    }
}
