//! The active columns themselves, for sets so nearly dependent that their Gram matrix has lost the difference.
//!
//! With δ the part of a column that is new, a Gram matrix in double precision holds δ² beside 1 and loses it below 1e-8.
//! The columns hold δ. Projections, residuals of the normal equations and correlations are therefore worked out on the
//! columns; the Cholesky factor only preconditions (iterative refinement of the seminormal equations, Björck 1987).

use crate::cholesky::Factor;
use crate::wide::{add, dot};

/// Refinements of a solution.
const REFINEMENTS: usize = 4;

/// Columns of length one, in the order of the factor.
pub(crate) struct Active {
    columns: Vec<Vec<f64>>,
}

impl Active {
    pub fn new(columns: Vec<Vec<f64>>) -> Self {
        Self { columns }
    }

    pub fn push(&mut self, column: Vec<f64>) {
        self.columns.push(column);
    }

    pub fn remove(&mut self, at: usize) {
        self.columns.remove(at);
    }

    pub fn clear(&mut self) {
        self.columns.clear();
    }

    /// Σ aⱼ zⱼ.
    pub fn combine(&self, coefficients: &[f64]) -> Vec<f64> {
        let rows = self.columns.first().map_or(0, Vec::len);
        let mut out = vec![0.0; rows];
        for (column, a) in self.columns.iter().zip(coefficients) {
            add(&mut out, *a, column);
        }
        out
    }

    /// The row that a column adds to the factor, and the square of what the active columns leave of it.
    pub fn measure(&self, factor: &Factor, mut column: Vec<f64>) -> (Vec<f64>, f64) {
        let mut coefficients = vec![0.0; self.columns.len()];
        for _ in 0..REFINEMENTS {
            let products: Vec<f64> = self.columns.iter().map(|z| dot(z, &column)).collect();
            let step = factor.solve(&products);
            for ((total, step), z) in coefficients.iter_mut().zip(step).zip(&self.columns) {
                *total += step;
                add(&mut column, -step, z);
            }
        }
        (factor.transposed(&coefficients), dot(&column, &column))
    }

    /// The solution of ZᵀZ x = right over the first columns, refined on the data.
    pub fn solve(&self, factor: &Factor, right: &[f64]) -> Vec<f64> {
        let mut x = factor.solve(right);
        let mut best = f64::INFINITY;
        let mut refined = x.clone();
        for _ in 0..REFINEMENTS {
            let sum = self.combine(&refined);
            let left: Vec<f64> = right
                .iter()
                .zip(&self.columns)
                .map(|(r, z)| r - dot(z, &sum))
                .collect();
            let size = left.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
            if size >= best {
                break;
            }
            best = size;
            x.clone_from(&refined);
            for (x, step) in refined.iter_mut().zip(factor.solve(&left)) {
                *x += step;
            }
        }
        x
    }
}
