//! Observations as `runs.parquet` and back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::{DatasetError, Result};
use crate::model::{InputValue, Measured, Observation, Status};
use crate::table::{Table, Values};

const INPUT: &str = "input.";
const CATEGORY: &str = "category.";
const COST: &str = "cost.";
const SPREAD: &str = "spread.";
const REPEATS: &str = "repeats.";

pub(super) fn to_table(rows: &[Observation]) -> Table {
    let mut table = Table::default();
    let ids = (0..rows.len()).map(|index| Some(index as i64));
    table.push("id", Values::Integers(ids.collect()));
    let text = |pick: &dyn Fn(&Observation) -> Option<String>| {
        Values::Texts(rows.iter().map(pick).collect())
    };
    table.push("label", text(&|row| Some(row.label.clone())));
    table.push("status", text(&|row| Some(row.status.name().to_owned())));
    table.push("reason", text(&|row| row.reason.clone()));
    table.push("group", text(&|row| Some(row.group.clone())));
    table.push(
        "caveats",
        text(&|row| {
            let some = !row.caveats.is_empty();
            some.then(|| serde_json::Value::from(row.caveats.clone()).to_string())
        }),
    );
    add_inputs(&mut table, rows);
    let costs: BTreeSet<&String> = rows.iter().flat_map(|row| row.costs.keys()).collect();
    for name in costs {
        let number = |pick: &dyn Fn(&Measured) -> Option<f64>| {
            let cells = rows.iter().map(|row| row.costs.get(name).and_then(pick));
            Values::Reals(cells.collect())
        };
        table.push(format!("{COST}{name}"), number(&Measured::value));
        table.push(format!("{SPREAD}{name}"), number(&Measured::spread));
        let repeats = rows
            .iter()
            .map(|row| row.costs.get(name).map(|cost| cost.repeats.clone()));
        table.push(format!("{REPEATS}{name}"), Values::Lists(repeats.collect()));
    }
    table
}

fn add_inputs(table: &mut Table, rows: &[Observation]) {
    let mut numbers = BTreeSet::new();
    let mut categories = BTreeSet::new();
    for (name, value) in rows.iter().flat_map(|row| &row.inputs) {
        match value {
            InputValue::Number(_) => numbers.insert(name),
            InputValue::Text(_) => categories.insert(name),
        };
    }
    for name in numbers {
        let cells = rows.iter().map(|row| match row.inputs.get(name) {
            Some(InputValue::Number(value)) => Some(*value),
            _ => None,
        });
        table.push(format!("{INPUT}{name}"), Values::Reals(cells.collect()));
    }
    for name in categories {
        let cells = rows.iter().map(|row| match row.inputs.get(name) {
            Some(InputValue::Text(value)) => Some(value.clone()),
            _ => None,
        });
        table.push(format!("{CATEGORY}{name}"), Values::Texts(cells.collect()));
    }
}

pub(super) fn from_table(path: &Path, table: &Table) -> Result<Vec<Observation>> {
    let rows = table.rows();
    let fail = |reason: String| DatasetError::Damaged {
        path: path.to_path_buf(),
        reason,
    };
    let texts = |name: &str| match table.column(name) {
        Some(Values::Texts(cells)) => Ok(cells.clone()),
        _ => Err(fail(format!("there is no text column `{name}`"))),
    };
    let (labels, groups) = (texts("label")?, texts("group")?);
    let (statuses, reasons, caveats) = (texts("status")?, texts("reason")?, texts("caveats")?);
    let mut observations = Vec::with_capacity(rows);
    for index in 0..rows {
        let Some(label) = labels[index].clone() else {
            return Err(fail(format!("row {index} has no label")));
        };
        let status = statuses[index].as_deref().unwrap_or("");
        let status = Status::from_name(status)
            .ok_or_else(|| fail(format!("row {index} has the unknown status `{status}`")))?;
        let caveats = match &caveats[index] {
            None => Vec::new(),
            Some(json) => serde_json::from_str(json)
                .map_err(|error| fail(format!("row {index}, column `caveats`: {error}")))?,
        };
        observations.push(Observation {
            group: groups[index].clone().unwrap_or_else(|| label.clone()),
            label,
            status,
            reason: reasons[index].clone(),
            inputs: BTreeMap::new(),
            costs: BTreeMap::new(),
            caveats,
        });
    }
    for column in &table.columns {
        fill(&mut observations, &column.name, &column.values);
    }
    Ok(observations)
}

fn fill(observations: &mut [Observation], column: &str, values: &Values) {
    if let (Some(name), Some(cells)) = (column.strip_prefix(INPUT), values.numbers()) {
        for (row, value) in observations.iter_mut().zip(cells) {
            if let Some(value) = value {
                row.inputs
                    .insert(name.to_owned(), InputValue::Number(value));
            }
        }
    } else if let (Some(name), Values::Texts(cells)) = (column.strip_prefix(CATEGORY), values) {
        for (row, value) in observations.iter_mut().zip(cells) {
            if let Some(value) = value {
                row.inputs
                    .insert(name.to_owned(), InputValue::Text(value.clone()));
            }
        }
    } else if let (Some(name), Values::Lists(cells)) = (column.strip_prefix(REPEATS), values) {
        for (row, value) in observations.iter_mut().zip(cells) {
            if let Some(repeats) = value {
                row.costs
                    .insert(name.to_owned(), Measured::new(repeats.clone()));
            }
        }
    }
}
