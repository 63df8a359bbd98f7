//! Σ counts × prices for each observation, and the factor R.
//!
//! Krogmann et al. (2010), sections 3.6 and 4.3: P = Σ cᵢ·tᵢ, R = P / measured, learnt from one run and taken for a constant of the
//! algorithm. Here R is shown for every observation, with its scatter and the error of R from each one applied to each other one.

use std::collections::BTreeSet;

use pricetag_finding::{Applied, AppliedRow, FINDING_SCHEMA, FactorSummary};
use pricetag_platform::PlatformList;
use pricetag_quantity::median;

use crate::TransferError;
use crate::program::{Program, sum};
use crate::rank::exact_rank;

/// Applies a list to a counted program.
///
/// # Errors
/// If nothing that is counted has a price.
pub fn apply(list: &PlatformList, program: &Program) -> Result<Applied, TransferError> {
    let prices = list.by_feature();
    let counted: BTreeSet<&str> = program
        .rows
        .iter()
        .flat_map(|r| r.counts.iter())
        .filter(|(_, count)| **count != 0.0)
        .map(|(name, _)| name.as_str())
        .collect();
    let (priced, unpriced): (Vec<&str>, Vec<&str>) = counted
        .into_iter()
        .partition(|name| prices.contains_key(name));
    if priced.is_empty() {
        return Err(TransferError::NotCounted { route: "sum" });
    }
    let counts: Vec<Vec<f64>> = program
        .rows
        .iter()
        .map(|row| {
            let count = |name: &&str| row.counts.get(*name).copied().unwrap_or(0.0);
            priced.iter().map(count).collect()
        })
        .collect();
    let rows: Vec<AppliedRow> = program
        .rows
        .iter()
        .map(|row| {
            let sum = sum(&row.counts, &prices);
            AppliedRow {
                label: row.label.clone(),
                sum,
                measured: row.measured,
                factor: row.measured.filter(|m| *m > 0.0).map(|m| sum / m),
            }
        })
        .collect();
    Ok(Applied {
        schema: FINDING_SCHEMA,
        list: list.title(),
        target: None,
        priced: priced.len() as u32,
        rank: exact_rank(&counts),
        unpriced: unpriced.into_iter().map(str::to_owned).collect(),
        factor: factor(&rows),
        rows,
    })
}

fn factor(rows: &[AppliedRow]) -> Option<FactorSummary> {
    let factors: Vec<f64> = rows.iter().filter_map(|r| r.factor).collect();
    let n = factors.len() as f64;
    if factors.len() < 2 {
        return None;
    }
    let mean = factors.iter().sum::<f64>() / n;
    let variance = factors.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / (n - 1.0);
    // Predicted: sum / R of another one; relative to measured that is R / R of the other one.
    let mut errors = Vec::new();
    for (i, from) in factors.iter().enumerate() {
        let others = factors.iter().enumerate().filter(|(j, _)| *j != i);
        errors.extend(others.map(|(_, to)| (to / from - 1.0).abs()));
    }
    Some(FactorSummary {
        mean,
        variation: variance.sqrt() / mean,
        one_file_median: median(&errors)?,
        one_file_max: errors.iter().copied().fold(0.0, f64::max),
    })
}
