//! Builds a dataset row by row; features are interned by name and put into a fixed order at the end.
//!
//! The order of features does not depend on the order of the rows: kind, then place in code, then name. Foreign
//! columns keep the order of their table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::export::input_column;
use crate::model::{
    Dataset, Feature, FeatureId, FeatureKind, InputValue, Meta, Observation, ObservationId, Part,
};

/// What one observation adds to a dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The observation itself.
    pub observation: Observation,
    /// Its counts; a feature named twice counts the sum.
    pub counts: Vec<(FeatureId, f64)>,
    /// Features whose value differed between two counting runs of its input.
    pub differing: Vec<FeatureId>,
}

/// A dataset that grows. Identifiers of features are provisional until [`DatasetBuilder::finish`].
#[derive(Clone, Debug, Default)]
pub struct DatasetBuilder {
    meta: Meta,
    features: Vec<Feature>,
    by_name: HashMap<String, FeatureId>,
    columns: Vec<Vec<(ObservationId, f64)>>,
    observations: Vec<Observation>,
    by_label: HashMap<String, ObservationId>,
    parts: BTreeMap<(FeatureId, FeatureId), f64>,
}

impl DatasetBuilder {
    /// Without rows.
    pub fn new(meta: Meta) -> Self {
        Self {
            meta,
            ..Self::default()
        }
    }

    /// Continues a dataset.
    pub fn from_dataset(dataset: Dataset) -> Self {
        let by_name = dataset.features.iter().enumerate();
        let by_label = dataset.observations.iter().enumerate();
        Self {
            by_name: by_name
                .map(|(index, f)| (f.name.clone(), FeatureId(index as u32)))
                .collect(),
            by_label: by_label
                .map(|(index, o)| (o.label.clone(), ObservationId(index as u32)))
                .collect(),
            parts: dataset
                .parts
                .iter()
                .map(|part| ((part.whole, part.part), part.amount))
                .collect(),
            meta: dataset.meta,
            features: dataset.features,
            columns: dataset.columns,
            observations: dataset.observations,
        }
    }

    /// Provenance, to be completed.
    pub fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    /// Provenance.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The feature of that name, which is added if it is new; an existing one keeps its description.
    pub fn intern(&mut self, feature: Feature) -> FeatureId {
        if let Some(id) = self.by_name.get(&feature.name) {
            return *id;
        }
        let id = FeatureId(self.features.len() as u32);
        self.by_name.insert(feature.name.clone(), id);
        self.features.push(feature);
        self.columns.push(Vec::new());
        id
    }

    /// The feature of that name, if it exists.
    pub fn find(&self, name: &str) -> Option<FeatureId> {
        self.by_name.get(name).copied()
    }

    /// All features so far; index = provisional identifier.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Describes a feature anew.
    pub fn describe(&mut self, feature: FeatureId, text: String) {
        self.features[feature.0 as usize].text = Some(text);
    }

    /// States when in a run a feature is final: the share of the executed cost, and how often it changed. Of several statements the
    /// latest share and the most changes hold.
    pub fn available(&mut self, feature: FeatureId, share: f64, changes: u32) {
        let feature = &mut self.features[feature.0 as usize];
        feature.available = Some(feature.available.map_or(share, |known| known.max(share)));
        feature.changes = Some(feature.changes.map_or(changes, |known| known.max(changes)));
    }

    /// States that one `whole` contains `amount` of `part`, replacing an earlier statement.
    pub fn compose(&mut self, whole: FeatureId, part: FeatureId, amount: f64) {
        self.parts.insert((whole, part), amount);
    }

    /// What a feature consists of, as far as stated.
    pub fn parts_of(&self, whole: FeatureId) -> impl Iterator<Item = Part> {
        let range = (whole, FeatureId(0))..=(whole, FeatureId(u32::MAX));
        self.parts.range(range).map(|((whole, part), amount)| Part {
            whole: *whole,
            part: *part,
            amount: *amount,
        })
    }

    /// Rows so far.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The row of that label.
    pub fn observation(&self, label: &str) -> Option<&Observation> {
        let id = self.by_label.get(label)?;
        self.observations.get(id.0 as usize)
    }

