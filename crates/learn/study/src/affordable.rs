//! Models of what can be known cheaply: the curve of error against the cost of finding the features' values.
//!
//! Source: Chen et al. 2010 ("Mantis"), section 5 and figure 2: features that are expensive to compute are rejected and the model is made
//! anew. Deviation: what each feature costs is known beforehand, so all limits are tried in one pass. A set of features costs what its most
//! expensive member does, since all are computed by one evaluation.
//!
//! The choice looks at the errors on the held-out rows, so these are a little too good for the chosen model: inputs that were kept aside
//! say more.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, FeatureKind};

use crate::fit::{FitError, fit};
use crate::options::FitOptions;

/// Limits that are tried beside the budget: shares of a run.
const LIMITS: [f64; 9] = [0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0];

/// A model of features whose values cost no more than a limit.
#[derive(Clone, Debug)]
pub struct Affordable {
    /// The limit, as a share of a run.
    pub up_to: f64,
    /// Features within it.
    pub offered: usize,
    /// What the formula's features cost.
    pub share: f64,
    /// How many features the formula uses.
    pub used: usize,
    /// The model.
    pub model: CostModel,
}

impl Affordable {
    /// Median relative error on held-out rows, infinite if there were none.
    pub fn error(&self) -> f64 {
        let evaluation = self.model.evaluation.as_ref();
        evaluation.map_or(f64::INFINITY, |e| e.median_error)
    }
}

/// Learns a model for every limit that lets more features in than the one before. `shares` says what each feature's value costs, as a share
/// of a run; features without a share are not offered.
///
/// # Errors
/// If no limit gives a model; the error of the last.
pub fn curve(
    dataset: &Dataset,
    options: &FitOptions,
    shares: &BTreeMap<String, f64>,
    budget: f64,
) -> Result<Vec<Affordable>, FitError> {
    let mut limits: Vec<f64> = LIMITS.iter().copied().chain([budget]).collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    let (mut found, mut before, mut last) = (Vec::new(), 0, None);
    for up_to in limits {
        let within = shares.iter().filter(|(_, share)| **share <= up_to);
        let names: BTreeSet<String> = within.map(|(name, _)| name.clone()).collect();
        if names.len() == before {
            continue;
        }
        before = names.len();
        let offered = dataset.features.iter().filter(|f| names.contains(&f.name));
        let mut kinds: Vec<FeatureKind> = offered.map(|f| f.kind).collect();
        kinds.push(FeatureKind::Base);
        kinds.sort_unstable();
        kinds.dedup();
        let Ok(restricted) = dataset.clone().with_only(&names) else {
            continue;
        };
        let options = FitOptions {
            kinds: Some(kinds),
            alternatives: false,
            ..options.clone()
        };
        match fit(&restricted, &options) {
            Ok(model) => {
                let used: BTreeSet<&str> = model.formula.features().into_iter().collect();
                let costs = used.iter().filter_map(|name| shares.get(*name));
                let share = costs.copied().fold(0.0, f64::max);
                let used = used.len();
                found.push(Affordable {
                    up_to,
                    offered: names.len(),
                    share,
                    used,
                    model,
                });
            }
            Err(error) => last = Some(error),
        }
    }
    match last {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// The model with the least error among those whose features cost no more than a budget; the cheapest of equals.
pub fn best_within(curve: &[Affordable], budget: f64) -> Option<usize> {
    let affordable = (0..curve.len()).filter(|&i| curve[i].share <= budget);
    affordable.min_by(|&a, &b| {
        let by_error = curve[a].error().total_cmp(&curve[b].error());
        by_error.then(curve[a].share.total_cmp(&curve[b].share))
    })
}
