//! A stranger's table to a dataset: one row per observation, in any format that [`Source`] reads.
//!
//! The target column (and any further cost column) becomes a cost; every other numeric column a feature of kind
//! [`FeatureKind::Foreign`](crate::FeatureKind::Foreign), or [`FeatureKind::Input`](crate::FeatureKind::Input) if named as known before the run; booleans are 1 and 0, and text
//! columns become categories, a feature `column=text` for each level. A column named as values of variables are (`x#2`)
//! may have empty cells, as exported tables have: it is then of kind [`FeatureKind::Value`](crate::FeatureKind::Value), and a note says so. Holes in
//! other columns are dealt with by a choice ([`Missing`]) and counted. Nothing is guessed silently: a text in a column that
//! is mostly numeric, an infinite value of a feature, a ragged row or a duplicate header is an error that names the place.
//! A row whose target is missing becomes a failed observation.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::error::{DatasetError, Result};
use crate::model::{DATASET_SCHEMA, Dataset, Measured, Meta, Observation, Status};
use crate::table::Column;

mod arff;
pub mod cells;
mod csv;
mod exported;
mod features;
mod holes;
mod source;
mod times;

use cells::{Cells, classify};
use features::Offered;
pub use holes::{IMPUTED, Missing, flag};
pub use source::Source;

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
    /// What is done about features that some rows have no value of; if none, the rows are left out where they are few, else
    /// the columns.
    pub missing: Option<Missing>,
}

/// Imports a file: CSV, ARFF, either as gzip, or Parquet.
///
/// # Errors
/// If the file cannot be read as a table, or a column or cell cannot be used.
pub fn import(path: &Path, options: &ImportOptions) -> Result<Dataset> {
    build(&Source::read(path, options.delimiter)?, options)
}

fn build(source: &Source, options: &ImportOptions) -> Result<Dataset> {
    let own = exported::recognise(&source.table, options);
    let options = own.as_ref().map_or(options, |own| &own.options);
    check_columns(source, options)?;
    let rows = source.table.rows();
    if rows == 0 {
        return Err(DatasetError::Empty {
            path: source.path.clone(),
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
    let mut offered = Vec::new();
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
            offered.push(Offered {
                name: name.to_owned(),
                is_input: options.inputs.contains(name),
                cells: classify(source, column)?,
            });
        }
    }
    features::add(source, offered, options.missing, &mut dataset)?;
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

fn meta(source: &Source, options: &ImportOptions) -> Meta {
    let unit = options.unit.clone().unwrap_or_else(|| "1".to_owned());
    Meta {
        schema: DATASET_SCHEMA,
        subject: vec![source.path.display().to_string()],
        scope: "table".to_owned(),
        cost_units: BTreeMap::from([(options.target.clone(), unit)]),
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
        notes: source.notes.clone(),
        ..Meta::default()
    }
}

fn check_columns(source: &Source, options: &ImportOptions) -> Result<()> {
    let columns = &source.table.columns;
    if columns.is_empty() {
        return Err(DatasetError::Empty {
            path: source.path.clone(),
            what: "it has no columns",
        });
    }
    let names: BTreeSet<&str> = columns.iter().map(|c| c.name.as_str()).collect();
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
        if !names.contains(name.as_str()) {
            let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            return Err(DatasetError::NoSuchColumn {
                path: source.path.clone(),
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

fn set_labels(source: &Source, column: &Column, dataset: &mut Dataset) -> Result<()> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (row, text) in cells::texts(source, column)?.into_iter().enumerate() {
        let label = text.unwrap_or_else(|| format!("row {}", row + 1));
        if let Some(first) = seen.insert(label.clone(), row) {
            return Err(DatasetError::DuplicateLabel {
                path: source.path.clone(),
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
    source: &Source,
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
                path: source.path.clone(),
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
