//! Features, counts and parts as Parquet and back.

use std::path::Path;

use crate::error::{DatasetError, Result};
use crate::model::{Dataset, Feature, FeatureId, FeatureKind, ObservationId, Part};
use crate::table::{self, Table, TableWriter, Values};

/// Counts per row group.
const GROUP: usize = 1 << 20;

pub(super) fn inconsistent(path: &Path, reason: String) -> DatasetError {
    DatasetError::Damaged {
        path: path.to_path_buf(),
        reason,
    }
}

pub(super) fn features(features: &[Feature]) -> Table {
    let mut table = Table::default();
    let integer = |pick: &dyn Fn(usize, &Feature) -> Option<i64>| {
        let cells = features.iter().enumerate();
        Values::Integers(cells.map(|(index, f)| pick(index, f)).collect())
    };
    let text = |pick: &dyn Fn(&Feature) -> Option<String>| {
        Values::Texts(features.iter().map(pick).collect())
    };
    table.push("id", integer(&|index, _| Some(index as i64)));
    table.push("name", text(&|f| Some(f.name.clone())));
    table.push("kind", text(&|f| Some(f.kind.name().to_owned())));
    table.push("unit", text(&|f| Some(f.unit.clone())));
    table.push("class", text(&|f| f.class.clone()));
    table.push("method", text(&|f| f.method.clone()));
    table.push("descriptor", text(&|f| f.descriptor.clone()));
    table.push("block", integer(&|_, f| f.block.map(i64::from)));
    table.push("pc_start", integer(&|_, f| f.pcs.map(|p| p.0.into())));
    table.push("pc_end", integer(&|_, f| f.pcs.map(|p| p.1.into())));
    table.push("line_first", integer(&|_, f| f.lines.map(|l| l.0.into())));
    table.push("line_last", integer(&|_, f| f.lines.map(|l| l.1.into())));
    table.push("code_lines", text(&|f| code_lines_text(&f.code_lines)));
    table.push("source_file", text(&|f| f.source_file.clone()));
    table.push("text", text(&|f| f.text.clone()));
    table.push(
        "nondeterministic",
        integer(&|_, f| Some(f.nondeterministic.into())),
    );
    let shares = features.iter().map(|f| f.available);
    table.push("available", Values::Reals(shares.collect()));
    table.push("changes", integer(&|_, f| f.changes.map(i64::from)));
    table
}

/// Typed access to the columns of one of our tables.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) table: &'a Table,
}

impl<'a> Reader<'a> {
    pub(super) fn texts(&self, name: &str) -> Result<&'a [Option<String>]> {
        match self.table.column(name) {
            Some(Values::Texts(cells)) => Ok(cells),
            _ => Err(self.missing("text", name)),
        }
    }

    pub(super) fn integers(&self, name: &str) -> Result<&'a [Option<i64>]> {
        match self.table.column(name) {
            Some(Values::Integers(cells)) => Ok(cells),
            _ => Err(self.missing("integer", name)),
        }
    }

    fn reals(&self, name: &str) -> Result<&'a [Option<f64>]> {
        match self.table.column(name) {
            Some(Values::Reals(cells)) => Ok(cells),
            _ => Err(self.missing("real", name)),
        }
    }

    fn missing(&self, kind: &str, name: &str) -> DatasetError {
        inconsistent(self.path, format!("there is no {kind} column `{name}`"))
    }
}

pub(super) fn small(cell: Option<i64>) -> Option<u32> {
    cell.and_then(|value| u32::try_from(value).ok())
}

pub(super) fn read_features(path: &Path, table: &Table) -> Result<Vec<Feature>> {
    let read = Reader { path, table };
    let (ids, names, kinds, units) = (
        read.integers("id")?,
        read.texts("name")?,
        read.texts("kind")?,
        read.texts("unit")?,
    );
    let (classes, methods, descriptors) = (
        read.texts("class")?,
        read.texts("method")?,
        read.texts("descriptor")?,
    );
    let (blocks, starts, ends) = (
        read.integers("block")?,
        read.integers("pc_start")?,
        read.integers("pc_end")?,
    );
    let (first, last) = (read.integers("line_first")?, read.integers("line_last")?);
    let (sources, texts) = (read.texts("source_file")?, read.texts("text")?);
    let nondeterministic = read.integers("nondeterministic")?;
    // Datasets of before there was such a thing lack the columns.
    let code_lines = table
        .column("code_lines")
        .and(read.texts("code_lines").ok());
    let available = table.column("available").and(read.reals("available").ok());
    let changes = table.column("changes").and(read.integers("changes").ok());
    (0..table.rows())
        .map(|index| {
            if ids[index] != Some(index as i64) {
                let reason = format!("feature {index} stands out of order or has no id");
                return Err(inconsistent(path, reason));
            }
            let kind = kinds[index].as_deref().unwrap_or("");
            let kind = FeatureKind::from_name(kind).ok_or_else(|| {
                inconsistent(path, format!("feature {index} is of unknown kind `{kind}`"))
            })?;
            Ok(Feature {
                name: names[index].clone().unwrap_or_default(),
                kind,
                unit: units[index].clone().unwrap_or_default(),
                class: classes[index].clone(),
                method: methods[index].clone(),
                descriptor: descriptors[index].clone(),
                block: small(blocks[index]),
                pcs: small(starts[index]).zip(small(ends[index])),
                lines: small(first[index]).zip(small(last[index])),
                code_lines: code_lines
                    .and_then(|cells| cells[index].as_deref())
                    .map_or(Some(Vec::new()), code_lines_of)
                    .ok_or_else(|| {
                        inconsistent(path, format!("feature {index} has lines that are none"))
                    })?,
                source_file: sources[index].clone(),
                text: texts[index].clone(),
                nondeterministic: small(nondeterministic[index]).unwrap_or(0),
                available: available.and_then(|cells| cells[index]),
                changes: changes.and_then(|cells| small(cells[index])),
            })
        })
        .collect()
}

