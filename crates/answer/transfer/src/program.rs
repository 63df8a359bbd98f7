//! What a program executed: counts by feature, for each observation.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, FeatureKind, Measured, Status};

/// Counts and cost of one observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Its label.
    pub label: String,
    /// Counts by feature.
    pub counts: BTreeMap<String, f64>,
    /// Measured cost, where there is one.
    pub measured: Option<f64>,
}

/// Observations of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// In the order of the dataset, successful ones alone.
    pub rows: Vec<Counted>,
}

/// What benchmarks and programs have in common.
const KINDS: [FeatureKind; 3] = [FeatureKind::Opcode, FeatureKind::Call, FeatureKind::Foreign];

impl Program {
    /// Opcodes, calls and columns of foreign tables, with the cost of that name. Inputs count as well if `inputs` names them.
    pub fn of(dataset: &Dataset, target: Option<&str>) -> Self {
        let mut rows: Vec<Counted> = dataset
            .observations
            .iter()
            .map(|o| Counted {
                label: o.label.clone(),
                counts: BTreeMap::new(),
                measured: target
                    .and_then(|t| o.costs.get(t))
                    .and_then(Measured::value),
            })
            .collect();
        let columns = dataset.features.iter().zip(&dataset.columns);
        for (feature, column) in columns.filter(|(f, _)| KINDS.contains(&f.kind)) {
            for (row, value) in column {
                if let Some(row) = rows.get_mut(row.0 as usize) {
                    row.counts.insert(feature.name.clone(), *value);
                }
            }
        }
        let ok = dataset.observations.iter().map(|o| o.status == Status::Ok);
        let mut ok = ok.collect::<Vec<_>>().into_iter();
        rows.retain(|_| ok.next().unwrap_or(false));
        Self { rows }
    }

    /// Counts of all observations together, each weighing the same.
    pub fn total(&self, prices: &BTreeMap<&str, f64>) -> BTreeMap<String, f64> {
        let mut total = BTreeMap::new();
        for row in &self.rows {
            let cost = sum(&row.counts, prices);
            if cost <= 0.0 {
                continue;
            }
            for (name, count) in &row.counts {
                *total.entry(name.clone()).or_default() += count / cost;
            }
        }
        total
    }
}

/// Σ counts × prices.
pub fn sum(counts: &BTreeMap<String, f64>, prices: &BTreeMap<&str, f64>) -> f64 {
    counts
        .iter()
        .filter_map(|(name, count)| Some(count * prices.get(name.as_str())?))
        .sum()
}
