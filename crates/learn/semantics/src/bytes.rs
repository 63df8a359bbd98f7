//! Bytes per construct, rounded to whole bytes where the fit says they are whole.
//!
//! Each price is rounded by itself; all rounded prices are kept if the worst row is predicted at most one byte worse than before.

use pricetag_cost_model::{CostModel, Formula};
use pricetag_dataset::Dataset;
use pricetag_study::{Method, Weighting, fit};

use crate::time::options;
use crate::{LearnError, cost, rows};

/// A price this near to a whole number is taken to be it.
const NEAR: f64 = 0.05;

/// Bytes by which the worst row may be predicted worse for it.
const WORSE: f64 = 1.0;

pub(crate) fn learn(mode: &str, table: &Dataset, seed: u64) -> Result<CostModel, LearnError> {
    let all = rows(table, &|_| true);
    let mut options = options("bytes", Method::Nnls, seed);
    options.weighting = Some(Weighting::Equal);
    let mut model = fit(&all, &options).map_err(|source| LearnError::Fit {
        what: "bytes".into(),
        mode: mode.to_owned(),
        source,
    })?;
    round(&mut model, &all);
    Ok(model)
}

/// Rounds the prices that are near whole bytes, if the rounded prices explain the rows as well up to [`WORSE`].
fn round(model: &mut CostModel, table: &Dataset) {
    let Formula::Linear { intercept, terms } = &model.formula else {
        return;
    };
    let rounded: Vec<(f64, String)> = terms
        .iter()
        .map(|(c, name)| {
            let whole = c.round();
            let price = if (c - whole).abs() <= NEAR { whole } else { *c };
            (price, name.clone())
        })
        .filter(|(c, _)| *c != 0.0)
        .collect();
    let formula = Formula::Linear {
        intercept: *intercept,
        terms: rounded,
    };
    let (before, after) = (worst(&model.formula, table), worst(&formula, table));
    if after > before + WORSE {
        return;
    }
    model.text = formula.text();
    model.formula = formula;
    for price in &mut model.prices {
        if let Some(p) = price
            .price
            .as_mut()
            .filter(|p| (**p - p.round()).abs() <= NEAR)
        {
            *p = p.round();
        }
    }
}

/// Largest error in bytes.
fn worst(formula: &Formula, table: &Dataset) -> f64 {
    let dense: std::collections::BTreeMap<&str, Vec<f64>> = table
        .features
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let id = pricetag_dataset::FeatureId(i as u32);
            (f.name.as_str(), table.dense(id))
        })
        .collect();
    table
        .observations
        .iter()
        .enumerate()
        .filter_map(|(row, o)| {
            let value = formula
                .evaluate(&|name| dense.get(name).map(|column| column[row]))
                .ok()?;
            Some((value - cost(o, "bytes")).abs())
        })
        .fold(0.0, f64::max)
}
