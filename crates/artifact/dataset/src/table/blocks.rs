//! The numbers of a wide Parquet file, some thousand rows at a time, in memory that does not grow with the file.
//!
//! All columns of a row group are decoded side by side, so that even a file of one row group is never held; only a page
//! and a dictionary of each column are. Missing, infinite and undefined numbers are refused by row and column.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::read::{
    Decoded, Meaning, big_endian, damaged, guarded, half_real, meaning, missing_value, name_of,
    power_of_ten,
};
use crate::error::{DatasetError, Result};

/// Rows decoded at a time.
const ROWS: usize = 8192;

/// The numeric columns of a Parquet file, readable again and again.
pub struct NumberBlocks {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    /// Columns of the file, in the order of `names`.
    chosen: Vec<usize>,
    names: Vec<String>,
    left_out: Vec<(String, String)>,
}

impl std::fmt::Debug for NumberBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NumberBlocks")
            .field("path", &self.path)
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

/// Takes the number of rows before a block, and its columns.
type Visit<'a, E> = dyn FnMut(u64, &[Vec<f64>]) -> std::result::Result<(), E> + 'a;

impl NumberBlocks {
    /// Opens a file. The columns of `first`, given with what they are for, must be numeric and come first; all other
    /// numeric columns that are not in `ignore` follow in the order of the file.
    pub fn open(path: &Path, first: &[(&str, &'static str)], ignore: &[&str]) -> Result<Self> {
        let file = File::open(path).map_err(DatasetError::io("read", path))?;
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let names: Vec<String> = (0..schema.num_columns())
            .map(|c| name_of(&schema.column(c)))
            .collect();
        let position = positions(path, &names)?;
        let mut chosen = Vec::new();
        for (name, role) in first {
            let Some(&column) = position.get(name) else {
                return Err(DatasetError::NoSuchColumn {
                    path: path.to_path_buf(),
                    column: (*name).to_owned(),
                    role,
                    available: names.join(", "),
                });
            };
            if let Some(what) = no_number(&schema.column(column)) {
                return Err(DatasetError::UnsupportedColumn {
                    path: path.to_path_buf(),
                    column: (*name).to_owned(),
                    what,
                });
            }
            chosen.push(column);
        }
        let mut left_out = Vec::new();
        for (column, name) in names.iter().enumerate() {
            if chosen[..first.len()].contains(&column) || ignore.contains(&name.as_str()) {
                continue;
            }
            match no_number(&schema.column(column)) {
                Some(what) => left_out.push((name.clone(), what)),
                None => chosen.push(column),
            }
        }
        Ok(Self {
            path: path.to_path_buf(),
            names: chosen.iter().map(|&c| names[c].clone()).collect(),
            reader,
            chosen,
            left_out,
        })
    }

    /// Names of the columns, in the order in which they are yielded.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Columns that hold no numbers, and what they hold.
    pub fn left_out(&self) -> &[(String, String)] {
        &self.left_out
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.reader.metadata().file_metadata().num_rows().max(0) as u64
    }

    /// Yields all rows of the first `take` columns, in order: the number of rows before them, and their columns.
    pub fn for_each<E: From<DatasetError>>(
        &mut self,
        take: usize,
        visit: &mut Visit<'_, E>,
    ) -> std::result::Result<(), E> {
        let chosen = &self.chosen[..take.min(self.chosen.len())];
        let mut block = vec![Vec::with_capacity(ROWS); chosen.len()];
        let mut start = 0;
        for group in 0..self.reader.num_row_groups() {
            let mut cursors = guarded(&self.path, || self.cursors(group, chosen))?;
            loop {
                let rows = self.fill(&mut cursors, &mut block, start)?;
                if rows == 0 {
                    break;
                }
                visit(start, &block)?;
                start += rows as u64;
            }
        }
        Ok(())
    }

    fn cursors(&self, group: usize, chosen: &[usize]) -> Decoded<Vec<Cursor>> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let group = self.reader.get_row_group(group)?;
        chosen
            .iter()
            .map(|&column| {
                let descriptor = schema.column(column);
                Ok(Cursor {
                    reader: group.get_column_reader(column)?,
                    meaning: meaning(&descriptor),
                    defined: descriptor.max_def_level(),
                })
            })
            .collect()
    }

    /// Decodes the next rows of every column; all must yield as many.
    fn fill(&self, cursors: &mut [Cursor], block: &mut [Vec<f64>], start: u64) -> Result<usize> {
        let mut rows = None;
        for (at, (cursor, cells)) in cursors.iter_mut().zip(block).enumerate() {
            let missing = guarded(&self.path, || cursor.read(cells))?;
            if *rows.get_or_insert(cells.len()) != cells.len() {
                let reason = format!("column `{}` is shorter than others", self.names[at]);
                return Err(damaged(&self.path, &reason));
            }
            let bad = cells.iter().position(|v| !v.is_finite());
            if let Some(row) = missing.into_iter().chain(bad).min() {
                return Err(self.bad_cell(start + row as u64, at, missing, cells[row]));
            }
        }
        Ok(rows.unwrap_or(0))
    }

    fn bad_cell(&self, row: u64, at: usize, missing: Option<usize>, value: f64) -> DatasetError {
        let problem = match missing {
            Some(_) => "the value is missing".to_owned(),
            None => format!("{value} is not a finite number"),
        };
        DatasetError::Cell {
            path: self.path.clone(),
            row: format!("row {}", row + 1),
            column: self.names[at].clone(),
            problem,
            remedy: "fill it in (0 if nothing was counted), remove the row, or ignore the column"
                .to_owned(),
        }
    }
}

fn positions<'a>(path: &Path, names: &'a [String]) -> Result<HashMap<&'a str, usize>> {
    let mut position = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        if let Some(earlier) = position.insert(name.as_str(), index) {
            return Err(DatasetError::DuplicateColumn {
                path: path.to_path_buf(),
                column: name.clone(),
                first: earlier + 1,
                second: index + 1,
            });
        }
    }
    Ok(position)
}

