//! Least squares on a table too large to be held: rows come from a Parquet file in blocks.
//!
//! All rows are learnt from, so none judges: what streams is meant for the summary of a fit, not for a choice of methods.

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_cost_model::{
    CostModel, Diagnostic, Domain, MODEL_SCHEMA, Price, Provenance, Severity,
};
use pricetag_regress::{LeastSquares, RowWeights, RowsError, TableRows};

use crate::method::Method;
use crate::options::{FitOptions, Weighting};

/// Fits a Parquet file by `ols` or `wls` without holding its rows.
///
/// # Errors
/// If the file cannot be read, holds a number that is not finite, or the method is neither `ols` nor `wls`.
pub fn fit_stream(
    path: &Path,
    ignore: &[&str],
    options: &FitOptions,
) -> Result<CostModel, RowsError> {
    if !matches!(options.method, Method::Ols | Method::Wls) {
        return Err(pricetag_estimator::EstimatorError::Request {
            method: "stream",
            reason: "rows can be streamed for `ols` and `wls` only".into(),
        }
        .into());
    }
    let mut rows = TableRows::open(path, &options.target, None, ignore)?;
    let weights = match options.method.weighting(options.weighting) {
        Weighting::Relative => RowWeights::Relative,
        Weighting::Equal => RowWeights::AsGiven,
    };
    let least_squares = LeastSquares {
        intercept: options.intercept,
        ..LeastSquares::default()
    };
    let found = least_squares.fit_rows(&mut rows, weights)?;
    let names = pricetag_regress::RowBlocks::names(&rows);
    let mut diagnostics = found.fitted.notes.clone();
    diagnostics.push(note(format!(
        "learnt from all {} rows in {} passes over the file; no row was held out",
        found.rows, found.passes
    )));
    diagnostics.extend(
        rows.left_out()
            .iter()
            .map(|(name, what)| note(format!("column `{name}` was left out: it holds {what}"))),
    );
    let domain: BTreeMap<String, Domain> = names
        .iter()
        .zip(&found.ranges)
        .map(|(name, &(min, max))| (name.clone(), Domain { min, max }))
        .collect();
    let prices = names
        .iter()
        .zip(&found.fitted.coefficients)
        .map(|(name, coefficient)| Price {
            bucket: name.clone(),
            members: vec![name.clone()],
            ratios: vec![1.0],
            price: coefficient.estimate.filter(|e| *e >= 0.0),
            std_error: coefficient.std_error,
            bounds: None,
            prior: None,
            evidence: None,
            support: u32::try_from(found.rows).unwrap_or(u32::MAX),
            share: 0.0,
            note: coefficient
                .estimate
                .filter(|e| *e < 0.0)
                .map(|e| format!("least squares gives {e:.3e}, which no price can be")),
        })
        .collect();
    Ok(CostModel {
        schema: MODEL_SCHEMA,
        target: options.target.clone(),
        unit: "1".into(),
        method: options.method.to_string(),
        text: found.fitted.formula.text(),
        formula: found.fitted.formula,
        prices,
        terms: Vec::new(),
        screening: None,
        preferred: None,
        interval: None,
        domain,
        evaluation: None,
        baseline: None,
        alternatives: Vec::new(),
        standings: Vec::new(),
        sensitivity: None,
        summary: found.fitted.summary,
        diagnostics,
        provenance: Provenance {
            options: options.describe(),
            seed: options.seed,
            pricetag: options.pricetag.clone(),
            ..Provenance::default()
        },
    })
}

fn note(message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        message,
        advice: None,
    }
}
