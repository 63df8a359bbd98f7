//! Looking at a dataset before any fit: what estimators would see of it, as a finding.

use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_estimator::{Checked, Diagnosis, relative_weights, tabulate};
use pricetag_explain::inspect;
use pricetag_finding::{
    ColumnSupport, Design, InflatedColumn, Inspection, MergedBucket, MissingColumn, RowLeverage,
    SupportTally,
};
use pricetag_study::Level;

use crate::analysis::kinds;

/// Columns listed with the least support.
const LEAST: usize = 10;

/// What is in a dataset, and what can be learnt of one cost from some levels of features. Rows count relative to their
/// cost, as they do in a fit by default.
pub fn look(dataset: &Dataset, target: &str, levels: &[Level]) -> Inspection {
    let kinds = kinds(levels, dataset);
    let wanted = |kind: FeatureKind| kinds.contains(&kind);
    let table = match tabulate(dataset, target, &wanted) {
        Ok(table) => table,
        Err(why) => return inspect(dataset, None, vec![why.to_string()]),
    };
    let missing = table.incomplete.iter().map(|found| MissingColumn {
        feature: dataset.features[found.feature.0 as usize].name.clone(),
        rows: found.missing,
    });
    let missing: Vec<MissingColumn> = missing.collect();
    let (unused, incomplete) = (table.unused.len(), missing.len());
    let all = table.features.len() + unused + incomplete;
    let weights = relative_weights(&table.design.target);
    let checked = table.design.check().and_then(|d| d.reweighted(weights));
    let design = match checked {
        Ok(design) => design,
        Err(why) => return inspect(dataset, None, vec![why.to_string()]),
    };
    let diagnosis = Diagnosis::of(&design);
    let facts = Design {
        columns: all as u32,
        empty: unused as u32,
        incomplete: incomplete as u32,
        missing,
        ..facts(&diagnosis, &design)
    };
    let advice = diagnosis.messages.iter().map(|m| match &m.advice {
        Some(advice) => format!("{}. {advice}", m.message),
        None => m.message.clone(),
    });
    inspect(dataset, Some(facts), advice.collect())
}

/// A diagnosis with names in place of indices.
fn facts(diagnosis: &Diagnosis, design: &Checked<pricetag_estimator::Design>) -> Design {
    let name = |j: usize| design.columns[j].name.clone();
    let inflated = diagnosis.inflated.iter().map(|i| InflatedColumn {
        feature: name(i.column),
        inflation: i.factor,
        nearest: name(i.with),
    });
    let leverage = diagnosis.leading_rows().into_iter().map(|row| RowLeverage {
        label: design.labels[row].clone(),
        leverage: diagnosis.leverage[row],
    });
    Design {
        rows: diagnosis.rows as u32,
        buckets: diagnosis.buckets.buckets.len() as u32,
        rank: diagnosis.rank as u32,
        condition: diagnosis.condition,
        constant: diagnosis.constant.len() as u32,
        merged: merged(diagnosis, design),
        support: tally(diagnosis),
        least_supported: least_supported(diagnosis, design),
        inflated: inflated.collect(),
        leverage: leverage.collect(),
        ..Design::default()
    }
}

fn merged(
    diagnosis: &Diagnosis,
    design: &Checked<pricetag_estimator::Design>,
) -> Vec<MergedBucket> {
    let shared = diagnosis.buckets.buckets.iter();
    let shared = shared.filter(|b| b.members.len() > 1);
    let mut merged: Vec<MergedBucket> = shared
        .map(|bucket| MergedBucket {
            name: bucket.name(design),
            members: bucket
                .members
                .iter()
                .map(|&j| design.columns[j].name.clone())
                .collect(),
            advice: bucket.advice(design),
        })
        .collect();
    merged.sort_by(|a, b| {
        let size = |bucket: &MergedBucket| std::cmp::Reverse(bucket.members.len());
        size(a).cmp(&size(b)).then_with(|| a.name.cmp(&b.name))
    });
    merged
}

fn tally(diagnosis: &Diagnosis) -> SupportTally {
    let mut tally = SupportTally::default();
    for support in &diagnosis.support {
        match support.varying {
            0 => {}
            1 => tally.one += 1,
            2..=4 => tally.few += 1,
            _ => tally.many += 1,
        }
    }
    tally
}

fn least_supported(
    diagnosis: &Diagnosis,
    design: &Checked<pricetag_estimator::Design>,
) -> Vec<ColumnSupport> {
    let mut varying: Vec<usize> = (0..diagnosis.support.len())
        .filter(|&j| diagnosis.support[j].varying > 0)
        .collect();
    varying.sort_by_key(|&j| (diagnosis.support[j].varying, j));
    let least = varying.into_iter().take(LEAST);
    least
        .map(|j| ColumnSupport {
            feature: design.columns[j].name.clone(),
            varying: diagnosis.support[j].varying,
            non_zero: diagnosis.support[j].non_zero,
        })
        .collect()
}
