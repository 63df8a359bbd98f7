//! How the error depends on λ and on the size of the training set: the data behind Mantis' figures 6 and 9.
//!
//! Groups are split by seed into training and test rows, as everywhere; errors are relative to the measured cost.

use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, evaluate, split_by_group};
use serde::{Deserialize, Serialize};

use super::Lasso;

/// Errors on held-out rows at one λ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LambdaPoint {
    /// λ.
    pub lambda: f64,
    /// Columns with a non-zero coefficient.
    pub columns: u32,
    /// Mean of |predicted − measured| / measured over the test rows.
    pub mean_error: f64,
    /// Median of the same.
    pub median_error: f64,
}

/// Errors on held-out rows for one size of the training set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizePoint {
    /// Share of the groups used for learning.
    pub fraction: f64,
    /// Seed of the split.
    pub seed: u64,
    /// Rows used for learning.
    pub train_rows: u32,
    /// Features the formula names.
    pub columns: u32,
    /// Mean of |predicted − measured| / measured over the test rows.
    pub mean_error: f64,
    /// Median of the same.
    pub median_error: f64,
}

/// Errors along the path that one training set gives.
pub fn by_lambda(
    lasso: &Lasso,
    design: &Checked<Design>,
    fraction: f64,
    seed: u64,
) -> Result<Vec<LambdaPoint>, EstimatorError> {
    let split = split_by_group(&design.groups, fraction, seed);
    let (train, test) = (design.subset(&split.train)?, design.subset(&split.test)?);
    let path = lasso.path(&train)?;
    let points = path.grid(lasso.grid).into_iter().map(|lambda| {
        let model = path.at(lambda);
        let predicted = model.predict(&test);
        let judged = evaluate(
            "lasso",
            train.rows(),
            &test.labels,
            &test.target,
            &predicted,
        );
        LambdaPoint {
            lambda,
            columns: model.coefficients.len() as u32,
            mean_error: judged.mean_error,
            median_error: judged.median_error,
        }
    });
    Ok(points.collect())
}

/// Errors of any estimator for several sizes of the training set, each with several splits.
pub fn by_training_size(
    estimator: &dyn Estimator,
    design: &Checked<Design>,
    fractions: &[f64],
    seeds: &[u64],
) -> Result<Vec<SizePoint>, EstimatorError> {
    let mut points = Vec::new();
    for &fraction in fractions {
        for &seed in seeds {
            let split = split_by_group(&design.groups, fraction, seed);
            let (train, test) = (design.subset(&split.train)?, design.subset(&split.test)?);
            let fitted = estimator.fit(&train)?;
            let predicted = fitted
                .predict(&test)
                .map_err(|e| EstimatorError::Numerical {
                    method: fitted.method,
                    reason: e.to_string(),
                })?;
            let judged = evaluate(
                fitted.method,
                train.rows(),
                &test.labels,
                &test.target,
                &predicted,
            );
            points.push(SizePoint {
                fraction,
                seed,
                train_rows: train.rows() as u32,
                columns: fitted.formula.features().len() as u32,
                mean_error: judged.mean_error,
                median_error: judged.median_error,
            });
        }
    }
    Ok(points)
}