    /// Adds a row, or replaces the one with the same label (whose differing features stay counted once). Zeros are
    /// left out.
    ///
    /// # Panics
    /// If a feature is not of this builder.
    pub fn row(&mut self, row: Row) -> ObservationId {
        let Row {
            observation,
            counts,
            differing,
        } = row;
        let id = if let Some(id) = self.by_label.get(&observation.label) {
            let id = *id;
            for column in &mut self.columns {
                if let Ok(at) = column.binary_search_by_key(&id, |cell| cell.0) {
                    column.remove(at);
                }
            }
            self.observations[id.0 as usize] = observation;
            id
        } else {
            let id = ObservationId(self.observations.len() as u32);
            self.by_label.insert(observation.label.clone(), id);
            self.observations.push(observation);
            for feature in differing {
                self.features[feature.0 as usize].nondeterministic += 1;
            }
            id
        };
        for (feature, value) in counts {
            let kept = self.features[feature.0 as usize].kind.may_be_missing();
            if value != 0.0 || kept {
                put(&mut self.columns[feature.0 as usize], id, value);
            }
        }
        id
    }

    /// The dataset: numeric inputs become input features, features are ordered, identifiers are final.
    pub fn finish(mut self) -> Dataset {
        self.add_inputs();
        let mut order: Vec<usize> = (0..self.features.len()).collect();
        order.sort_by_cached_key(|index| sort_key(&self.features[*index]));
        let mut position = vec![FeatureId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            position[*old] = FeatureId(new as u32);
        }
        let mut parts: Vec<Part> = self
            .parts
            .iter()
            .map(|((whole, part), amount)| Part {
                whole: position[whole.0 as usize],
                part: position[part.0 as usize],
                amount: *amount,
            })
            .collect();
        parts.sort_by_key(|part| (part.whole, part.part));
        let features = order
            .iter()
            .map(|old| std::mem::take(&mut self.features[*old]));
        let features = features.collect();
        let columns = order
            .iter()
            .map(|old| std::mem::take(&mut self.columns[*old]));
        Dataset {
            meta: self.meta,
            observations: self.observations,
            features,
            columns: columns.collect(),
            parts,
            ..Dataset::default()
        }
    }

    /// Rewrites the columns of numeric inputs from the rows. A name that a counted feature, a cost or a column of every exported
    /// table already has becomes `input NAME`.
    fn add_inputs(&mut self) {
        let rows = self.observations.iter();
        let names: BTreeSet<String> = rows
            .flat_map(|row| &row.inputs)
            .filter(|(_, value)| matches!(value, InputValue::Number(_)))
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let is_counted = |name: &str| {
                self.find(name).is_some_and(|id| {
                    let kind = self.features[id.0 as usize].kind;
                    kind != FeatureKind::Input && kind != FeatureKind::Foreign
                })
            };
            let id = self.intern(Feature {
                name: input_column(&name, &self.meta, is_counted),
                kind: FeatureKind::Input,
                unit: if name.rsplit('.').next() == Some("bytes") {
                    "byte"
                } else {
                    "1"
                }
                .to_owned(),
                ..Feature::default()
            });
            let cells = self.observations.iter().enumerate();
            self.columns[id.0 as usize] = cells
                .filter_map(|(index, row)| match row.inputs.get(&name) {
                    Some(InputValue::Number(value)) if *value != 0.0 => {
                        Some((ObservationId(index as u32), *value))
                    }
                    _ => None,
                })
                .collect();
        }
    }
}

fn put(column: &mut Vec<(ObservationId, f64)>, row: ObservationId, value: f64) {
    match column.last() {
        Some(last) if last.0 >= row => match column.binary_search_by_key(&row, |cell| cell.0) {
            Ok(at) => column[at].1 += value,
            Err(at) => column.insert(at, (row, value)),
        },
        _ => column.push((row, value)),
    }
}

type Key = (
    FeatureKind,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<u32>,
    Option<(u32, u32)>,
    String,
);

fn sort_key(feature: &Feature) -> Key {
    let keep_order = feature.kind == FeatureKind::Foreign;
    (
        feature.kind,
        feature.class.clone(),
        feature.method.clone(),
        feature.descriptor.clone(),
        feature.block,
        feature.pcs,
        if keep_order {
            String::new()
        } else {
            feature.name.clone()
        },
    )
}
