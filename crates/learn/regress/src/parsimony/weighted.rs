//! The table that columns are selected from.

use std::ops::Range;

use faer::Mat;

use super::equations::Set;
use crate::lasso::SparseModel;
use crate::lasso::solve::Sample;
use crate::nnls::nnls;
use crate::wide::{add, dot};

/// The constant, then the columns, with weighted rows and of unit length; and the weighted costs. Rows that are held out
/// together stand together, so that all others are two slices of a column.
pub(super) struct Weighted {
    columns: Mat<f64>,
    target: Vec<f64>,
    lengths: Vec<f64>,
    /// The rows that each fold holds out.
    pub folds: Vec<Range<usize>>,
}

impl Weighted {
    /// Some columns of a sample. Rows that no fold holds out have no weight and take no part.
    pub fn new(sample: &Sample, candidates: &[usize], folds: &[&[usize]]) -> Self {
        let order: Vec<usize> = folds.concat();
        let roots: Vec<f64> = order.iter().map(|&r| sample.weights[r].sqrt()).collect();
        let mut columns = Mat::zeros(order.len(), candidates.len() + 1);
        let mut lengths = Vec::with_capacity(columns.ncols());
        let mut scratch = vec![0.0; sample.columns.rows()];
        for j in 0..columns.ncols() {
            let to = columns.col_as_slice_mut(j);
            match j.checked_sub(1) {
                None => to.copy_from_slice(&roots),
                Some(at) => {
                    let from = sample.columns.view(candidates[at], &mut scratch);
                    for ((t, &row), root) in to.iter_mut().zip(&order).zip(&roots) {
                        *t = from[row] * root;
                    }
                }
            }
            let length = dot(to, to).sqrt();
            if length > 0.0 {
                for v in to {
                    *v /= length;
                }
            }
            lengths.push(length);
        }
        let weighted = order.iter().zip(&roots);
        let target = weighted.map(|(&row, root)| sample.target[row] * root);
        let mut end = 0;
        let ranges = folds.iter().map(|rows| {
            end += rows.len();
            end - rows.len()..end
        });
        Self {
            target: target.collect(),
            folds: ranges.collect(),
            columns,
            lengths,
        }
    }

    /// Columns, the constant included.
    pub fn count(&self) -> usize {
        self.columns.ncols()
    }

    pub fn target(&self) -> &[f64] {
        &self.target
    }

    pub fn column(&self, at: usize) -> &[f64] {
        self.columns.col_as_slice(at)
    }

    /// Squared error of a set's predictions for some rows.
    pub fn error(&self, set: &Set, rows: &Range<usize>) -> f64 {
        let mut left = self.target[rows.clone()].to_vec();
        for (&j, x) in set.columns.iter().zip(&set.x) {
            add(&mut left, -x, &self.column(j)[rows.clone()]);
        }
        dot(&left, &left)
    }

    /// Non-negative least squares on some columns, with all digits.
    pub fn exactly(&self, set: &[usize], candidates: &[usize]) -> SparseModel {
        let chosen = Mat::from_fn(self.columns.nrows(), set.len(), |i, k| {
            self.columns[(i, set[k])]
        });
        let mut model = SparseModel::default();
        for (&j, x) in set.iter().zip(nnls(&chosen, &self.target).x) {
            match j.checked_sub(1) {
                None => model.intercept = x / self.lengths[0],
                Some(at) if x > 0.0 => {
                    let coefficient = x / self.lengths[j];
                    model.coefficients.push((candidates[at], coefficient));
                }
                Some(_) => {}
            }
        }
        model.coefficients.sort_unstable_by_key(|c| c.0);
        model
    }
}
