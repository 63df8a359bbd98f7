//! What is known before the run, as columns: numbers as they are, categories by one column of zeros and ones per level.
//!
//! The first level has no column of its own (treatment coding, as R's `contr.treatment`): beside a constant it would be
//! their twin. A text that differs in most rows, such as the name of a file, is no category.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::{Dataset, FeatureKind, InputValue};
use pricetag_estimator::{Column, Table, Values, tabulate};

/// Levels of a category at most.
const LEVELS: usize = 10;
/// A category has at least this many rows per level.
const ROWS: usize = 2;

/// The rows that have a cost with the inputs as columns; none where no row has it.
pub(crate) fn known_before(dataset: &Dataset, target: &str) -> Option<Table> {
    let numbers = tabulate(dataset, target, &|kind| kind == FeatureKind::Input).ok();
    let mut table = numbers.or_else(|| rows_alone(dataset, target))?;
    let coded = categories(dataset, &table.observations);
    table.design.columns.extend(coded);
    Some(table)
}

fn rows_alone(dataset: &Dataset, target: &str) -> Option<Table> {
    let mut table = tabulate(dataset, target, &|_| true).ok()?;
    table.design.columns.clear();
    table.features.clear();
    Some(table)
}

fn categories(dataset: &Dataset, rows: &[usize]) -> Vec<Column> {
    let mut texts: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
    for (at, &row) in rows.iter().enumerate() {
        for (name, value) in &dataset.observations[row].inputs {
            if let InputValue::Text(text) = value {
                texts.entry(name).or_insert_with(|| vec![None; rows.len()])[at] = Some(text);
            }
        }
    }
    let coded = texts.into_iter().flat_map(|(name, values)| {
        let levels: BTreeSet<&str> = values.iter().copied().flatten().collect();
        let is_category = levels.len() <= LEVELS && ROWS * levels.len() <= rows.len();
        let levels = levels.into_iter().skip(1).filter(move |_| is_category);
        levels.map(move |level| {
            let is = |value: Option<&str>| f64::from(u8::from(value == Some(level)));
            Column {
                name: format!("{name}={level}"),
                values: Values::Dense(values.iter().copied().map(is).collect()),
            }
        })
    });
    coded.collect()
}
