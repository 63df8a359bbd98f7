//! Features that are known early are preferred: the half of Mantis (Chun et al. 2010, §5) that a fit can serve.
//!
//! A feature's expense is the share of a run after which its value is final ([`Feature::available`]). It becomes the
//! penalty weight of the lasso, so that of features that explain the cost equally well the early one is taken. A bucket
//! is as cheap as its cheapest member, which then stands for it; a product is as dear as its dearest factor. The weight
//! never falls below `LEAST`: nothing is free, and an exempt column would enter whether it explains anything or not.

use pricetag_cost_model::{FinalAfter, Formula, Preferred};
use pricetag_dataset::{Dataset, Feature, FeatureKind};
use pricetag_estimator::{Bucket, Table};

use crate::options::named;

/// The smallest penalty weight; that of what is known when one twentieth of a run is done.
const LEAST: f64 = 0.05;

/// What is preferred among features that explain the cost about as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefer {
    /// What is final early in a run.
    Cheap,
}

impl Prefer {
    /// Every preference with its name.
    pub const NAMES: [(&'static str, Self); 1] = [("cheap", Self::Cheap)];
}

named!(Prefer, "preference");

/// The share of a run after which a feature is final; inputs are known before it.
fn final_after(feature: &Feature) -> Option<f64> {
    match feature.kind {
        FeatureKind::Input | FeatureKind::Base => Some(0.0),
        _ => feature.available,
    }
}

/// Whether the dataset says of any feature when it is final.
pub(crate) fn is_known(dataset: &Dataset) -> bool {
    dataset.features.iter().any(|f| f.available.is_some())
}

/// The penalty weight of every column of a table. What was not looked at is as dear as the whole run.
pub(crate) fn expenses(dataset: &Dataset, table: &Table) -> Vec<f64> {
    let expense = |feature: &Feature| final_after(feature).unwrap_or(1.0).clamp(LEAST, 1.0);
    let features = table.features.iter();
    features
        .map(|f| expense(&dataset.features[f.0 as usize]))
        .collect()
}

/// The cheapest member of a bucket becomes its first; the earliest of several.
pub(crate) fn lead_by_cheapest(bucket: &mut Bucket, expenses: &[f64]) {
    let cheapest = (0..bucket.members.len())
        .min_by(|&a, &b| expenses[bucket.members[a]].total_cmp(&expenses[bucket.members[b]]));
    if let Some(at) = cheapest {
        bucket.lead_by(at);
    }
}

/// What a formula needs to be known, beside what it would need without the preference.
pub(crate) fn preferred(dataset: &Dataset, formula: &Formula, without: &Formula) -> Preferred {
    let needs = |formula: &Formula| -> Vec<FinalAfter> {
        let found = formula.features().into_iter().filter_map(|name| {
            let feature = dataset.features.iter().find(|f| f.name == name)?;
            Some(FinalAfter {
                feature: name.to_owned(),
                share: final_after(feature),
            })
        });
        found.collect()
    };
    let last = |needs: &[FinalAfter]| {
        let shares = needs.iter().map(|n| n.share.unwrap_or(1.0));
        shares.fold(0.0, f64::max)
    };
    let mut features = needs(formula);
    features.sort_by(|a, b| {
        let share = |n: &FinalAfter| n.share.unwrap_or(1.0);
        share(b)
            .total_cmp(&share(a))
            .then_with(|| a.feature.cmp(&b.feature))
    });
    Preferred {
        after: last(&features),
        after_without: last(&needs(without)),
        features,
    }
}
