//! The normalised objective of Das & Hoffmann (ML for ML, TACAS 2017, section 2).
//!
//! They minimise Σⱼ Σᵢ ((Tᵢⱼ − Σ꜀ nᵢⱼ꜀ T꜀) / Sⱼ)² over programs j and inputs i, with Sⱼ = Σᵢ Tᵢⱼ the total cost of program j over its
//! inputs, because the error of a measurement grows with what is executed; by linear, robust and non-negative regression.
//! Unlike relative errors of single observations this keeps large inputs of a program more important than small ones.
//!
//! Here a program is a group of the design. The weights 1/Sⱼ² take the place of the design's; a row of weight zero stays
//! out, of its group's total too. A group of total zero gets the smallest other total.

use std::collections::BTreeMap;

use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted};

/// Another estimator with errors divided by the total cost of the row's group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Normalised<E>(pub E);

/// Name of the method.
const METHOD: &str = "normalised";

impl<E: Estimator> Estimator for Normalised<E> {
    fn name(&self) -> &'static str {
        METHOD
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let weighted = design.clone().reweighted(group_weights(design))?;
        let mut fitted = self.0.fit(&weighted)?;
        fitted.method = METHOD;
        Ok(fitted)
    }
}

/// 1/S² of every row's group; 0 for rows of weight zero.
fn group_weights(design: &Design) -> Vec<f64> {
    let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
    for ((group, y), w) in design
        .groups
        .iter()
        .zip(&design.target)
        .zip(&design.weights)
    {
        if *w > 0.0 {
            *totals.entry(group).or_default() += y;
        }
    }
    let positive = totals.values().map(|s| s.abs()).filter(|s| *s > 0.0);
    let smallest = positive.fold(f64::INFINITY, f64::min);
    let smallest = if smallest.is_finite() { smallest } else { 1.0 };
    let weight = |(group, w): (&String, &f64)| {
        let total = totals.get(group.as_str()).map_or(0.0, |s| s.abs());
        if *w > 0.0 {
            total.max(smallest).powi(-2)
        } else {
            0.0
        }
    };
    design
        .groups
        .iter()
        .zip(&design.weights)
        .map(weight)
        .collect()
}
