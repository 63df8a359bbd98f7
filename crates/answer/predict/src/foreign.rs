//! Predictions from a table of features that somebody else made.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_cost_model::CostModel;
use pricetag_dataset::import::{IMPUTED, cells::boolean, flag};
use pricetag_dataset::table::Column;
use pricetag_dataset::{FeatureKind, Source};
use pricetag_finding::{Predictions, Unpredicted};

use crate::PredictError;
use crate::names::{categories, near};
use crate::row::{Row, needed, predict_rows};

/// Columns that label a row, in order of preference.
const LABELS: [&str; 6] = ["label", "observation", "name", "file", "input", "id"];

/// Predicts every row of a table. Columns are features by name, the model's target is the measured cost, and a column
/// called `label`, `observation`, `name`, `file`, `input` or `id` (unless it is a feature) labels the row. Booleans are 1
/// and 0, texts levels of categories, as when the table was learnt from. An empty cell is a missing value in a column
/// that is one of a variable by its name or that had such cells filled in when it was learnt from; elsewhere the row has no
/// prediction.
///
/// # Errors
/// If the table has no rows, or lacks a column or a value that the model needs.
pub fn predict_table(model: &CostModel, source: &Source) -> Result<Predictions, PredictError> {
    let table = &source.table;
    let names: BTreeSet<String> = table.columns.iter().map(|c| c.name.clone()).collect();
    let reader = Reader::of(model, source);
    let mut rows: Vec<Row> = (0..table.rows())
        .map(|row| Row {
            label: format!("row {}", row + 1),
            ..Row::default()
        })
        .collect();
    let mut columns = names.clone();
    let mut holes = BTreeMap::new();
    for column in &table.columns {
        reader.read(column, &mut rows, &mut columns, &mut holes)?;
    }
    if let Some(first) = reader.nothing_given(&names) {
        return Err(PredictError::MissingFeatures {
            count: reader.needed.len(),
            near: near(first, &names),
            first: first.to_owned(),
            seen: String::new(),
        });
    }
    if let Some((&row, column)) = holes
        .first_key_value()
        .filter(|_| holes.len() == rows.len())
    {
        return Err(PredictError::NotANumber {
            place: source.place(row),
            column: column.clone(),
            text: String::new(),
        });
    }
    let (without, rows): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .enumerate()
        .partition(|(index, _)| holes.contains_key(index));
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let failed = without.into_iter().map(|(index, row)| Unpredicted {
        label: row.label,
        reason: format!("`{}` is missing ({})", holes[&index], source.place(index)),
    });
    Ok(Predictions {
        failed: failed.collect(),
        ..predict_rows(model, &rows, &columns)?
    })
}

/// What a model makes of columns.
struct Reader<'a> {
    model: &'a CostModel,
    source: &'a Source,
    needed: BTreeSet<&'a str>,
    /// Categories whose levels the model knows.
    categories: BTreeSet<&'a str>,
    label: Option<&'static str>,
}

impl<'a> Reader<'a> {
    fn of(model: &'a CostModel, source: &'a Source) -> Self {
        let needed = needed(&model.formula);
        let has = |name: &&&str| source.table.column(name).is_some() && !needed.contains(**name);
        Self {
            model,
            source,
            categories: model
                .domain
                .keys()
                .flat_map(|name| categories(name))
                .collect(),
            label: LABELS.iter().find(has).copied(),
            needed,
        }
    }

    /// A feature that the model needs, if the table has none of them.
    fn nothing_given(&self, names: &BTreeSet<String>) -> Option<&'a str> {
        let given = |name: &&str| {
            names.contains(*name) || categories(name).any(|category| names.contains(category))
        };
        let first = self.needed.first().copied();
        first.filter(|_| !self.needed.iter().any(given))
    }

    fn read(
        &self,
        column: &Column,
        rows: &mut [Row],
        columns: &mut BTreeSet<String>,
        holes: &mut BTreeMap<usize, String>,
    ) -> Result<(), PredictError> {
        let name = column.name.as_str();
        let is_needed = self.needed.contains(name);
        let cells = match self.source.texts(column) {
            Ok(cells) => cells,
            Err(e) if is_needed => return Err(PredictError::Table(e)),
            Err(_) => return Ok(()),
        };
        let is_label = self.label == Some(name);
        let is_target = name == self.model.target && !is_needed;
        let is_number = is_needed || self.model.domain.contains_key(name);
        let is_category = !is_number && self.categories.contains(name);
        let flag = flag(name);
        let is_imputed = self.model.domain.contains_key(&flag);
        if is_imputed {
            columns.insert(flag.clone());
        }
        for (index, (row, cell)) in rows.iter_mut().zip(cells).enumerate() {
            let number = cell.as_deref().and_then(number);
            match (cell, number) {
                (Some(text), _) if is_label => row.label = text,
                (_, Some(value)) if is_target => row.measured = Some(value),
                (Some(text), _) if is_category => {
                    let level = format!("{name}={text}");
                    row.values.insert(level.clone(), 1.0);
                    // One that was never seen must not be taken for any other.
                    row.counted.insert(level);
                }
                (_, Some(value)) => {
                    row.values.insert(name.to_owned(), value);
                }
                (None, None) if is_imputed => {
                    row.values.insert(flag.clone(), 1.0);
                    if let Some(value) = self.imputed(name) {
                        row.values.insert(name.to_owned(), value);
                    }
                }
                // As an exported dataset has it.
                (None, None) if FeatureKind::names_value(name) => {}
                (None, None) if is_needed || is_category => {
                    holes.entry(index).or_insert_with(|| name.to_owned());
                }
                (Some(text), None) if is_needed => {
                    return Err(PredictError::NotANumber {
                        place: self.source.place(index),
                        column: name.to_owned(),
                        text,
                    });
                }
                (Some(text), None) if !is_target => {
                    let level = format!("{name}={text}");
                    row.values.insert(level.clone(), 1.0);
                    columns.insert(level);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What was taken for a missing value when the model was learnt.
    fn imputed(&self, name: &str) -> Option<f64> {
        let recording = &self.model.provenance.recording;
        recording.get(&format!("{IMPUTED}{name}"))?.parse().ok()
    }
}

fn number(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok().or_else(|| boolean(text));
    number.filter(|value| value.is_finite())
}
