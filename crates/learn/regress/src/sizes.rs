//! How many columns a model gets, by cross-validation: the least error, or the fewest within one standard error of it
//! (Breiman et al. 1984, §3.4.3).

use pricetag_estimator::{EstimatorError, Split, folds_by_group};

use crate::lasso::solve::Sample;

/// Cross-validated errors by size, and the size taken.
pub(crate) struct Choice {
    /// Mean over the folds for each size.
    pub mean: Vec<f64>,
    /// Its standard error.
    pub standard_error: Vec<f64>,
    /// The size with the least error.
    pub best: usize,
    /// The size taken.
    pub size: usize,
}

/// Folds that keep groups together, each with weight on both sides, and the weights of what they hold out.
pub(crate) fn weighted_folds(
    sample: &Sample,
    folds: usize,
    seed: u64,
    method: &'static str,
) -> Result<(Vec<Split>, Vec<f64>), EstimatorError> {
    let weight = |rows: &[usize]| rows.iter().map(|&r| sample.weights[r]).sum::<f64>();
    let splits: Vec<Split> = folds_by_group(sample.groups, folds, seed)
        .into_iter()
        .filter(|s| weight(&s.train) > 0.0 && weight(&s.test) > 0.0)
        .collect();
    if splits.len() < 2 {
        return Err(EstimatorError::TooFewRows {
            method,
            needed: 2,
            rows: splits.len(),
        });
    }
    let weights = splits.iter().map(|s| weight(&s.test)).collect();
    Ok((splits, weights))
}

/// Takes a size by the errors of each fold at each size. Errors that differ by less than `rounding` of a constant's are
/// equal: the smaller model wins.
pub(crate) fn choose(
    errors: &[Vec<f64>],
    weights: &[f64],
    rounding: f64,
    one_standard_error: bool,
) -> Choice {
    let total: f64 = weights.iter().sum();
    let over = |f: &dyn Fn(usize) -> f64| {
        (0..weights.len()).map(|k| weights[k] * f(k)).sum::<f64>() / total
    };
    let sizes = errors.first().map_or(0, Vec::len);
    let mean: Vec<f64> = (0..sizes).map(|s| over(&|k| errors[k][s])).collect();
    let deviation = |s: usize| {
        let variance = over(&|k| (errors[k][s] - mean[s]).powi(2));
        (variance / (weights.len() - 1).max(1) as f64).sqrt()
    };
    let standard_error: Vec<f64> = (0..sizes).map(deviation).collect();
    let lowest = mean.iter().copied().fold(f64::INFINITY, f64::min);
    let best = mean
        .iter()
        .position(|m| *m <= lowest * (1.0 + 1e-9) + rounding * mean[0])
        .unwrap_or(0);
    let allowed = mean[best] + standard_error[best];
    let size = if one_standard_error {
        (0..=best).find(|&s| mean[s] <= allowed).unwrap_or(best)
    } else {
        best
    };
    Choice {
        mean,
        standard_error,
        best,
        size,
    }
}
