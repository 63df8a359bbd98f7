//! Time per construct without collections, by several estimators side by side.

use std::collections::BTreeMap;

use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_study::{FitOptions, Method, Weighting, fit};

use crate::interval::calibrated;
use crate::{LearnError, cost, rows};

/// Estimators and their methods: linear regression, weighted by relative error, robust (L1), non-negative by relative error, and non-negative with
/// errors divided by the total time of their program, as in the paper's section 2.
pub const ESTIMATORS: [(&str, Method); 5] = [
    ("lr", Method::Ols),
    ("wlr", Method::Wls),
    ("l1", Method::L1),
    ("nnls", Method::Nnls),
    ("normalised", Method::Normalised),
];

/// The estimator used unless another is asked for.
pub const CHOSEN: &str = "nnls";

/// Nominal coverage of intervals.
pub(crate) const LEVEL: f64 = 0.95;

pub(crate) fn options(target: &str, method: Method, seed: u64) -> FitOptions {
    FitOptions {
        target: target.into(),
        method,
        kinds: Some(vec![FeatureKind::Opcode, FeatureKind::Base]),
        train: 1.0,
        seed,
        weighting: Some(match method {
            Method::Ols => Weighting::Equal,
            _ => Weighting::Relative,
        }),
        level_of_intervals: LEVEL,
        alternatives: false,
        ..FitOptions::default()
    }
}

pub(crate) fn learn(
    mode: &str,
    table: &Dataset,
    seed: u64,
) -> Result<BTreeMap<String, CostModel>, LearnError> {
    let quiet = rows(table, &|row| cost(row, "collections") == 0.0);
    let mut out = BTreeMap::new();
    for (name, method) in ESTIMATORS {
        let mut model =
            fit(&quiet, &options("ns", method, seed)).map_err(|source| LearnError::Fit {
                what: format!("time by {name}"),
                mode: mode.to_owned(),
                source,
            })?;
        // Of runs without collections, as the prices. Leaving every program out in turn is slow for sums of absolute errors.
        model.interval = match method {
            Method::L1 => None,
            _ => calibrated(&quiet, method, LEVEL),
        };
        out.insert(name.to_owned(), model);
    }
    Ok(out)
}
