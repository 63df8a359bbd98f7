//! What features consist of, as the prior of their prices: feature → parts → kinds of parts.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, FeatureId, FeatureKind};
use pricetag_estimator::Bucket;

/// How one column's price is expected to come about.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// No expectation: the base price of a run, what a cold machine does once.
    Free,
    /// Σ amount · price of part.
    Composed(Vec<(usize, f64)>),
}

/// Columns, their parts, and the kinds of the parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchy {
    /// One per column.
    pub roles: Vec<Role>,
    /// Kind of each part: an index into `kinds`.
    pub part_kinds: Vec<usize>,
    /// Name of each part.
    pub part_names: Vec<String>,
    /// Name of each kind.
    pub kinds: Vec<String>,
    composed: bool,
}

impl Hierarchy {
    /// Reads the composition of the columns' features from the dataset.
    ///
    /// Every composed feature has one part besides those listed: its own execution. A feature without listed parts
    /// consists of that alone.
    pub fn of(dataset: &Dataset, features: &[FeatureId]) -> Self {
        let mut out = Self::default();
        let mut column_of = BTreeMap::new();
        for (column, feature) in features.iter().enumerate() {
            column_of.insert(*feature, column);
        }
        let mut kind_index = BTreeMap::new();
        let mut kind = |out: &mut Self, name: String| {
            *kind_index.entry(name.clone()).or_insert_with(|| {
                out.kinds.push(name);
                out.kinds.len() - 1
            })
        };
        let mut executions = BTreeMap::new();
        for feature in features {
            let which = dataset.features[feature.0 as usize].kind;
            if matches!(which, FeatureKind::Base | FeatureKind::Cold) {
                out.roles.push(Role::Free);
                continue;
            }
            let part = *executions.entry(which).or_insert_with(|| {
                let name = format!("{which:?} executed").to_lowercase();
                let kind = kind(&mut out, name.clone());
                out.part_names.push(name);
                out.part_kinds.push(kind);
                out.part_kinds.len() - 1
            });
            out.roles.push(Role::Composed(vec![(part, 1.0)]));
        }
        let mut parts = BTreeMap::new();
        for part in dataset
            .parts
            .iter()
            .filter(|p| p.amount > 0.0 && p.amount.is_finite())
        {
            let Some(&column) = column_of.get(&part.whole) else {
                continue;
            };
            let Some(feature) = dataset.features.get(part.part.0 as usize) else {
                continue;
            };
            let index = *parts.entry(part.part).or_insert_with(|| {
                let kind = kind(&mut out, format!("{:?}", feature.kind).to_lowercase());
                out.part_names.push(feature.name.clone());
                out.part_kinds.push(kind);
                out.part_kinds.len() - 1
            });
            if let Role::Composed(list) = &mut out.roles[column] {
                list.push((index, part.amount));
                out.composed = true;
            }
        }
        out
    }

    /// Columns about which nothing is known: each consists of its own execution.
    pub fn flat(columns: usize) -> Self {
        Self {
            roles: vec![Role::Composed(vec![(0, 1.0)]); columns],
            part_kinds: vec![0],
            part_names: vec!["executed".into()],
            kinds: vec!["executed".into()],
            composed: false,
        }
    }

    /// Whether the dataset says of any column what it consists of.
    pub fn has_parts(&self) -> bool {
        self.composed
    }

    /// The hierarchy of merged columns: a bucket consists of what its members consist of.
    #[must_use]
    pub fn merged(&self, buckets: &[Bucket]) -> Self {
        let roles = buckets.iter().map(|bucket| {
            if matches!(self.roles[bucket.members[0]], Role::Free) {
                return Role::Free;
            }
            let mut sum: BTreeMap<usize, f64> = BTreeMap::new();
            for (&member, ratio) in bucket.members.iter().zip(&bucket.ratios) {
                if let Role::Composed(parts) = &self.roles[member] {
                    for (part, amount) in parts {
                        *sum.entry(*part).or_default() += amount * ratio.abs();
                    }
                }
            }
            Role::Composed(sum.into_iter().collect())
        });
        Self {
            roles: roles.collect(),
            ..self.clone()
        }
    }

    /// Price of every column from its parts alone.
    pub fn priors(&self, part_prices: &[f64]) -> Vec<Option<f64>> {
        self.roles
            .iter()
            .map(|role| match role {
                Role::Free => None,
                Role::Composed(parts) => Some(
                    parts
                        .iter()
                        .map(|(part, amount)| amount * part_prices[*part])
                        .sum(),
                ),
            })
            .collect()
    }
}