/// `12:5 7:3`: five instructions of line 12, three of line 7; nothing of none.
fn code_lines_text(lines: &[(u32, u32)]) -> Option<String> {
    let words: Vec<String> = lines
        .iter()
        .map(|(line, n)| format!("{line}:{n}"))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn code_lines_of(text: &str) -> Option<Vec<(u32, u32)>> {
    let pair = |word: &str| {
        let (line, n) = word.split_once(':')?;
        Some((line.parse().ok()?, n.parse().ok()?))
    };
    text.split(' ').map(pair).collect()
}

fn counts_table(cells: &[(i64, i64, f64)]) -> Table {
    let mut table = Table::default();
    let runs = cells.iter().map(|cell| Some(cell.0));
    table.push("run", Values::Integers(runs.collect()));
    let features = cells.iter().map(|cell| Some(cell.1));
    table.push("feature", Values::Integers(features.collect()));
    let values = cells.iter().map(|cell| Some(cell.2));
    table.push("value", Values::Reals(values.collect()));
    table
}

pub(super) fn write_counts(path: &Path, dataset: &Dataset) -> Result<()> {
    let mut writer = TableWriter::create(path, &counts_table(&[]))?;
    let mut cells = Vec::new();
    for (feature, column) in dataset.columns.iter().enumerate() {
        for (run, value) in column {
            cells.push((i64::from(run.0), feature as i64, *value));
            if cells.len() == GROUP {
                writer.write(&counts_table(&cells))?;
                cells.clear();
            }
        }
    }
    if !cells.is_empty() {
        writer.write(&counts_table(&cells))?;
    }
    writer.close()
}

pub(super) fn read_counts(
    path: &Path,
    features: usize,
    runs: usize,
) -> Result<Vec<Vec<(ObservationId, f64)>>> {
    let mut columns = vec![Vec::new(); features];
    table::read_groups(path, |group| {
        let read = Reader {
            path,
            table: &group,
        };
        let rows = read.integers("run")?.iter().zip(read.integers("feature")?);
        for ((run, feature), value) in rows.zip(read.reals("value")?) {
            let (Some(run), Some(feature), Some(value)) = (small(*run), small(*feature), *value)
            else {
                return Err(inconsistent(path, "a count is incomplete".to_owned()));
            };
            if run as usize >= runs || feature as usize >= features {
                let reason = format!("a count of feature {feature} in run {run}, which is unknown");
                return Err(inconsistent(path, reason));
            }
            columns[feature as usize].push((ObservationId(run), value));
        }
        Ok(())
    })?;
    for column in &mut columns {
        column.sort_by_key(|cell| cell.0);
    }
    Ok(columns)
}

pub(super) fn parts(parts: &[Part]) -> Table {
    let mut table = Table::default();
    let wholes = parts.iter().map(|part| Some(part.whole.0.into()));
    table.push("whole", Values::Integers(wholes.collect()));
    let contained = parts.iter().map(|part| Some(part.part.0.into()));
    table.push("part", Values::Integers(contained.collect()));
    let amounts = parts.iter().map(|part| Some(part.amount));
    table.push("amount", Values::Reals(amounts.collect()));
    table
}

pub(super) fn read_parts(path: &Path, table: &Table) -> Result<Vec<Part>> {
    let read = Reader { path, table };
    let rows = read.integers("whole")?.iter().zip(read.integers("part")?);
    rows.zip(read.reals("amount")?)
        .map(|((whole, part), amount)| {
            let (Some(whole), Some(part), Some(amount)) = (small(*whole), small(*part), *amount)
            else {
                return Err(inconsistent(path, "a part is incomplete".to_owned()));
            };
            Ok(Part {
                whole: FeatureId(whole),
                part: FeatureId(part),
                amount,
            })
        })
        .collect()
}
