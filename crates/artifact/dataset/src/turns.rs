//! Turns: half of how often the outcome of a branch differs from the one before, if outcomes come in random order.
//!
//! A processor foresees branches that go one way and pays for the others. The counts of a branch's sides know no order;
//! of n outcomes with shares pᵢ in random order n·(1 − Σ pᵢ²) = 2·Σ nᵢnⱼ/n (over pairs of sides) differ on average from
//! their predecessor, n·2p(1 − p) for two sides. A turn is half of that, n·p(1 − p): less than the n·min(p, 1 − p) errors
//! of a predictor that follows the majority, and zero like these where one side has all. The factor between them is part
//! of the price that the learner finds. Outcomes that follow a pattern may change more often (they alternate) or less
//! (they come in runs): the column is no bound of either kind. Where the changes themselves were counted
//! ([`FeatureKind::Transition`]) both columns are priced: a predictor that knows patterns errs less often than either says.

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

    /// Σ nᵢnⱼ/n over pairs of sides, per row. Sums of products of different sides: exactly zero where one side has all.
    fn turns(&self, sides: &[FeatureId]) -> Vec<(ObservationId, f64)> {
        let mut cells: Vec<(ObservationId, f64)> = sides
            .iter()
            .flat_map(|side| self.columns[side.0 as usize].iter().copied())
            .collect();
        cells.sort_by_key(|cell| cell.0);
        let rows = cells.chunk_by(|a, b| a.0 == b.0).map(|row| {
            let n: f64 = row.iter().map(|cell| cell.1).sum();
            let pairs = (1..row.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            let changes = pairs.map(|(i, j)| row[i].1 * (row[j].1 / n));
            (row[0].0, changes.sum::<f64>())
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
            text: Some(
                "half the expected changes of the outcome, if outcomes come in random order".into(),
            ),
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
        let with = dataset.clone().with_turns();
        assert_eq!(with.features[2].name, "A.m() block 3 turns (A.java:7)");
        assert_eq!(with.columns[2], [(ObservationId(1), 2.5)]);
        assert_eq!(with.clone().with_turns(), with);
        assert_eq!(with.digest(), dataset.digest());
    }

    /// Changes between neighbours in a row, over all orders of outcomes.
    fn mean_changes(sides: &[usize]) -> f64 {
        fn orders(left: &mut [usize], last: Option<usize>, changes: usize) -> (usize, usize) {
            if left.iter().all(|n| *n == 0) {
                return (1, changes);
            }
            let mut sum = (0, 0);
            for side in 0..left.len() {
                if left[side] > 0 {
                    left[side] -= 1;
                    let changed = usize::from(last.is_some_and(|l| l != side));
                    let (count, total) = orders(left, Some(side), changes + changed);
                    sum = (sum.0 + count, sum.1 + total);
                    left[side] += 1;
                }
            }
            sum
        }
        let (count, total) = orders(&mut sides.to_vec(), None, 0);
        total as f64 / count as f64
    }

    fn turns_of(sides: &[f64]) -> Vec<(ObservationId, f64)> {
        let cell = |n: &f64| (*n > 0.0).then_some((ObservationId(0), *n));
        let dataset = Dataset {
            features: sides.iter().map(|n| side(&format!("case {n}"))).collect(),
            columns: sides
                .iter()
                .map(|n| cell(n).into_iter().collect())
                .collect(),
            ..Dataset::default()
        };
        let with = dataset.with_turns();
        with.columns.get(sides.len()).cloned().unwrap_or_default()
    }

    #[test]
    fn a_turn_is_half_the_mean_over_all_orders() {
        for sides in [
            vec![3, 1],
            vec![2, 2],
            vec![4, 3],
            vec![1, 2, 3],
            vec![2, 1, 1, 2],
        ] {
            let counts: Vec<f64> = sides.iter().map(|n| *n as f64).collect();
            let found = turns_of(&counts)[0].1;
            let expected = 0.5 * mean_changes(&sides);
            assert!(
                (found - expected).abs() < 1e-12,
                "{sides:?}: {found} {expected}"
            );
        }
    }

    #[test]
    fn one_side_alone_has_no_turns_however_often() {
        for n in [94_906_267.0, 100_000_001.0, 123_456_789_012_345.0] {
            assert_eq!(turns_of(&[n, 0.0]), []);
            assert_eq!(turns_of(&[n]), []);
            // One outcome among many: n/(n + 1).
            let found = turns_of(&[n, 1.0])[0].1;
            assert!((found - 1.0).abs() < 2.0 / n, "{n}: {found}");
        }
    }
}
