//! Features that some rows have no value of: a stated choice, counted and said.

use pricetag_quantity::median;

use crate::error::{DatasetError, Result};
use crate::model::{Dataset, FeatureKind, Status};

use super::Source;
use super::cells::Cells;
use super::features::Offered;

/// Of ten rows one may have a hole for rows to be left out without being asked.
const FEW: usize = 10;
/// Columns that a note names.
const NAMED: usize = 5;
/// What stands before a column's name in `meta.options`, with the number that was taken for missing ones; empty for texts.
pub const IMPUTED: &str = "imputed ";

/// What is done about holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Rows with a hole are left out.
    Rows,
    /// Columns with a hole are left out.
    Columns,
    /// A hole is filled with the column's median, and a further column says where.
    Impute,
}

impl Missing {
    /// Every choice with its name.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("rows", Self::Rows),
        ("columns", Self::Columns),
        ("impute", Self::Impute),
    ];
}

/// The column that says where another has no value.
pub fn flag(column: &str) -> String {
    format!("{column} is missing")
}

impl Cells {
    /// Whether the cell of a row has a value.
    fn has(&self, row: usize) -> bool {
        match self {
            Self::Numbers(cells) => cells[row].is_some(),
            Self::Texts(cells) => cells.get(row).is_some_and(Option::is_some),
        }
    }
}

/// The columns that are used, and rows that are not marked as such.
pub(super) fn settle(
    source: &Source,
    mut offered: Vec<Offered>,
    choice: Option<Missing>,
    dataset: &mut Dataset,
) -> Result<Vec<Offered>> {
    let rows: Vec<usize> = (0..dataset.observations.len())
        .filter(|&row| dataset.observations[row].status == Status::Ok)
        .collect();
    let mut notes = Vec::new();
    offered.retain(|column| {
        let some = (0..dataset.observations.len()).any(|row| column.cells.has(row));
        if !some {
            notes.push(format!("`{}` has no values and is left out", column.name));
        }
        some
    });
    // A value of a variable that was not assigned is no hole.
    let may_lack = |column: &Offered| {
        let is_number = matches!(column.cells, Cells::Numbers(_));
        is_number && !column.is_input && FeatureKind::names_value(&column.name)
    };
    let holed: Vec<usize> = (0..offered.len())
        .filter(|&i| !may_lack(&offered[i]))
        .filter(|&i| rows.iter().any(|&row| !offered[i].cells.has(row)))
        .collect();
    let lost: Vec<usize> = rows
        .iter()
        .copied()
        .filter(|&row| holed.iter().any(|&i| !offered[i].cells.has(row)))
        .collect();
    if !holed.is_empty() {
        let few = FEW * lost.len() <= rows.len() || holed.len() == offered.len();
        let default = if few { Missing::Rows } else { Missing::Columns };
        let names: Vec<String> = holed.iter().map(|&i| offered[i].name.clone()).collect();
        notes.push(match choice.unwrap_or(default) {
            Missing::Rows => {
                if lost.len() == rows.len() {
                    return Err(every_row(source, &offered, &holed));
                }
                leave_out(source, &offered, &holed, &lost, dataset);
                format!(
                    "{} of {} rows have no value of {} and are left out (--missing rows); --missing columns leaves out the columns instead, --missing impute fills in medians",
                    lost.len(),
                    rows.len(),
                    listed(&names)
                )
            }
            Missing::Columns => {
                let mut index = 0;
                offered.retain(|_| {
                    index += 1;
                    !holed.contains(&(index - 1))
                });
                format!(
                    "{} of {} columns are left out, as {} of {} rows have no value of {} (--missing columns); --missing rows leaves out the rows instead, --missing impute fills in medians",
                    holed.len(),
                    holed.len() + offered.len(),
                    lost.len(),
                    rows.len(),
                    listed(&names)
                )
            }
            Missing::Impute => {
                impute(&mut offered, &holed, &rows, dataset);
                format!(
                    "{} of {} rows have no value of {}: its median is taken, and a column of its own says where (--missing impute)",
                    lost.len(),
                    rows.len(),
                    listed(&names)
                )
            }
        });
    }
    dataset.meta.notes.splice(0..0, notes);
    Ok(offered)
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).map(|name| format!("`{name}`"));
    let shown: Vec<String> = shown.collect();
    match names.len() - shown.len() {
        0 => shown.join(" or "),
        more => format!("{} or {more} more", shown.join(", ")),
    }
}

/// Marks rows with a hole as failed, with the first hole as the reason.
fn leave_out(
    source: &Source,
    offered: &[Offered],
    holed: &[usize],
    lost: &[usize],
    dataset: &mut Dataset,
) {
    for &row in lost {
        let first = holed.iter().find(|&&i| !offered[i].cells.has(row));
        let name = first.map_or("", |&i| offered[i].name.as_str());
        let observation = &mut dataset.observations[row];
        observation.status = Status::Failed;
        observation.reason = Some(format!("`{name}` is missing ({})", source.place(row)));
    }
}

/// Fills holes with medians, and adds a column of flags behind each column with holes.
fn impute(offered: &mut Vec<Offered>, holed: &[usize], rows: &[usize], dataset: &mut Dataset) {
    for &at in holed.iter().rev() {
        let column = &mut offered[at];
        let lacks = |row: usize| f64::from(u8::from(!column.cells.has(row)));
        let flags = (0..dataset.observations.len()).map(|row| Some(lacks(row)));
        let flags = Offered {
            name: flag(&column.name),
            is_input: column.is_input,
            cells: Cells::Numbers(flags.collect()),
        };
        let mut taken = String::new();
        if let Cells::Numbers(cells) = &mut column.cells {
            let known: Vec<f64> = rows.iter().filter_map(|&row| cells[row]).collect();
            let middle = median(&known).unwrap_or(0.0);
            for cell in cells.iter_mut() {
                cell.get_or_insert(middle);
            }
            taken = middle.to_string();
        }
        let options = &mut dataset.meta.options;
        options.insert(format!("{IMPUTED}{}", column.name), taken);
        offered.insert(at + 1, flags);
    }
}

/// Leaving out rows would leave none.
fn every_row(source: &Source, offered: &[Offered], holed: &[usize]) -> DatasetError {
    let names: Vec<String> = holed.iter().map(|&i| offered[i].name.clone()).collect();
    DatasetError::Cell {
        path: source.path.clone(),
        row: source.place(0),
        column: names[0].clone(),
        problem: format!("every row lacks a value of {}", listed(&names)),
        remedy: "--missing columns leaves out the columns, --missing impute fills in medians"
            .to_owned(),
    }
}
