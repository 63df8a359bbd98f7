//! Turns: how often the outcome of a branch differs from the one before, if outcomes come in no order.
//!
//! A processor foresees branches that go one way and pays for the others. The counts of a branch's sides know no order;
//! of n outcomes with shares pᵢ in random order n·(1 − Σ pᵢ²) differ from their predecessor, and a predictor that follows
//! the majority errs on min(p, 1 − p). A turn is half the former: n·p·(1 − p) for two sides, between the two. It is an
//! upper bound where outcomes follow a pattern; what a turn costs is for the learner to find.

use std::collections::BTreeMap;

use crate::model::{Dataset, Feature, FeatureId, FeatureKind, ObservationId};

impl Dataset {
    /// The same dataset with a column of turns for every branch of which several sides were counted, unless it has some.
    #[must_use]
    pub fn with_turns(mut self) -> Self {
        if self.features.iter().any(|f| f.kind == FeatureKind::Turn) {
            return self;
        }
        let mut branches: BTreeMap<_, Vec<FeatureId>> = BTreeMap::new();
        for (index, feature) in self.features.iter().enumerate() {
            if let (FeatureKind::Branch, Some(block)) = (feature.kind, feature.block) {
                let place = (&feature.class, &feature.method, &feature.descriptor, block);
                let sides = branches.entry(place).or_default();
                sides.push(FeatureId(index as u32));
            }
        }
        let branches: Vec<Vec<FeatureId>> = branches.into_values().collect();
        for sides in branches {
            let turns = self.turns(&sides);
            if !turns.is_empty() {
                let feature = self.describe(&sides);
                self.features.push(feature);
                self.columns.push(turns);
            }
        }
        self
    }

    /// (n − Σ nᵢ²/n) / 2 per row.
    fn turns(&self, sides: &[FeatureId]) -> Vec<(ObservationId, f64)> {
        let mut cells: Vec<(ObservationId, f64)> = sides
            .iter()
            .flat_map(|side| self.columns[side.0 as usize].iter().copied())
            .collect();
        cells.sort_by_key(|cell| cell.0);
        let rows = cells.chunk_by(|a, b| a.0 == b.0).map(|row| {
            let n: f64 = row.iter().map(|cell| cell.1).sum();
            let squares: f64 = row.iter().map(|cell| cell.1 * cell.1).sum();
            (row[0].0, 0.5 * (n - squares / n))
        });
        rows.filter(|(_, turns)| *turns > 0.0).collect()
    }

    fn describe(&self, sides: &[FeatureId]) -> Feature {
        let sides = || sides.iter().map(|side| self.feature(*side));
        let Some(first) = sides().next() else {
            return Feature::default();
        };
        // `… block 3 taken (Sort.java:12)`: what stands before the side, and what follows it.
        let number = format!(" block {} ", first.block.unwrap_or_default());
        let (place, rest) = first.name.split_once(&number).unwrap_or((&first.name, ""));
        let lines = rest.find(" (").map_or("", |at| &rest[at..]);
        Feature {
            name: format!("{place}{number}turns{lines}"),
            kind: FeatureKind::Turn,
            block: None,
            pcs: None,
            text: Some("expected changes of the outcome, if outcomes come in no order".into()),
            nondeterministic: sides().map(|f| f.nondeterministic).max().unwrap_or(0),
            available: sides()
                .map(|f| f.available)
                .reduce(|a, b| Some(a?.max(b?)))
                .flatten(),
            changes: None,
            ..first.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(name: &str) -> Feature {
        Feature {
            name: format!("A.m() block 3 {name} (A.java:7)"),
            kind: FeatureKind::Branch,
            class: Some("A".into()),
            method: Some("m".into()),
            block: Some(3),
            ..Feature::default()
        }
    }

    #[test]
    fn half_the_pairs_of_neighbours_that_differ() {
        let column = |values: &[f64]| -> Vec<_> {
            let rows = values.iter().enumerate().filter(|v| *v.1 > 0.0);
            rows.map(|(i, v)| (ObservationId(i as u32), *v)).collect()
        };
        let dataset = Dataset {
            features: vec![side("taken"), side("not taken")],
            columns: vec![column(&[10.0, 5.0, 0.0]), column(&[0.0, 5.0, 4.0])],
            ..Dataset::default()
        };
        let with = dataset.with_turns();
        assert_eq!(with.features[2].name, "A.m() block 3 turns (A.java:7)");
        assert_eq!(with.columns[2], [(ObservationId(1), 2.5)]);
        assert_eq!(with.clone().with_turns(), with);
        // Of all orders of three a and one b, the mean number of neighbours that differ is 2 × 3/4 in a ring of four.
        let three = Dataset {
            features: vec![side("taken"), side("not taken")],
            columns: vec![column(&[3.0]), column(&[1.0])],
            ..Dataset::default()
        };
        assert_eq!(three.with_turns().columns[2], [(ObservationId(0), 0.75)]);
    }
}
