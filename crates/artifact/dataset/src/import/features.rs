//! The columns that are to explain the cost: numbers as they are, categories as a column of zeros and ones for each level.
//!
//! A text that hardly ever repeats is an identifier: it tells rows apart and says nothing of other rows. It is left out, and
//! kept with the rows as what was known of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::error::Result;
use crate::model::{Dataset, Feature, FeatureKind, InputValue, ObservationId};

use super::Source;
use super::cells::Cells;
use super::holes::{Missing, settle};

/// Rows that a level of a category has at least, on average.
const ROWS: usize = 2;
/// Levels at most.
const LEVELS: usize = 200;
/// Levels that a note names.
const NAMED: usize = 5;

/// A column that may explain the cost.
pub(super) struct Offered {
    pub name: String,
    pub is_input: bool,
    pub cells: Cells,
}

/// Adds features to a dataset whose rows have their costs already.
pub(super) fn add(
    source: &Source,
    offered: Vec<Offered>,
    missing: Option<Missing>,
    dataset: &mut Dataset,
) -> Result<()> {
    let taken: HashSet<&str> = source
        .table
        .columns
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    for column in settle(source, offered, missing, dataset)? {
        let kind = if column.is_input {
            FeatureKind::Input
        } else {
            FeatureKind::Foreign
        };
        match column.cells {
            Cells::Numbers(cells) => numbers(&column.name, kind, cells, dataset),
            Cells::Texts(cells) => texts(&column.name, kind, &cells, &taken, dataset),
        }
    }
    Ok(())
}

fn numbers(name: &str, kind: FeatureKind, cells: Vec<Option<f64>>, dataset: &mut Dataset) {
    let absent = cells.iter().filter(|cell| cell.is_none()).count();
    // What is left of holes is in rows that are left out, or in a value of a variable.
    let is_value = absent > 0 && kind == FeatureKind::Foreign && FeatureKind::names_value(name);
    if is_value {
        dataset.meta.notes.push(format!(
            "`{name}` is empty in {absent} of {} rows: it is taken for a value that was not assigned there, which is not 0",
            cells.len()
        ));
    }
    let mut sparse = Vec::new();
    for (row, value) in cells.into_iter().enumerate() {
        let Some(value) = value else { continue };
        if kind == FeatureKind::Input {
            let inputs = &mut dataset.observations[row].inputs;
            inputs.insert(name.to_owned(), InputValue::Number(value));
        }
        if value != 0.0 || is_value {
            sparse.push((ObservationId(row as u32), value));
        }
    }
    let kind = if is_value { FeatureKind::Value } else { kind };
    push(dataset, name.to_owned(), kind, sparse);
}

fn texts(
    name: &str,
    kind: FeatureKind,
    cells: &[Option<String>],
    taken: &HashSet<&str>,
    dataset: &mut Dataset,
) {
    let levels: BTreeSet<&str> = cells.iter().flatten().map(String::as_str).collect();
    let present = cells.iter().flatten().count();
    let identifies = ROWS * levels.len() > present;
    let left_out = identifies || levels.len() > LEVELS;
    dataset.meta.notes.push(if left_out {
        let why = if identifies {
            "it tells rows apart, it is no category"
        } else {
            "that is too many for a category"
        };
        format!(
            "`{name}` is text that has {} different values in {present} rows and is left out: {why}",
            levels.len()
        )
    } else {
        let named: Vec<&str> = levels.iter().copied().take(NAMED).collect();
        let more = if levels.len() > NAMED { ", …" } else { "" };
        format!(
            "`{name}` is text: a category of {} levels ({}{more})",
            levels.len(),
            named.join(", ")
        )
    });
    if left_out || kind == FeatureKind::Input {
        for (row, text) in cells.iter().enumerate() {
            if let Some(text) = text {
                let inputs = &mut dataset.observations[row].inputs;
                inputs.insert(name.to_owned(), InputValue::Text(text.clone()));
            }
        }
    }
    if left_out {
        return;
    }
    let mut rows: BTreeMap<&str, Vec<(ObservationId, f64)>> = BTreeMap::new();
    for (row, text) in cells.iter().enumerate() {
        if let Some(text) = text {
            let of_level = rows.entry(text).or_default();
            of_level.push((ObservationId(row as u32), 1.0));
        }
    }
    for (level, rows) in rows {
        let name = format!("{name}={level}");
        // An exported table has the levels beside the text.
        if !taken.contains(name.as_str()) {
            push(dataset, name, kind, rows);
        }
    }
}

fn push(dataset: &mut Dataset, name: String, kind: FeatureKind, column: Vec<(ObservationId, f64)>) {
    dataset.columns.push(column);
    dataset.features.push(Feature {
        name,
        kind,
        unit: "1".to_owned(),
        ..Feature::default()
    });
}
