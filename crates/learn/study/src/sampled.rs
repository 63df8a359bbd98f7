//! The method `sampled`: charges as a price list, with the scale and the constant that fit the measured times.

use std::collections::HashMap;

use faer::Mat;
use pricetag_dataset::FeatureKind;
use pricetag_estimator::{Bucket, Buckets, Checked, Coefficient, Design, EstimatorError};
use pricetag_regress::nnls;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::charges::charges;
use crate::learner::{Learned, Learner};
use crate::study::Study;

/// Samples that count as much as what a method's work says.
const HALF: f64 = 4.0;

impl Study<'_> {
    /// Why prices cannot come from samples, if they cannot.
    pub(crate) fn no_samples(&self) -> Option<String> {
        let kinds = |kind| {
            let mut features = self.table.features.iter();
            features.any(|f| self.dataset.features[f.0 as usize].kind == kind)
        };
        if self.dataset.profile.is_none() {
            return Some("the dataset has no sampled runs".to_owned());
        }
        let columns = kinds(FeatureKind::Block) || kinds(FeatureKind::Method);
        (!columns).then(|| "it prices blocks or methods".to_owned())
    }
}

impl Learner<'_> {
    /// Prices of the single columns.
    pub(crate) fn sampled(
        &self,
        rows: &[usize],
        design: &Checked<Design>,
        found: Buckets,
    ) -> Result<Learned, EstimatorError> {
        let observations: Vec<usize> = rows.iter().map(|&row| self.observations[row]).collect();
        let (target, level) = (self.target(), self.confidence());
        let charges = charges(self.dataset, target, &observations, level).ok_or_else(|| {
            EstimatorError::Request {
                method: "sampled",
                reason: format!("no samples say what `{target}` is spent on in these observations"),
            }
        })?;
        let tail = Normal::standard().inverse_cdf(f64::midpoint(1.0, level));
        let mut by_name: HashMap<&str, (f64, f64, f64)> = HashMap::new();
        for account in &charges.accounts {
            let relative = (account.factors.1 - account.factors.0) / (2.0 * tail);
            let weight = account
                .samples
                .map_or(1.0, |n| f64::from(n) / (f64::from(n) + HALF));
            for (price, feature) in &account.terms {
                let (sum, error, evidence) = by_name.entry(feature).or_default();
                *sum += price;
                *error = error.hypot(price * relative);
                *evidence += price * weight;
            }
        }
        let columns = design.columns.iter();
        let known: Vec<(f64, f64, f64)> = columns
            .map(|column| {
                by_name
                    .get(column.name.as_str())
                    .copied()
                    .unwrap_or_default()
            })
            .collect();
        let mut charged = vec![0.0; design.rows()];
        for (column, (price, ..)) in design.columns.iter().zip(&known) {
            column.values.add_to(*price, &mut charged);
        }
        let (constant, scale) = scale(design, &charged);
        let base = self
            .kinds
            .iter()
            .position(|kind| *kind == FeatureKind::Base);
        let mut prices: Vec<f64> = known.iter().map(|(price, ..)| scale * price).collect();
        if let Some(base) = base {
            prices[base] += constant;
        }
        let coefficient = |column: usize| {
            let (price, error, evidence) = known[column];
            Coefficient {
                estimate: Some(prices[column]),
                std_error: (error > 0.0).then_some(scale * error),
                prior: None,
                evidence: (price > 0.0).then(|| evidence / price),
            }
        };
        let used = (0..design.columns.len()).filter(|column| !found.empty.contains(column));
        let buckets: Vec<Bucket> = used
            .map(|column| Bucket {
                members: vec![column],
                ratios: vec![1.0],
            })
            .collect();
        Ok(Learned {
            coefficients: buckets.iter().map(|b| coefficient(b.members[0])).collect(),
            buckets,
            empty: found.empty,
            priors: vec![None; prices.len()],
            intercept: if base.is_some() { 0.0 } else { constant },
            prices,
            formula: None,
            summary: None,
            shrinkage: None,
            notes: Vec::new(),
        })
    }
}

/// A constant and a factor, neither negative, by which the charged cost of each row becomes its measured one.
fn scale(design: &Checked<Design>, charged: &[f64]) -> (f64, f64) {
    let roots: Vec<f64> = design.weights.iter().map(|weight| weight.sqrt()).collect();
    let largest = charged.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return (0.0, 0.0);
    }
    let typical = design.target.iter().map(|y| y.abs()).sum::<f64>() / design.rows() as f64;
    let columns = Mat::from_fn(design.rows(), 2, |row, column| {
        roots[row] * if column == 0 { typical } else { charged[row] }
    });
    let target: Vec<f64> = design
        .target
        .iter()
        .zip(&roots)
        .map(|(y, r)| y * r)
        .collect();
    let found = nnls(&columns, &target).x;
    (found[0] * typical, found[1])
}
