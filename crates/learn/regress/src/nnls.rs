//! Non-negative least squares, weighted by the design's weights.
//!
//! Lawson & Hanson (1974), chapter 23, on the normal equations of columns scaled to unit length (Bro & de Jong 1997):
//! the passive set's Gram matrix is kept as a Cholesky factor that grows and shrinks with the set. Deviations: the
//! final coefficients come from a QR of the passive columns, because normal equations lose half the digits; and when
//! columns outnumber `GRAM_COLUMNS` the Gram matrix is not formed, gradients come from residuals instead.

use faer::Mat;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Qr};

use crate::cholesky::Factor;
use crate::lasso::gram::square;

/// Up to this many columns the Gram matrix is formed.
const GRAM_COLUMNS: usize = 2500;
/// A gradient below this (columns and target of unit length) is zero.
const GRADIENT: f64 = 1e-11;
/// Less than this share of a column is new: it does not enter the passive set.
const NEW_SHARE: f64 = 1e-12;

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
    let mut solver = Solver::new(a, b);
    solver.run();
    solver.finish()
}

fn column(a: &Mat<f64>, j: usize) -> &[f64] {
    a.col_as_slice(j)
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four partial sums let the compiler use vector registers.
    let (mut s, chunks) = ([0.0; 4], a.len() / 4 * 4);
    for i in (0..chunks).step_by(4) {
        for k in 0..4 {
            s[k] += a[i + k] * b[i + k];
        }
    }
    let rest: f64 = a[chunks..]
        .iter()
        .zip(&b[chunks..])
        .map(|(x, y)| x * y)
        .sum();
    s[0] + s[1] + s[2] + s[3] + rest
}

/// Everything in units where columns and target have length one.
struct Solver<'a> {
    a: &'a Mat<f64>,
    b: &'a [f64],
    lengths: Vec<f64>,
    b_length: f64,
    gram: Option<Mat<f64>>,
    correlation: Vec<f64>,
    passive: Vec<usize>,
    in_passive: Vec<bool>,
    refused: Vec<bool>,
    /// Of the passive Gram matrix.
    factor: Factor,
    x: Vec<f64>,
    steps: usize,
}

impl<'a> Solver<'a> {
    fn new(a: &'a Mat<f64>, b: &'a [f64]) -> Self {
        let p = a.ncols();
        let length = |v: &[f64]| match dot(v, v).sqrt() {
            l if l > 0.0 && l.is_finite() => l,
            _ => 1.0,
        };
        let lengths: Vec<f64> = (0..p).map(|j| length(column(a, j))).collect();
        let b_length = length(b);
        let correlation = (0..p)
            .map(|j| dot(column(a, j), b) / lengths[j] / b_length)
            .collect();
        let gram = (p <= GRAM_COLUMNS && p <= 4 * a.nrows()).then(|| {
            let scaled = Mat::from_fn(a.nrows(), p, |i, j| a[(i, j)] / lengths[j]);
            square(scaled.as_ref())
        });
        Self {
            a,
            b,
            lengths,
            b_length,
            gram,
            correlation,
            passive: Vec::new(),
            in_passive: vec![false; p],
            refused: vec![false; p],
            factor: Factor::default(),
            x: vec![0.0; p],
            steps: 0,
        }
    }

    fn inner(&self, i: usize, j: usize) -> f64 {
        match &self.gram {
            Some(gram) => gram[(i, j)],
            None => dot(column(self.a, i), column(self.a, j)) / self.lengths[i] / self.lengths[j],
        }
    }

    fn gradient(&self) -> Vec<f64> {
        if let Some(gram) = &self.gram {
            let mut w = self.correlation.clone();
            for &j in self.passive.iter().filter(|&&j| self.x[j] != 0.0) {
                for (wi, g) in w.iter_mut().zip(gram.col_as_slice(j)) {
                    *wi -= self.x[j] * g;
                }
            }
            return w;
        }
        let residual = self.residual();
        (0..self.x.len())
            .map(|j| {
                if self.in_passive[j] {
                    0.0
                } else {
                    dot(column(self.a, j), &residual) / self.lengths[j]
                }
            })
            .collect()
    }

