//! A dataset as one wide table for other tools: CSV, Parquet, and the CSV of Lata's R scripts.
//!
//! Wide: one row per observation with label, group, status, inputs, costs (medians) and every feature. Failed
//! observations have empty costs. The third form follows Lata 2016 (scripts `LinearRegression.R` and others, which read
//! `read.csv(…, header=TRUE)` and drop `ExecTime`): `ExecTime` first, in milliseconds, then nothing but blocks or
//! methods, successful rows only, with names as R's `make.names(unique=TRUE)` would make them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use crate::error::{DatasetError, Result};
use crate::model::{Dataset, FeatureId, FeatureKind, InputValue, Measured, Meta};
use crate::table::{self, Table, Values};

/// What tells an input's column from another of its name.
const PREFIX: &str = "input ";

fn wide(dataset: &Dataset) -> Result<Table> {
    let mut table = Table::default();
    let mut named: HashMap<String, String> = HashMap::new();
    let mut add = |table: &mut Table, name: String, what: String, values: Values| {
        if let Some(first) = named.insert(name.clone(), what.clone()) {
            return Err(DatasetError::NameClash {
                name,
                first,
                second: what,
            });
        }
        table.push(name, values);
        Ok(())
    };
    let rows = &dataset.observations;
    let texts =
        |pick: &dyn Fn(usize) -> Option<String>| Values::Texts((0..rows.len()).map(pick).collect());
    let label = texts(&|i| Some(rows[i].label.clone()));
    add(&mut table, "label".into(), "label".into(), label)?;
    let group = texts(&|i| Some(rows[i].group.clone()));
    add(&mut table, "group".into(), "group".into(), group)?;
    let status = texts(&|i| Some(rows[i].status.name().to_owned()));
    add(&mut table, "status".into(), "status".into(), status)?;
    for name in dataset.costs().into_keys() {
        let cells = rows
            .iter()
            .map(|row| row.costs.get(name).and_then(Measured::value));
        let values = Values::Reals(cells.collect());
        add(&mut table, name.to_owned(), format!("cost {name}"), values)?;
    }
    for name in categories(dataset) {
        let values = texts(&|i| match rows[i].inputs.get(&name) {
            Some(InputValue::Text(text)) => Some(text.clone()),
            _ => None,
        });
        let what = format!("category {name}");
        let column = input_column(&name, &dataset.meta, |_| false);
        add(&mut table, column, what, values)?;
    }
    for (index, feature) in dataset.features.iter().enumerate() {
        let values = Values::Reals(dataset.cells(FeatureId(index as u32)));
        let what = format!("{} {}", feature.kind.name(), feature.name);
        add(&mut table, feature.name.clone(), what, values)?;
    }
    Ok(table)
}

/// Columns of every exported table.
pub(crate) const LABEL: &str = "label";
pub(crate) const GROUP: &str = "group";
pub(crate) const STATUS: &str = "status";

/// Whether a column of an exported table is a cost that recordings have.
pub(crate) fn is_cost(name: &str) -> bool {
    RESERVED.contains(&name) && ![LABEL, GROUP, STATUS].contains(&name)
}

/// Columns of every exported table, and costs that some recordings have, this one or another of the same program.
const RESERVED: [&str; 11] = [
    LABEL,
    GROUP,
    STATUS,
    "wall",
    "main_wall",
    "cpu",
    "thread_cpu",
    "alloc",
    "heap_used",
    "collections",
    "collection_time",
];

/// The column of an input. Where its name is reserved, is a cost of these units, or is `taken`, it becomes `input NAME`;
/// so does `input NAME` itself, and no two inputs meet. What the rows hold has no influence: models know inputs by name.
pub(crate) fn input_column(name: &str, meta: &Meta, taken: impl Fn(&str) -> bool) -> String {
    let mut inner = name;
    loop {
        if RESERVED.contains(&inner) || meta.cost_units.contains_key(inner) || taken(inner) {
            return format!("{PREFIX}{name}");
        }
        match inner.strip_prefix(PREFIX) {
            Some(rest) => inner = rest,
            None => return name.to_owned(),
        }
    }
}