/// What a column holds instead of one number per row.
fn no_number(descriptor: &ColumnDescriptor) -> Option<String> {
    if descriptor.max_rep_level() > 0 {
        return Some("lists".to_owned());
    }
    match meaning(descriptor) {
        Meaning::Text => Some("texts".to_owned()),
        Meaning::Unsupported(what) => Some(what),
        _ => None,
    }
}

/// A column of a row group, read up to some row.
struct Cursor {
    reader: ColumnReader,
    meaning: Meaning,
    defined: i16,
}

impl Cursor {
    /// Replaces `cells` by the next rows; tells the first missing one.
    fn read(&mut self, cells: &mut Vec<f64>) -> Decoded<Option<usize>> {
        use Meaning as M;
        let defined = self.defined;
        match (&mut self.reader, &self.meaning) {
            (ColumnReader::BoolColumnReader(r), _) => {
                next(r, defined, cells, |v| Ok(f64::from(u8::from(*v))))
            }
            (ColumnReader::Int32ColumnReader(r), M::Decimal(scale)) => {
                let unit = power_of_ten(*scale);
                next(r, defined, cells, |v| Ok(f64::from(*v) / unit))
            }
            (ColumnReader::Int32ColumnReader(r), M::Unsigned32) => {
                next(r, defined, cells, |v| Ok(f64::from(*v as u32)))
            }
            (ColumnReader::Int32ColumnReader(r), _) => {
                next(r, defined, cells, |v| Ok(f64::from(*v)))
            }
            (ColumnReader::Int64ColumnReader(r), M::Decimal(scale)) => {
                let unit = power_of_ten(*scale);
                next(r, defined, cells, |v| Ok(*v as f64 / unit))
            }
            (ColumnReader::Int64ColumnReader(r), M::Unsigned64) => {
                next(r, defined, cells, |v| Ok((*v as u64) as f64))
            }
            (ColumnReader::Int64ColumnReader(r), _) => next(r, defined, cells, |v| Ok(*v as f64)),
            (ColumnReader::FloatColumnReader(r), _) => {
                next(r, defined, cells, |v| Ok(f64::from(*v)))
            }
            (ColumnReader::DoubleColumnReader(r), _) => next(r, defined, cells, |v| Ok(*v)),
            (ColumnReader::ByteArrayColumnReader(r), M::Decimal(scale)) => {
                let unit = power_of_ten(*scale);
                next(r, defined, cells, |v| Ok(big_endian(v.data()) / unit))
            }
            (ColumnReader::FixedLenByteArrayColumnReader(r), M::Decimal(scale)) => {
                let unit = power_of_ten(*scale);
                next(r, defined, cells, |v| Ok(big_endian(v.data()) / unit))
            }
            (ColumnReader::FixedLenByteArrayColumnReader(r), M::HalfReal) => {
                next(r, defined, cells, |v| half_real(v.data()))
            }
            _ => Err(missing_value()), // columns of other types are left out when the file is opened
        }
    }
}

fn next<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    defined: i16,
    cells: &mut Vec<f64>,
    convert: impl Fn(&T::T) -> Decoded<f64>,
) -> Decoded<Option<usize>> {
    cells.clear();
    let (mut values, mut levels) = (Vec::with_capacity(ROWS), Vec::new());
    let nullable = (defined > 0).then_some(&mut levels);
    let (rows, _, _) = reader.read_records(ROWS, nullable, None, &mut values)?;
    for value in &values {
        cells.push(convert(value)?);
    }
    if values.len() == rows {
        return Ok(None);
    }
    let missing = levels.iter().position(|level| *level < defined);
    cells.resize(rows, 0.0);
    missing.map(Some).ok_or_else(missing_value)
}