    /// Of the scaled problem.
    fn residual(&self) -> Vec<f64> {
        let mut r: Vec<f64> = self.b.iter().map(|b| b / self.b_length).collect();
        for (j, &x) in self.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let factor = x / self.lengths[j];
            for (ri, a) in r.iter_mut().zip(column(self.a, j)) {
                *ri -= factor * a;
            }
        }
        r
    }

    fn run(&mut self) {
        let limit = 10 * self.x.len() + 100;
        loop {
            let w = self.gradient();
            let best = (0..w.len())
                .filter(|&j| !self.in_passive[j] && !self.refused[j] && w[j] > GRADIENT)
                .max_by(|&i, &j| w[i].total_cmp(&w[j]).then(j.cmp(&i)));
            let Some(entering) = best else { return };
            if !self.push(entering) {
                self.refused[entering] = true;
                continue;
            }
            self.step_to_feasible(entering);
            if self.steps > limit {
                return; // rounding makes the set cycle; the violation is reported
            }
        }
    }

    /// Moves to the least-squares solution of the passive set, dropping columns that would become negative.
    fn step_to_feasible(&mut self, entering: usize) {
        let mut first = true;
        loop {
            let z = self.solve_passive();
            if first && z.last().is_some_and(|z| *z <= 0.0) {
                // Rounding: the gradient said up, the solution says down.
                self.drop_at(self.passive.len() - 1);
                self.refused[entering] = true;
                return;
            }
            first = false;
            let ratio = |at: usize| self.x[self.passive[at]] / (self.x[self.passive[at]] - z[at]);
            let blocking = (0..z.len())
                .filter(|&at| z[at] <= 0.0)
                .min_by(|&i, &j| ratio(i).total_cmp(&ratio(j)));
            let step = blocking.map_or(1.0, ratio);
            for (&j, z) in self.passive.iter().zip(&z) {
                self.x[j] += step * (z - self.x[j]);
            }
            let Some(blocking) = blocking else {
                self.refused.fill(false);
                return;
            };
            for at in (0..z.len()).rev() {
                if at == blocking || (z[at] <= 0.0 && self.x[self.passive[at]] <= 1e-14) {
                    self.drop_at(at);
                }
            }
        }
    }

    fn push(&mut self, j: usize) -> bool {
        let products: Vec<f64> = self.passive.iter().map(|&k| self.inner(j, k)).collect();
        let fits = self.factor.push(&products, self.inner(j, j), NEW_SHARE);
        if fits {
            self.passive.push(j);
            self.in_passive[j] = true;
            self.steps += 1;
        }
        fits
    }

    fn drop_at(&mut self, at: usize) {
        let j = self.passive.remove(at);
        self.in_passive[j] = false;
        self.x[j] = 0.0;
        self.steps += 1;
        self.factor.remove(at);
    }

    fn solve_passive(&self) -> Vec<f64> {
        let right: Vec<f64> = self.passive.iter().map(|&j| self.correlation[j]).collect();
        self.factor.solve(&right)
    }

    /// Polishes by QR, measures optimality and undoes the scaling.
    fn finish(mut self) -> NnlsSolution {
        self.passive.sort_unstable();
        let columns = self
            .passive
            .iter()
            .map(|&j| {
                column(self.a, j)
                    .iter()
                    .map(|v| v / self.lengths[j])
                    .collect()
            })
            .collect();
        let target = self.b.iter().map(|b| b / self.b_length).collect();
        let qr = Qr::new(columns, target, 1e-14);
        let polished = qr.solve();
        if qr.rank == self.passive.len() && polished.iter().all(|z| *z > 0.0) {
            for (&at, z) in qr.pivot.iter().zip(&polished) {
                self.x[self.passive[at]] = *z;
            }
        }
        let residual = self.residual();
        let violation = (0..self.x.len())
            .map(|j| {
                let w = dot(column(self.a, j), &residual) / self.lengths[j];
                if self.x[j] > 0.0 { w.abs() } else { w.max(0.0) }
            })
            .fold(0.0, f64::max);
        let residual_norm = dot(&residual, &residual).sqrt() * self.b_length;
        let x = self
            .x
            .iter()
            .zip(&self.lengths)
            .map(|(x, l)| x * self.b_length / l)
            .collect();
        NnlsSolution {
            x,
            residual_norm,
            violation,
            steps: self.steps,
        }
    }
}
