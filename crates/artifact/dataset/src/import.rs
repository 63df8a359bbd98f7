//! A stranger's table to a dataset: CSV or Parquet, one row per observation.
//!
//! The target column (and any further cost column) becomes a cost; every other numeric column a feature of kind
//! [`FeatureKind::Foreign`], or [`FeatureKind::Input`] if named as known before the run; text columns become
//! categories. A column named as values of variables are (`x#2`) may have empty cells, as exported tables have: it is
//! then of kind [`FeatureKind::Value`], and a note says so. Nothing is guessed silently: a text in a column that is mostly numeric, an infinite or missing value
//! of a feature, a ragged row or a duplicate header is an error that names the place. A row whose target is missing
//! becomes a failed observation.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::error::{DatasetError, Result};
use crate::model::{
    DATASET_SCHEMA, Dataset, Feature, FeatureKind, InputValue, Measured, Meta, Observation,
    ObservationId, Status,
};
use crate::table::{self, Column, Table};

mod cells;
mod csv;
mod exported;

use cells::{Cells, classify};

/// How to read a foreign table. An exported dataset is recognised: its label, group, status and costs need not be named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// The column to be explained.
    pub target: String,
    /// Unit of the target: `ns`, `byte`, or any other name; `1` if none.
    pub unit: Option<String>,
    /// Further cost columns: neither features nor target.
    pub costs: BTreeSet<String>,
    /// Column whose equal values keep rows together in splits and folds.
    pub group: Option<String>,
    /// Column that names the rows; `row N` otherwise.
    pub label: Option<String>,
    /// Columns known before the run.
    pub inputs: BTreeSet<String>,
    /// Columns left out.
    pub ignore: BTreeSet<String>,
    /// Field separator of a CSV file; found from the header if none.
    pub delimiter: Option<u8>,
}

/// Cells as they came, and how to name their rows.
struct Source<'a> {
    path: &'a Path,
    table: Table,
    /// Line of each row in a text file; Parquet rows have numbers only.
    lines: Option<Vec<u64>>,
}

impl Source<'_> {
    fn place(&self, row: usize) -> String {
        match self.lines.as_ref().and_then(|lines| lines.get(row)) {
            Some(line) => format!("line {line}"),
            None => format!("row {}", row + 1),
        }
    }
}

/// Imports a file: Parquet if it begins as one or is called `.parquet`, CSV otherwise.
///
/// # Errors
/// If the file cannot be read as a table, or a column or cell cannot be used.
pub fn import(path: &Path, options: &ImportOptions) -> Result<Dataset> {
    let source = if is_parquet(path)? {
        Source {
            path,
            table: table::read(path)?,
            lines: None,
        }
    } else {
        let (table, lines) = csv::read(path, options.delimiter)?;
        Source {
            path,
            table,
            lines: Some(lines),
        }
    };
    build(&source, options)
}

fn is_parquet(path: &Path) -> Result<bool> {
    use std::io::Read;
    let mut start = Vec::new();
    let file = std::fs::File::open(path).map_err(DatasetError::io("read", path))?;
    file.take(4)
        .read_to_end(&mut start)
        .map_err(DatasetError::io("read", path))?;
    let named = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
    Ok(named || start == b"PAR1")
}

fn build(source: &Source<'_>, options: &ImportOptions) -> Result<Dataset> {
    let own = exported::recognise(&source.table, options);
    let options = own.as_ref().map_or(options, |own| &own.options);
    check_columns(source, options)?;
    let rows = source.table.rows();
    if rows == 0 {
        return Err(DatasetError::Empty {
            path: source.path.to_path_buf(),
            what: "it has a header but no rows",
        });
    }
    let mut dataset = Dataset {
        meta: meta(source, options),
        observations: (1..=rows)
            .map(|row| Observation {
                label: format!("row {row}"),
                ..Observation::default()
            })
            .collect(),
        ..Dataset::default()
    };
    for column in &source.table.columns {
        let name = column.name.as_str();
        if options.ignore.contains(name) || own.is_some() && name == exported::STATUS {
            continue;
        }
        if options.label.as_deref() == Some(name) {
            set_labels(source, column, &mut dataset)?;
        } else if options.group.as_deref() == Some(name) {
            for (row, text) in cells::texts(source, column)?.into_iter().enumerate() {
                dataset.observations[row].group = text.unwrap_or_default();
            }
        } else if name == options.target || options.costs.contains(name) {
            add_cost(source, column, options, &mut dataset)?;
        } else {
            add_feature(source, column, options, &mut dataset)?;
        }
    }
    for row in &mut dataset.observations {
        if row.group.is_empty() {
            row.group.clone_from(&row.label);
        }
    }
    if let Some(own) = own {
        own.restore(&mut dataset);
    }
    dataset.validate()?;
    Ok(dataset)
}

fn meta(source: &Source<'_>, options: &ImportOptions) -> Meta {
    let unit = options.unit.clone().unwrap_or_else(|| "1".to_owned());
    Meta {
        schema: DATASET_SCHEMA,
        subject: vec![source.path.display().to_string()],
        scope: "table".to_owned(),
        cost_units: BTreeMap::from([(options.target.clone(), unit)]),
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
        ..Meta::default()
    }
}

