//! Values that some rows have none of, by name.

use pricetag_dataset::Dataset;
use pricetag_estimator::Incomplete;
use pricetag_quantity::counted;

/// Features named; more are counted.
const NAMED: usize = 5;

/// What is left out since some of `rows` observations have no value of it; none if there is nothing.
pub(crate) fn missing(dataset: &Dataset, found: &[Incomplete], rows: usize) -> Option<String> {
    if found.is_empty() {
        return None;
    }
    let named = found.iter().take(NAMED).map(|one| {
        let name = &dataset.features[one.feature.0 as usize].name;
        format!("`{name}` (in {} of {rows})", one.missing)
    });
    let named: Vec<String> = named.collect();
    let more = match found.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more, which `pricetag inspect --json` names"),
    };
    Some(format!(
        "{} missing in some observations (a variable that was not assigned so often has none, which is not 0) and left out: {}{more}",
        counted(found.len(), "value"),
        named.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pricetag_dataset::{Feature, FeatureKind, Measured, Observation, ObservationId};
    use pricetag_estimator::tabulate;

    use super::*;

    /// Version `n` of `x` is missing in `n` of the ten rows, but for that number 7 is nowhere.
    fn runs() -> Dataset {
        let costs = |i: usize| {
            let repeats = vec![1.0 + i as f64];
            BTreeMap::from([("wall".to_owned(), Measured { repeats })])
        };
        Dataset {
            observations: (0..10)
                .map(|i| Observation {
                    label: format!("run {i}"),
                    costs: costs(i),
                    ..Observation::default()
                })
                .collect(),
            features: (0..8)
                .map(|n| Feature {
                    name: format!("C.x#{n}"),
                    kind: FeatureKind::Value,
                    ..Feature::default()
                })
                .collect(),
            columns: (0..8)
                .map(|n| {
                    (if n == 7 { 10 } else { n }..10)
                        .map(|i| (ObservationId(i), 1.0 + f64::from(i)))
                        .collect()
                })
                .collect(),
            ..Dataset::default()
        }
    }

    #[test]
    fn the_first_five_are_named_with_their_rows() {
        let mut dataset = runs();
        let text = |dataset: &Dataset| {
            let table = tabulate(dataset, "wall", &|kind| kind == FeatureKind::Value).unwrap();
            missing(dataset, &table.incomplete, table.observations.len())
        };
        let six = text(&dataset).unwrap();
        assert!(
            six.starts_with("6 values missing in some observations"),
            "{six}"
        );
        assert!(
            six.ends_with(
                "left out: `C.x#1` (in 1 of 10), `C.x#2` (in 2 of 10), `C.x#3` (in 3 of 10), `C.x#4` (in 4 of 10), `C.x#5` (in 5 of 10) and 1 more, which `pricetag inspect --json` names"
            ),
            "{six}"
        );
        dataset.columns.truncate(2);
        dataset.features.truncate(2);
        let one = text(&dataset).unwrap();
        assert!(
            one.starts_with("1 value missing") && one.ends_with("left out: `C.x#1` (in 1 of 10)"),
            "{one}"
        );
        dataset.columns.truncate(1);
        dataset.features.truncate(1);
        assert_eq!(text(&dataset), None);
    }
}
