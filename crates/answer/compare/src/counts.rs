//! Counts of the rows that are compared.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_finding::Change;

use crate::code::methods;

/// Counts of the rows that are compared.
pub(crate) struct Counts<'d> {
    dataset: &'d Dataset,
    /// Position of each row that is compared.
    positions: Vec<Option<usize>>,
    pub(crate) rows: usize,
}

impl<'d> Counts<'d> {
    pub(crate) fn of(dataset: &'d Dataset, rows: impl Iterator<Item = usize>) -> Self {
        let mut positions = vec![None; dataset.observations.len()];
        let mut count = 0;
        for row in rows {
            positions[row] = Some(count);
            count += 1;
        }
        Self {
            dataset,
            positions,
            rows: count,
        }
    }

    /// By row, in their order.
    pub(crate) fn column(&self, column: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.rows];
        for (row, value) in &self.dataset.columns[column] {
            if let Some(at) = self.positions[row.0 as usize] {
                values[at] += value;
            }
        }
        values
    }

    pub(crate) fn sum(&self, column: usize) -> f64 {
        self.column(column).iter().sum()
    }

    /// All instructions of counted code, where they were counted; those of blocks that were entered, where not.
    pub(crate) fn executed(&self) -> f64 {
        let features = self.dataset.features.iter().enumerate();
        let opcodes = features.filter(|(_, f)| f.kind == FeatureKind::Opcode);
        let columns: Vec<usize> = opcodes.map(|(column, _)| column).collect();
        if columns.is_empty() {
            let blocks = methods(self.dataset);
            let blocks = blocks.iter().flat_map(|m| &m.blocks);
            return blocks.map(|b| b.instructions * self.sum(b.column)).sum();
        }
        columns.into_iter().map(|column| self.sum(column)).sum()
    }
}

/// Calls that leave the counted code, where their numbers differ.
pub(crate) fn calls(counts: &[Counts; 2]) -> Vec<(String, Change)> {
    let of = |counts: &Counts| -> BTreeMap<String, f64> {
        let features = counts.dataset.features.iter().enumerate();
        let calls = features.filter(|(_, f)| f.kind == FeatureKind::Call);
        calls
            .map(|(column, f)| (f.name.clone(), counts.sum(column)))
            .collect()
    };
    let [old, new] = counts.each_ref().map(of);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let count = |of: &BTreeMap<String, f64>, name: &String| of.get(name).copied().unwrap_or(0.0);
    let mut found: Vec<(String, Change)> = names
        .into_iter()
        .map(|name| {
            (
                name.clone(),
                Change {
                    before: count(&old, name),
                    after: count(&new, name),
                },
            )
        })
        .filter(|(_, change)| change.delta() != 0.0)
        .collect();
    found.sort_by(|a, b| {
        b.1.delta()
            .abs()
            .total_cmp(&a.1.delta().abs())
            .then_with(|| a.0.cmp(&b.0))
    });
    found
}
