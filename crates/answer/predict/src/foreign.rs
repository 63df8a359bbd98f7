//! Predictions from a table of features that somebody else made.

use std::collections::BTreeSet;
use std::io::Read;

use pricetag_cost_model::CostModel;
use pricetag_dataset::FeatureKind;
use pricetag_finding::Predictions;

use crate::PredictError;
use crate::row::{Row, needed, predict_rows};

/// Columns that label a row, in order of preference.
const LABELS: [&str; 6] = ["label", "observation", "name", "file", "input", "id"];

/// Predicts every row of a CSV with a header. Columns are features by name, the model's target is the measured cost,
/// and a column called `label`, `observation`, `name`, `file`, `input` or `id` (unless it is a feature) labels the row.
/// An empty cell is a missing value in a column that is one of a variable by its name, and refused elsewhere.
pub fn predict_csv(model: &CostModel, table: impl Read) -> Result<Predictions, PredictError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(table);
    let header: Vec<String> = reader
        .headers()?
        .iter()
        .map(|name| name.trim_start_matches('\u{feff}').to_owned())
        .collect();
    let mut columns = BTreeSet::new();
    for name in &header {
        if !columns.insert(name.clone()) {
            return Err(PredictError::DuplicateColumn(name.clone()));
        }
    }
    let needed = needed(&model.formula);
    let label = LABELS.iter().find_map(|label| {
        header
            .iter()
            .position(|name| name == label && !needed.contains(name.as_str()))
    });
    let mut rows = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record?;
        let line = record
            .position()
            .map_or(index as u64 + 2, csv::Position::line);
        let mut row = Row {
            label: format!("row {}", index + 1),
            ..Row::default()
        };
        for (position, (name, text)) in header.iter().zip(record.iter()).enumerate() {
            if label == Some(position) {
                text.clone_into(&mut row.label);
                continue;
            }
            match text.parse::<f64>().ok().filter(|value| value.is_finite()) {
                Some(value) if name == &model.target && !needed.contains(name.as_str()) => {
                    row.measured = Some(value);
                }
                Some(value) => {
                    row.values.insert(name.clone(), value);
                }
                // As an exported dataset has it.
                None if text.is_empty() && FeatureKind::names_value(name) => {}
                None if needed.contains(name.as_str()) => {
                    return Err(PredictError::NotANumber {
                        line,
                        column: name.clone(),
                        text: text.to_owned(),
                    });
                }
                None => {
                    row.values.insert(format!("{name}={text}"), 1.0);
                    columns.insert(format!("{name}={text}"));
                }
            }
        }
        rows.push(row);
    }
    predict_rows(model, &rows, &columns)
}
