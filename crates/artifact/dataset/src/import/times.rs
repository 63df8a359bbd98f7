//! Costs that were measured elsewhere, for observations that were counted without any: a table with the observation in one
//! column and a cost in each other one. Rows of one observation are repeats.

use std::collections::BTreeMap;
use std::path::Path;

use super::cells::{Cells, classify, texts};
use super::source::Source;
use crate::builder::DatasetBuilder;
use crate::error::{DatasetError, Result};
use crate::model::{Dataset, InputValue, Status};

/// The column that names observations.
const COUNTS: &str = "counts";
/// Columns that begin with this are known before the run.
const INPUT: &str = "input.";
/// What ends the names of times: `wall_ms` is `wall` in ns.
const UNITS: [(&str, f64); 4] = [("_ns", 1.0), ("_us", 1e3), ("_ms", 1e6), ("_s", 1e9)];

/// Name, unit and factor of a cost by the name of its column.
fn cost_of(column: &str) -> (&str, &'static str, f64) {
    let timed = UNITS.iter().find_map(|(ending, factor)| {
        let name = column
            .strip_suffix(ending)
            .filter(|name| !name.is_empty())?;
        Some((name, "ns", *factor))
    });
    timed.unwrap_or((column, "1", 1.0))
}

impl Dataset {
    /// Adds the costs and inputs of a table: column `counts` names the observation, by its label or the name of its file;
    /// `wall_s`, `cpu_ms`, … are times, other numbers costs without a unit, `input.NAME` what was known before the run.
    /// Returns the labels of observations that the table does not have.
    ///
    /// # Errors
    /// If the table cannot be read, lacks the column or a cost, names no or several observations in a row, or has a cell
    /// that is no number.
    pub fn add_times(&mut self, path: &Path) -> Result<Vec<String>> {
        let source = Source::read(path, None)?;
        let columns = &source.table.columns;
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        let missing = |column: &str, role| DatasetError::NoSuchColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            role,
            available: names.join(", "),
        };
        let key = columns.iter().find(|c| c.name == COUNTS);
        let key = key.ok_or_else(|| missing(COUNTS, "the file of counts"))?;
        let rows = self.rows_of(&source, &texts(&source, key)?)?;
        let others: Vec<_> = columns.iter().filter(|c| c.name != COUNTS).collect();
        if others.iter().all(|c| c.name.starts_with(INPUT)) {
            return Err(missing("wall_s", "a cost"));
        }
        for column in others {
            let cells = classify(&source, column)?;
            if let Some(name) = column.name.strip_prefix(INPUT) {
                self.set_inputs(name, &rows, cells);
                continue;
            }
            let Cells::Numbers(cells) = cells else {
                return Err(DatasetError::Cell {
                    path: path.to_owned(),
                    row: source.place(0),
                    column: column.name.clone(),
                    problem: "a cost must be a number".to_owned(),
                    remedy: format!("leave the column out, or call it {INPUT}{}", column.name),
                });
            };
            let (name, unit, factor) = cost_of(&column.name);
            self.meta
                .cost_units
                .insert(name.to_owned(), unit.to_owned());
            for (&row, cell) in rows.iter().zip(cells) {
                let costs = &mut self.observations[row].costs;
                let repeats = &mut costs.entry(name.to_owned()).or_default().repeats;
                repeats.extend(cell.map(|value| value * factor));
            }
        }
        for row in &mut self.observations {
            row.costs.retain(|_, cost| !cost.repeats.is_empty());
        }
        // Inputs are columns, too.
        *self = DatasetBuilder::from_dataset(std::mem::take(self)).finish();
        let untimed = self.observations.iter().enumerate();
        let untimed = untimed.filter(|(row, o)| o.status == Status::Ok && !rows.contains(row));
        Ok(untimed.map(|(_, o)| o.label.clone()).collect())
    }

    /// The observation that each row is about.
    fn rows_of(&self, source: &Source, names: &[Option<String>]) -> Result<Vec<usize>> {
        // By label, and by what it ends with: a file of counts, wherever it lay.
        let mut known: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, observation) in self.observations.iter().enumerate() {
            let label = observation.label.as_str();
            known.entry(label).or_default().push(row);
            if let Some((_, name)) = label.rsplit_once('/') {
                known.entry(name).or_default().push(row);
            }
        }
        let wrong = |row: usize, problem: String, remedy: &str| DatasetError::Cell {
            path: source.path.clone(),
            row: source.place(row),
            column: COUNTS.to_owned(),
            problem,
            remedy: remedy.to_owned(),
        };
        let found = names.iter().enumerate().map(|(row, name)| {
            let name = name.as_deref().map_or("", str::trim);
            match known.get(name).map(Vec::as_slice) {
                Some([one]) => Ok(*one),
                Some(_) => Err(wrong(
                    row,
                    format!("several files of counts are called `{name}`"),
                    "write it with its folder",
                )),
                None => Err(wrong(
                    row,
                    format!("no file of counts is called `{name}`"),
                    "name one of those that are imported, or leave the row out",
                )),
            }
        });
        found.collect()
    }

    fn set_inputs(&mut self, name: &str, rows: &[usize], cells: Cells) {
        let values: Vec<Option<InputValue>> = match cells {
            Cells::Numbers(cells) => cells
                .into_iter()
                .map(|c| c.map(InputValue::Number))
                .collect(),
            Cells::Texts(cells) => cells.into_iter().map(|c| c.map(InputValue::Text)).collect(),
        };
        for (&row, value) in rows.iter().zip(values) {
            if let Some(value) = value {
                self.observations[row].inputs.insert(name.to_owned(), value);
            }
        }
    }
}