fn categories(dataset: &Dataset) -> BTreeSet<String> {
    let inputs = dataset.observations.iter().flat_map(|row| &row.inputs);
    inputs
        .filter(|(_, value)| matches!(value, InputValue::Text(_)))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Writes the wide table as CSV.
///
/// # Errors
/// If two columns share a name or the file cannot be written.
pub fn export_csv(dataset: &Dataset, path: &Path) -> Result<()> {
    let table = wide(dataset)?;
    let header: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let rows = (0..table.rows()).map(|row| {
        table
            .columns
            .iter()
            .map(|column| cell(&column.values, row))
            .collect()
    });
    write_csv(path, &header, rows)
}

/// Writes the wide table as Parquet.
///
/// # Errors
/// If two columns share a name or the file cannot be written.
pub fn export_parquet(dataset: &Dataset, path: &Path) -> Result<()> {
    let table = wide(dataset)?;
    whole(path, |staged| table::write(staged, &table))
}

/// Writes Lata's matrix: `ExecTime` in ms and one column per feature of `kind` (blocks or methods) or, for a foreign
/// table, per foreign column. Times that are not in ns are written as they are.
///
/// # Errors
/// If no observation has the cost `target`, there are no such features, or the file cannot be written.
pub fn export_lata_csv(
    dataset: &Dataset,
    target: &str,
    kind: FeatureKind,
    path: &Path,
) -> Result<()> {
    let rows = dataset.usable_rows(target)?;
    let in_ns = dataset.costs().get(target) == Some(&"ns");
    let chosen: Vec<FeatureId> = (0..dataset.features.len() as u32)
        .map(FeatureId)
        .filter(|id| [kind, FeatureKind::Foreign].contains(&dataset.feature(*id).kind))
        .collect();
    let names = std::iter::once("ExecTime")
        .chain(chosen.iter().map(|id| dataset.feature(*id).name.as_str()));
    if chosen.is_empty() {
        return Err(DatasetError::NoFeatures { kind: kind.name() });
    }
    let header = r_names(names);
    let columns: Vec<Vec<f64>> = chosen.iter().map(|id| dataset.dense(*id)).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let lines = rows.iter().map(|row| {
        let index = row.0 as usize;
        let cost = dataset.observations[index].costs.get(target);
        let cost = cost.and_then(Measured::value).unwrap_or(f64::NAN);
        let time = if in_ns { cost / 1e6 } else { cost };
        std::iter::once(time)
            .chain(columns.iter().map(|column| column[index]))
            .map(|value| value.to_string())
            .collect()
    });
    write_csv(path, &header, lines)
}

/// R's `make.names(names, unique = TRUE)` for ASCII names: invalid characters become dots, names that begin otherwise
/// than a name may get `X`, reserved words a dot; of equal names the first that was valid stays, the others get `.1`,
/// `.2`, … Other characters become dots too, as in the C locale.
pub fn r_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let given: Vec<&str> = names.into_iter().collect();
    let mut names: Vec<String> = given.iter().map(|name| r_name(name)).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|index| names[*index] != given[*index]);
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut uses: HashMap<String, u32> = HashMap::new();
    for index in order {
        let name = names[index].clone();
        let Some(count) = uses.get_mut(&name) else {
            uses.insert(name, 0);
            continue;
        };
        names[index] = loop {
            *count += 1;
            let candidate = format!("{name}.{count}");
            if taken.insert(candidate.clone()) {
                break candidate;
            }
        };
    }
    names
}

/// `make.names` of one name.
fn r_name(name: &str) -> String {
    const RESERVED: [&str; 19] = [
        "if",
        "else",
        "repeat",
        "while",
        "function",
        "for",
        "next",
        "break",
        "TRUE",
        "FALSE",
        "NULL",
        "Inf",
        "NaN",
        "NA",
        "NA_integer_",
        "NA_real_",
        "NA_character_",
        "NA_complex_",
        "in",
    ];
    let mut chars = name.chars();
    let begins = match chars.next() {
        Some('.') => !chars.next().is_some_and(|c| c.is_ascii_digit()),
        Some(first) => first.is_ascii_alphabetic(),
        None => false,
    };
    let prefix = if begins { "" } else { "X" };
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let valid = name.chars().map(|c| if allowed(c) { c } else { '.' });
    let suffix = if RESERVED.contains(&name) { "." } else { "" };
    format!("{prefix}{}{suffix}", valid.collect::<String>())
}

fn cell(values: &Values, row: usize) -> String {
    match values {
        Values::Texts(cells) => cells[row].clone().unwrap_or_default(),
        Values::Integers(cells) => cells[row].map_or_else(String::new, |v| v.to_string()),
        Values::Reals(cells) => cells[row].map_or_else(String::new, |v| v.to_string()),
        Values::Lists(_) | Values::Unsupported(_) => String::new(),
    }
}

/// Whole or not at all, so that a failed export leaves no half file under the name asked for, nor beside it.
fn whole(path: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    pricetag_file::replace(
        path,
        |source| DatasetError::io("write", path)(source),
        write,
    )
}

fn write_csv(path: &Path, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<()> {
    whole(path, |staged| write_rows(path, staged, header, rows))
}

fn write_rows(
    path: &Path,
    staged: &Path,
    header: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<()> {
    let fail = |error: csv::Error| DatasetError::Io {
        action: "write",
        path: path.to_path_buf(),
        source: match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            other => std::io::Error::other(format!("{other:?}")),
        },
    };
    let file = fs::File::create(staged).map_err(DatasetError::io("create", staged))?;
    let mut writer = csv::Writer::from_writer(std::io::BufWriter::new(file));
    writer.write_record(header).map_err(fail)?;
    for row in rows {
        writer.write_record(&row).map_err(fail)?;
    }
    writer.flush().map_err(DatasetError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::r_names;

    #[test]
    fn names_are_those_r_makes() {
        // R 4.2.2: make.names(c(…), unique = TRUE)
        let given = [
            "ExecTime",
            "A.f(int) block 3 (A.java:1-2)",
            "2x",
            "if",
            "_a",
            ".5",
            "a b",
            "a.b",
            "",
            "a b",
            ".x",
            "TRUE",
            "a.b.1",
            "...",
        ];
        let r = "ExecTime|A.f.int..block.3..A.java.1.2.|X2x|if.|X_a|X.5|a.b.2|a.b|X|a.b.3|.x|TRUE.|a.b.1|...";
        assert_eq!(r_names(given).join("|"), r);
    }
}
