//! Which features can be counted by themselves, and when in a run each is final.
//!
//! One rewritten program marks the moment at which every candidate is final; so a single run of it prices them all. Candidates whose counts
//! are final at the same places share a group. What is counted in one method is looked at together, unless the method is one behind
//! whose end no update comes: then its loops are told apart.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, Feature, Status};

use crate::emit::{Spot, updates};
use crate::graph::{Graph, MethodId};
use crate::stops::{Stopping, Stops, Unstoppable};

/// A feature that can be counted by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Where it is counted.
    pub spot: Spot,
    /// Number of its group, or why it is final at the program's end only.
    pub group: Result<usize, Unstoppable>,
}

/// All candidates of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// In the order of the dataset's features.
    pub list: Vec<Candidate>,
    /// Where each group is final.
    pub groups: Vec<Stops>,
}

impl Candidates {
    /// The features of a dataset that vary and can be counted. What is not on the class path, such as classes that the program makes while it
    /// runs, cannot be.
    pub fn of(dataset: &Dataset, graph: &Graph<'_>, stopping: &Stopping<'_, '_>) -> Self {
        let mut spots: Vec<(&Feature, Spot)> = Vec::new();
        for (number, feature) in dataset.features.iter().enumerate() {
            if varies(dataset, number)
                && let Ok(Some(spot)) = Spot::of(feature, graph)
            {
                spots.push((feature, spot));
            }
        }
        let mut by_method: BTreeMap<MethodId, Vec<Spot>> = BTreeMap::new();
        for (_, spot) in &spots {
            by_method.entry(spot.method).or_default().push(*spot);
        }
        let mut found = Self::default();
        let mut together: BTreeMap<MethodId, Result<usize, Unstoppable>> = BTreeMap::new();
        for (&method, spots) in &by_method {
            let stops = stopping.stops(&updates(spots, graph));
            let alone = match &stops {
                Ok(stops) => stops.iter().any(|(at, _)| *at == method),
                Err(why) => *why == Unstoppable::Never,
            };
            if !alone {
                together.insert(method, found.group(stops));
            }
        }
        for (feature, spot) in spots {
            let group = match together.get(&spot.method) {
                Some(group) => group.clone(),
                None => found.group(stopping.stops(&updates([&spot], graph))),
            };
            found.list.push(Candidate {
                name: feature.name.clone(),
                spot,
                group,
            });
        }
        found
    }

    /// The number of a group.
    fn group(&mut self, stops: Result<Stops, Unstoppable>) -> Result<usize, Unstoppable> {
        let stops = stops?;
        let known = self.groups.iter().position(|group| *group == stops);
        Ok(known.unwrap_or_else(|| {
            self.groups.push(stops);
            self.groups.len() - 1
        }))
    }
}

/// Whether a feature has several values over the successful observations.
fn varies(dataset: &Dataset, feature: usize) -> bool {
    let ok = |row: usize| {
        dataset
            .observations
            .get(row)
            .is_some_and(|o| o.status == Status::Ok)
    };
    let rows = (0..dataset.observations.len())
        .filter(|row| ok(*row))
        .count();
    let column = dataset.columns[feature].iter();
    let values: Vec<f64> = column
        .filter(|(row, _)| ok(row.0 as usize))
        .map(|(_, v)| *v)
        .collect();
    let Some(&first) = values.first() else {
        return false;
    };
    let same = values.iter().all(|v| *v == first);
    !same || values.len() < rows && first != 0.0
}
