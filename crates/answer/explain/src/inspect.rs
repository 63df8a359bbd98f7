//! What is in a dataset.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, Status};
use pricetag_finding::{
    AvailableFeature, CostColumn, Design, FINDING_SCHEMA, FailedObservation, Inspection,
    NondeterministicFeature, UncertainObservation,
};

use crate::group::kind_name;
use crate::times::{noise_words, which_time};

/// Describes a dataset. `design` and `advice` come from an estimator's diagnosis, if one was made.
pub fn inspect(dataset: &Dataset, design: Option<Design>, advice: Vec<String>) -> Inspection {
    let mut observations: BTreeMap<String, u32> = BTreeMap::new();
    for observation in &dataset.observations {
        let status = match observation.status {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::WarmUp => "warm-up",
        };
        *observations.entry(status.to_owned()).or_default() += 1;
    }
    let mut features: BTreeMap<String, u32> = BTreeMap::new();
    for feature in &dataset.features {
        *features
            .entry(kind_name(feature.kind).to_owned())
            .or_default() += 1;
    }
    let mut nondeterministic: Vec<NondeterministicFeature> = dataset
        .features
        .iter()
        .filter(|feature| feature.nondeterministic > 0)
        .map(|feature| NondeterministicFeature {
            feature: feature.name.clone(),
            observations: feature.nondeterministic,
        })
        .collect();
    nondeterministic.sort_by(|a, b| {
        b.observations
            .cmp(&a.observations)
            .then_with(|| a.feature.cmp(&b.feature))
    });
    let waited = dataset.waited().filter(|_| dataset.waiting().is_some());
    Inspection {
        available: available(dataset),
        schema: FINDING_SCHEMA,
        subject: dataset.meta.subject.clone(),
        scope: dataset.meta.scope.clone(),
        observations,
        features,
        costs: costs(dataset),
        time: which_time(dataset),
        usual: dataset.usual_cost().cost,
        waited: waited.map(|waited| waited.share),
        queued: waited.and_then(|waited| waited.queued),
        failed: failed(dataset),
        uncertain: uncertain(dataset),
        nondeterministic,
        uncounted: dataset.meta.left.clone(),
        design,
        advice,
        notes: dataset.meta.notes.clone(),
    }
}

/// Features that ran, by when they are final.
fn available(dataset: &Dataset) -> Vec<AvailableFeature> {
    let looked_at = dataset.features.iter().filter_map(|feature| {
        Some(AvailableFeature {
            feature: feature.name.clone(),
            share: feature.available?,
            changes: feature.changes.unwrap_or(0),
        })
    });
    let mut found: Vec<AvailableFeature> = looked_at.collect();
    found.sort_by(|a, b| {
        let by_share = a.share.total_cmp(&b.share);
        by_share.then_with(|| a.feature.cmp(&b.feature))
    });
    found
}

fn failed(dataset: &Dataset) -> Vec<FailedObservation> {
    dataset
        .observations
        .iter()
        .filter(|observation| observation.status == Status::Failed)
        .map(|observation| FailedObservation {
            label: observation.label.clone(),
            reason: observation
                .reason
                .clone()
                .unwrap_or_else(|| "no reason was recorded".to_owned()),
        })
        .collect()
}

fn uncertain(dataset: &Dataset) -> Vec<UncertainObservation> {
    dataset
        .observations
        .iter()
        .filter(|observation| observation.status == Status::Ok && !observation.caveats.is_empty())
        .map(|observation| UncertainObservation {
            label: observation.label.clone(),
            caveats: observation.caveats.clone(),
        })
        .collect()
}

fn costs(dataset: &Dataset) -> Vec<CostColumn> {
    let mut columns: BTreeMap<&str, Vec<&[f64]>> = BTreeMap::new();
    for observation in dataset
        .observations
        .iter()
        .filter(|observation| observation.status == Status::Ok)
    {
        for (name, cost) in &observation.costs {
            columns.entry(name).or_default().push(&cost.repeats);
        }
    }
    columns
        .into_iter()
        .map(|(name, rows)| {
            let mut values: Vec<f64> = rows.iter().filter_map(|repeats| median(repeats)).collect();
            values.sort_by(f64::total_cmp);
            let noise = dataset.noise(name);
            let repeats: Vec<f64> = rows.iter().map(|repeats| repeats.len() as f64).collect();
            CostColumn {
                name: name.to_owned(),
                unit: dataset
                    .meta
                    .cost_units
                    .get(name)
                    .cloned()
                    .unwrap_or_default(),
                observations: values.len() as u32,
                range: median(&values).map(|middle| (values[0], middle, values[values.len() - 1])),
                repeats: median(&repeats).unwrap_or(0.0) as u32,
                noise: noise.map(|noise| noise.raw),
                noise_text: noise.map(noise_words).unwrap_or_default(),
            }
        })
        .collect()
}

/// Half the range of repeats over their median; none for fewer than two.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}
