//! Tables with costs that carry no noise.

use pricetag_dataset::{
    Dataset, Feature, FeatureKind, Measured, Observation, ObservationId, Status,
};

/// Named columns of given kinds, and a cost without noise.
pub fn dataset(columns: &[(&str, FeatureKind, Vec<f64>)], cost: &[f64]) -> Dataset {
    let mut data = Dataset::default();
    for (name, kind, values) in columns {
        data.features.push(Feature {
            name: (*name).into(),
            kind: *kind,
            ..Feature::default()
        });
        let entries = values
            .iter()
            .enumerate()
            .filter(|v| *v.1 != 0.0)
            .map(|(i, v)| (ObservationId(i as u32), *v));
        data.columns.push(entries.collect());
    }
    for (i, y) in cost.iter().enumerate() {
        data.observations.push(Observation {
            label: format!("row {}", i + 1),
            group: format!("row {}", i + 1),
            status: Status::Ok,
            costs: [("wall".to_owned(), Measured { repeats: vec![*y] })].into(),
            ..Observation::default()
        });
    }
    data
}
