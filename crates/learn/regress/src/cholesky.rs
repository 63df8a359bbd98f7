//! The Cholesky factor of a Gram matrix whose set of columns grows and shrinks.
//!
//! A column enters by one forward substitution and leaves by Givens rotations that restore the triangle (Golub & Van
//! Loan, 4th ed., §6.5). Each costs k² operations for k columns.

#![expect(
    clippy::inline_always,
    reason = "loops are compiled for wider vectors only where they are inlined into the dispatching function"
)]

use faer::{Mat, Side};

use crate::wide::{accumulate, inner, wide};

/// Rows of the lower triangle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    rows: Vec<Vec<f64>>,
}

impl Factor {
    /// Of a whole Gram matrix; `None` when no more than `least` of a column's squared length is new.
    pub(crate) fn of(gram: &Mat<f64>, least: f64) -> Option<Self> {
        let llt = gram.llt(Side::Lower).ok()?;
        let rows: Vec<Vec<f64>> = (0..gram.nrows())
            .map(|i| (0..=i).map(|j| llt.L()[(i, j)]).collect())
            .collect();
        let new = |(i, row): (usize, &Vec<f64>)| row[i] * row[i] > least;
        rows.iter().enumerate().all(new).then_some(Self { rows })
    }

    /// A row of the triangle, up to the diagonal.
    pub(crate) fn row(&self, at: usize) -> &[f64] {
        &self.rows[at]
    }

    /// L⁻¹ of the inner products with the columns inside, and the share of the new column that they do not explain.
    pub(crate) fn project(&self, products: &[f64], own: f64) -> (Vec<f64>, f64) {
        wide(
            #[inline(always)]
            || {
                let row = self.below(products);
                let rest = own - inner(&row, &row);
                (row, rest)
            },
        )
    }

    /// Adds a column, unless no more than `least` of its squared length is new.
    pub(crate) fn push(&mut self, products: &[f64], own: f64, least: f64) -> bool {
        let (row, rest) = self.project(products, own);
        self.push_row(row, rest, least)
    }

    /// Adds a column whose row, and the square of the diagonal after it, are known.
    pub(crate) fn push_row(&mut self, mut row: Vec<f64>, rest: f64, least: f64) -> bool {
        if rest.is_nan() || rest <= least {
            return false;
        }
        row.push(rest.sqrt());
        self.rows.push(row);
        true
    }

    /// Removes the column at a position.
    pub(crate) fn remove(&mut self, at: usize) {
        self.rows.remove(at);
        for k in at..self.rows.len() {
            let (a, b) = (self.rows[k][k], self.rows[k][k + 1]);
            let r = a.hypot(b);
            let (c, s) = (a / r, b / r);
            for row in &mut self.rows[k..] {
                let (u, v) = (row[k], row[k + 1]);
                row[k] = c * u + s * v;
                row[k + 1] = c * v - s * u;
            }
            self.rows[k].truncate(k + 1);
        }
    }

    /// The solution of L Lᵀ z = `right` for as many of the first columns as `right` has entries.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        wide(
            #[inline(always)]
            || self.above(self.below(right)),
        )
    }

    /// L⁻¹ · `right` for as many of the first columns as it has entries.
    pub(crate) fn forward(&self, right: &[f64]) -> Vec<f64> {
        wide(
            #[inline(always)]
            || self.below(right),
        )
    }

    /// L⁻ᵀ · `right` for as many of the first columns as it has entries.
    pub(crate) fn backward(&self, right: Vec<f64>) -> Vec<f64> {
        wide(
            #[inline(always)]
            || self.above(right),
        )
    }

    /// Forward substitution, within a wide loop.
    #[inline(always)]
    fn below(&self, right: &[f64]) -> Vec<f64> {
        let mut z = Vec::with_capacity(right.len() + 1);
        for (row, value) in self.rows.iter().zip(right) {
            let k = z.len();
            z.push((value - inner(&z, &row[..k])) / row[k]);
        }
        z
    }

    /// Back substitution, within a wide loop.
    #[inline(always)]
    fn above(&self, mut z: Vec<f64>) -> Vec<f64> {
        for (i, row) in self.rows[..z.len()].iter().enumerate().rev() {
            z[i] /= row[i];
            let zi = z[i];
            accumulate(&mut z[..i], -zi, row);
        }
        z
    }
}