fn check_columns(source: &Source<'_>, options: &ImportOptions) -> Result<()> {
    let columns = &source.table.columns;
    if columns.is_empty() {
        return Err(DatasetError::Empty {
            path: source.path.to_path_buf(),
            what: "it has no columns",
        });
    }
    let mut first = HashMap::new();
    for (index, column) in columns.iter().enumerate() {
        if let Some(earlier) = first.insert(column.name.as_str(), index) {
            return Err(DatasetError::DuplicateColumn {
                path: source.path.to_path_buf(),
                column: column.name.clone(),
                first: earlier + 1,
                second: index + 1,
            });
        }
    }
    let wanted = [
        (Some(&options.target), "the target"),
        (options.group.as_ref(), "the group"),
        (options.label.as_ref(), "the label"),
    ];
    let wanted = wanted
        .into_iter()
        .filter_map(|(name, role)| Some((name?, role)));
    let lists = [
        (&options.costs, "a cost"),
        (&options.inputs, "an input"),
        (&options.ignore, "a column to ignore"),
    ];
    let listed = lists
        .into_iter()
        .flat_map(|(names, role)| names.iter().map(move |name| (name, role)));
    for (name, role) in wanted.chain(listed) {
        if !first.contains_key(name.as_str()) {
            let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            return Err(DatasetError::NoSuchColumn {
                path: source.path.to_path_buf(),
                column: name.clone(),
                role,
                available: abbreviated(&names),
            });
        }
    }
    Ok(())
}

fn abbreviated(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        return format!("{text} and {} more", names.len() - SHOWN);
    }
    text
}

fn set_labels(source: &Source<'_>, column: &Column, dataset: &mut Dataset) -> Result<()> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (row, text) in cells::texts(source, column)?.into_iter().enumerate() {
        let label = text.unwrap_or_else(|| format!("row {}", row + 1));
        if let Some(first) = seen.insert(label.clone(), row) {
            return Err(DatasetError::DuplicateLabel {
                path: source.path.to_path_buf(),
                label,
                first: source.place(first),
                second: source.place(row),
            });
        }
        dataset.observations[row].label = label;
    }
    Ok(())
}

fn add_cost(
    source: &Source<'_>,
    column: &Column,
    options: &ImportOptions,
    dataset: &mut Dataset,
) -> Result<()> {
    let name = &column.name;
    let is_target = *name == options.target;
    let cells = match classify(source, column)? {
        Cells::Numbers(cells) => cells,
        Cells::Texts(texts) => {
            let is_text = |cell: &Option<String>| {
                cell.as_ref()
                    .is_some_and(|text| text.parse::<f64>().is_err())
            };
            let row = texts.iter().position(is_text).unwrap_or(0);
            let text = texts.get(row).cloned().flatten().unwrap_or_default();
            return Err(DatasetError::Cell {
                path: source.path.to_path_buf(),
                row: source.place(row),
                column: name.clone(),
                problem: format!("`{text}` is not a number, and a cost must be one"),
                remedy: "choose a numeric column".to_owned(),
            });
        }
    };
    for (row, value) in cells.into_iter().enumerate() {
        let observation = &mut dataset.observations[row];
        match value {
            Some(value) => {
                let measured = Measured::new(vec![value]);
                observation.costs.insert(name.clone(), measured);
            }
            None if is_target => {
                observation.status = Status::Failed;
                observation.reason = Some(format!("`{name}` is missing ({})", source.place(row)));
            }
            None => {}
        }
    }
    Ok(())
}

fn add_feature(
    source: &Source<'_>,
    column: &Column,
    options: &ImportOptions,
    dataset: &mut Dataset,
) -> Result<()> {
    let name = &column.name;
    let is_input = options.inputs.contains(name);
    match classify(source, column)? {
        Cells::Texts(texts) => {
            if texts.iter().any(Option::is_some) {
                let note = format!("`{name}` is text: a category, not a feature");
                dataset.meta.notes.push(note);
            }
            for (row, text) in texts.into_iter().enumerate() {
                if let Some(text) = text {
                    let inputs = &mut dataset.observations[row].inputs;
                    inputs.insert(name.clone(), InputValue::Text(text));
                }
            }
        }
        Cells::Numbers(cells) => {
            let absent = cells.iter().filter(|cell| cell.is_none()).count();
            if absent > 0 && (is_input || !FeatureKind::names_value(name)) {
                return Err(missing(source, name, &cells));
            }
            if absent > 0 {
                dataset.meta.notes.push(format!(
                    "`{name}` is empty in {absent} of {} rows: it is taken for a value that was not assigned there, which is not 0",
                    cells.len()
                ));
            }
            let mut sparse = Vec::new();
            for (row, value) in cells.into_iter().enumerate() {
                let Some(value) = value else { continue };
                if is_input {
                    let inputs = &mut dataset.observations[row].inputs;
                    inputs.insert(name.clone(), InputValue::Number(value));
                }
                if value != 0.0 || absent > 0 {
                    sparse.push((ObservationId(row as u32), value));
                }
            }
            dataset.columns.push(sparse);
            dataset.features.push(Feature {
                name: name.clone(),
                kind: match (is_input, absent) {
                    (true, _) => FeatureKind::Input,
                    (false, 0) => FeatureKind::Foreign,
                    (false, _) => FeatureKind::Value,
                },
                unit: "1".to_owned(),
                ..Feature::default()
            });
        }
    }
    Ok(())
}

/// A hole in a column that can have none.
fn missing(source: &Source<'_>, column: &str, cells: &[Option<f64>]) -> DatasetError {
    let row = cells.iter().position(Option::is_none).unwrap_or(0);
    DatasetError::Cell {
        path: source.path.to_path_buf(),
        row: source.place(row),
        column: column.to_owned(),
        problem: format!("the value is missing; the column has {}", cells::census(cells)),
        remedy: "fill it in (0 if nothing was counted), remove the row, ignore the column, or call it `name#1` if it is a value that need not exist, which is not 0"
            .to_owned(),
    }
}
