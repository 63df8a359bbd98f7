//! Two counting runs of the same input: which counts differ.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::{DatasetBuilder, FeatureId, FeatureKind};

use crate::tabulator::Tabulated;

/// What two runs of one input disagree about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// The features whose counts differ.
    pub features: Vec<FeatureId>,
    /// A caveat in words; none if the runs agree.
    pub caveat: Option<String>,
}

/// Compares two counting runs of the same input. Estimates of what the JVM did ([`FeatureKind::Cold`]) are left out:
/// they follow from the counts, or are the JVM's own affair.
pub fn compare(a: &Tabulated, b: &Tabulated, builder: &DatasetBuilder) -> Difference {
    let first: BTreeMap<FeatureId, f64> = a.counts.iter().copied().collect();
    let second: BTreeMap<FeatureId, f64> = b.counts.iter().copied().collect();
    let all: BTreeSet<FeatureId> = first.keys().chain(second.keys()).copied().collect();
    let mut worst: Option<(f64, FeatureId)> = None;
    let mut features = Vec::new();
    for id in &all {
        let described = builder.features().get(id.0 as usize);
        if described.is_none_or(|f| f.kind == FeatureKind::Cold) {
            continue;
        }
        let (x, y) = (first.get(id).copied(), second.get(id).copied());
        let (a, b) = (x.unwrap_or(0.0), y.unwrap_or(0.0));
        let missing =
            described.is_some_and(|f| f.kind.may_be_missing()) && x.is_some() != y.is_some();
        if a != b || missing {
            features.push(*id);
            let gap = (a - b).abs();
            if worst.is_none_or(|(most, _)| gap > most) {
                worst = Some((gap, *id));
            }
        }
    }
    let caveat = worst.map(|(_, id)| {
        let feature = &builder.features()[id.0 as usize];
        let [x, y] = [&first, &second].map(|counts| match counts.get(&id) {
            Some(value) => value.to_string(),
            None if feature.kind.may_be_missing() => "missing".to_owned(),
            None => "0".to_owned(),
        });
        format!(
            "{} of {} counts differ between two counting runs, most of all `{}` ({x} and {y})",
            features.len(),
            all.len(),
            feature.name
        )
    });
    Difference { features, caveat }
}
