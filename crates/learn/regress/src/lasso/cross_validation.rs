//! k-fold cross-validation of λ, with folds that keep groups together.
//!
//! Every fold is fitted by its own exact path, so the error at every λ of the grid is that of the exact solution. The
//! error of a fold is the mean squared error of its held-out rows under the design's weights (relative errors, when the
//! weights are relative); mean and standard error over folds weigh folds by their weight, as `cv.glmnet` does
//! (Friedman, Hastie & Tibshirani 2010).

use std::collections::BTreeSet;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use pricetag_estimator::{Checked, Design, EstimatorError, Split};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::folds::FoldProducts;
use super::path::{LassoPath, SparseModel};
use super::scaled::Scaled;
use super::solve::{End, Sample};
use super::working_set::COMPLETE;
use super::{Lambda, Lasso};
use crate::sizes::weighted_folds;

/// Errors along λ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossValidation {
    /// Values of λ, falling.
    pub lambda: Vec<f64>,
    /// Mean squared error over the folds at each λ.
    pub mean: Vec<f64>,
    /// Its standard error; 0 with fewer than two folds.
    pub standard_error: Vec<f64>,
    /// Columns with a non-zero coefficient in the fit of all rows at each λ.
    pub columns: Vec<u32>,
    /// The error of each fold at each λ.
    pub folds: Vec<Vec<f64>>,
    /// λ with the smallest mean; the largest of several.
    pub lambda_min: f64,
    /// Largest λ whose mean is within one standard error of the smallest.
    pub lambda_1se: f64,
}

impl CrossValidation {
    /// The λ a rule takes.
    pub fn lambda(&self, rule: Lambda) -> f64 {
        match rule {
            Lambda::Minimum => self.lambda_min,
            Lambda::OneStandardError => self.lambda_1se,
            Lambda::Value(value) => value,
        }
    }
}

impl Lasso {
    /// The path of all rows and the errors along it.
    pub fn cross_validate(
        &self,
        design: &Checked<Design>,
    ) -> Result<(LassoPath, CrossValidation), EstimatorError> {
        self.cross_validate_of(&Sample::of(design))
    }

    pub(crate) fn cross_validate_of(
        &self,
        sample: &Sample,
    ) -> Result<(LassoPath, CrossValidation), EstimatorError> {
        self.validate(sample)?;
        let (folds, weights) = weighted_folds(sample, self.folds, self.seed, "lasso")?;
        let path = self.follow(sample, sample.weights, self.end(sample), &[]);
        let lambda = path.grid(self.grid);
        let errors = self.fold_errors(sample, &folds, &path, &lambda);
        let columns = lambda
            .iter()
            .map(|&l| path.at(l).coefficients.len() as u32)
            .collect();
        Ok((path, summarise(lambda, columns, errors, &weights)))
    }

    /// The error of every fold at every λ.
    fn fold_errors(
        &self,
        sample: &Sample,
        folds: &[Split],
        path: &LassoPath,
        lambda: &[f64],
    ) -> Vec<Vec<f64>> {
        let smallest = lambda.last().copied().unwrap_or(0.0);
        let active: BTreeSet<usize> = path
            .knots
            .iter()
            .flat_map(|k| k.model.coefficients.iter().map(|c| c.0))
            .collect();
        let active: Vec<usize> = active.into_iter().collect();
        let scaled;
        let products = if self.alpha == 1.0 && sample.columns.count() <= COMPLETE {
            scaled = Scaled::new(
                sample.columns,
                sample.target,
                sample.weights,
                &self.conventions(),
            );
            let held_out = folds.iter().map(|s| s.test.as_slice());
            Some(FoldProducts::new(&scaled, held_out))
        } else {
            None
        };
        folds
            .par_iter()
            .enumerate()
            .map(|(fold, split)| {
                let quick = products.as_ref().and_then(|p| p.path(self, fold, smallest));
                let path = quick.unwrap_or_else(|| {
                    let mut weights = sample.weights.to_vec();
                    split.test.iter().for_each(|&row| weights[row] = 0.0);
                    self.follow(sample, &weights, End::Lambda(smallest), &active)
                });
                let models: Vec<SparseModel> = lambda.iter().map(|&l| path.at(l)).collect();
                held_out_errors(sample, &split.test, &models)
            })
            .collect()
    }
}

fn weight(sample: &Sample, rows: &[usize]) -> f64 {
    rows.iter().map(|&r| sample.weights[r]).sum()
}

/// Weighted mean squared error of each model on some rows.
pub(crate) fn held_out_errors(sample: &Sample, rows: &[usize], models: &[SparseModel]) -> Vec<f64> {
    let used: BTreeSet<usize> = models
        .iter()
        .flat_map(|m| m.coefficients.iter().map(|c| c.0))
        .collect();
    let used: Vec<usize> = used.into_iter().collect();
    let mut values = Mat::zeros(rows.len(), used.len());
    let mut scratch = vec![0.0; sample.columns.rows()];
    for (at, &column) in used.iter().enumerate() {
        let from = sample.columns.view(column, &mut scratch);
        for (to, &row) in values.col_as_slice_mut(at).iter_mut().zip(rows) {
            *to = from[row];
        }
    }
    let mut coefficients = Mat::zeros(used.len(), models.len());
    for (m, model) in models.iter().enumerate() {
        for &(column, coefficient) in &model.coefficients {
            if let Ok(at) = used.binary_search(&column) {
                coefficients[(at, m)] = coefficient;
            }
        }
    }
    let mut predicted = Mat::zeros(rows.len(), models.len());
    matmul(
        predicted.as_mut(),
        Accum::Replace,
        &values,
        &coefficients,
        1.0,
        Par::Seq,
    );
    let total = weight(sample, rows);
    models
        .iter()
        .enumerate()
        .map(|(m, model)| {
            let squares = predicted.col_as_slice(m).iter().zip(rows).map(|(p, &row)| {
                sample.weights[row] * (sample.target[row] - p - model.intercept).powi(2)
            });
            squares.sum::<f64>() / total
        })
        .collect()
}

/// Mean and standard error over folds, and what the two rules choose.
fn summarise(
    lambda: Vec<f64>,
    columns: Vec<u32>,
    folds: Vec<Vec<f64>>,
    weights: &[f64],
) -> CrossValidation {
    let total: f64 = weights.iter().sum();
    let over_folds = |f: &dyn Fn(usize) -> f64| {
        (0..weights.len()).map(|k| weights[k] * f(k)).sum::<f64>() / total
    };
    let mean: Vec<f64> = (0..lambda.len())
        .map(|l| over_folds(&|k| folds[k][l]))
        .collect();
    let standard_error: Vec<f64> = mean
        .iter()
        .enumerate()
        .map(|(l, m)| {
            let variance = over_folds(&|k| (folds[k][l] - m).powi(2));
            (variance / (weights.len() as f64 - 1.0).max(1.0)).sqrt()
        })
        .collect();
    let best = (0..mean.len())
        .min_by(|&i, &j| mean[i].total_cmp(&mean[j]).then(i.cmp(&j)))
        .unwrap_or(0);
    let allowed = mean[best] + standard_error[best];
    let simplest = (0..=best).find(|&l| mean[l] <= allowed).unwrap_or(best);
    CrossValidation {
        lambda_min: lambda[best],
        lambda_1se: lambda[simplest],
        lambda,
        mean,
        standard_error,
        columns,
        folds,
    }
}
