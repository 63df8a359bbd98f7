//! The active columns themselves, for sets so nearly dependent that their Gram matrix has lost the difference.
//!
//! With δ the part of a column that is new, a Gram matrix in double precision holds δ² beside 1 and loses it below 1e-8.
//! The columns hold δ, and so does an orthonormal basis of them, made by Gram–Schmidt with every projection done twice
//! (Giraud, Langou, Rozložník & van den Eshof 2005). In Z = QLᵀ the solution of ZᵀZ θ = Zᵀt − μs is θ = L⁻ᵀ(Qᵀt − μL⁻¹s), and
//! what is left of t follows from Q alone. Normal equations that hold to ε leave that residual open by ε/δ, and with
//! it on which side of its bound an inactive correlation lies.

use crate::cholesky::Factor;
use crate::wide::{add, dot};

/// Projections before the new share of a column is believed.
const PROJECTIONS: usize = 4;

/// The square of what `columns`, of which the factor is known, leave of a column.
pub(crate) fn new_share(factor: &Factor, columns: &[Vec<f64>], mut column: Vec<f64>) -> f64 {
    for _ in 0..PROJECTIONS {
        let products: Vec<f64> = columns.iter().map(|z| dot(z, &column)).collect();
        for (step, z) in factor.solve(&products).into_iter().zip(columns) {
            add(&mut column, -step, z);
        }
    }
    dot(&column, &column)
}

/// Orthonormal vectors, the k-th out of the first k active columns.
pub(crate) struct Basis {
    vectors: Vec<Vec<f64>>,
    target: Vec<f64>,
}

/// Where the path is, and how it goes on.
pub(crate) struct Solution {
    pub theta: Vec<f64>,
    /// −dθ/dμ.
    pub direction: Vec<f64>,
    /// t − Zθ.
    pub residual: Vec<f64>,
    /// −d(Zθ)/dμ.
    pub turn: Vec<f64>,
}

impl Basis {
    pub fn new(target: &[f64]) -> Self {
        Self {
            vectors: Vec::new(),
            target: target.to_vec(),
        }
    }

    /// The row that a column adds to the factor, what the basis leaves of the column, and the square of that.
    pub fn project(&self, mut column: Vec<f64>) -> (Vec<f64>, Vec<f64>, f64) {
        let mut row = vec![0.0; self.vectors.len()];
        for _ in 0..2 {
            for (total, q) in row.iter_mut().zip(&self.vectors) {
                let step = dot(q, &column);
                *total += step;
                add(&mut column, -step, q);
            }
        }
        let square = dot(&column, &column);
        (row, column, square)
    }

    /// Adds what was left of a column.
    pub fn push(&mut self, mut left: Vec<f64>, square: f64) {
        let length = square.sqrt();
        for value in &mut left {
            *value /= length;
        }
        self.vectors.push(left);
    }

    fn combine(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.target.len()];
        for (q, a) in self.vectors.iter().zip(coefficients) {
            add(&mut out, *a, q);
        }
        out
    }

    /// θ of the first `settled` columns at μ, zero for the others, with `bound` the active columns' signed penalties u·s.
    pub fn solve(&self, factor: &Factor, bound: &[f64], mu: f64, settled: usize) -> Solution {
        let pull = factor.forward(bound);
        let explained: Vec<f64> = self.vectors[..settled]
            .iter()
            .zip(&pull)
            .map(|(q, a)| dot(q, &self.target) - if *a == 0.0 { 0.0 } else { mu * a })
            .collect();
        let mut residual = self.target.clone();
        add(&mut residual, -1.0, &self.combine(&explained));
        let mut theta = factor.backward(explained);
        theta.resize(bound.len(), 0.0);
        Solution {
            theta,
            residual,
            turn: self.combine(&pull),
            direction: factor.backward(pull),
        }
    }
}
