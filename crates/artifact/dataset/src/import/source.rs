//! The one reader of foreign tables: whatever the format, cells and where they stand.
//!
//! Parquet is known by its first bytes, ARFF by its name or its first line, gzip by its first bytes; everything else is text
//! with separators. Every command that takes a table reads it here.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{DatasetError, Result};
use crate::table::{self, Column, Room, Table};

use super::{arff, csv};

const GZIP: &[u8] = b"\x1f\x8b";
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Cells as they came, and how to name their rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its columns.
    pub table: Table,
    /// Line of each row in a text file; Parquet rows have numbers only.
    pub lines: Option<Vec<u64>>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
}

impl Source {
    /// Reads a table: CSV with any common separator, ARFF, both also as gzip, or Parquet.
    ///
    /// # Errors
    /// If the file cannot be read as a table, or two columns have one name.
    pub fn read(path: &Path, delimiter: Option<u8>) -> Result<Self> {
        let source = Self::cells(path, delimiter)?;
        source.distinct()?;
        Ok(source)
    }

    fn cells(path: &Path, delimiter: Option<u8>) -> Result<Self> {
        if is_parquet(path)? {
            return Ok(Self {
                path: path.to_path_buf(),
                table: table::read(path)?,
                lines: None,
                notes: Vec::new(),
            });
        }
        let room = Room::of(path);
        let size = fs::metadata(path).map_or(0, |file| file.len());
        room.take_bytes(size)?;
        let packed = fs::read(path).map_err(DatasetError::io("read", path))?;
        let bytes = unpacked(path, packed, &room)?;
        let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
        if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
            return Err(text_error(
                path,
                1,
                "the text is UTF-16; save it as UTF-8".to_owned(),
            ));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(DatasetError::Empty {
                path: path.to_path_buf(),
                what: "the file is empty",
            });
        }
        if arff::is_arff(path, text) {
            return arff::read(path, text, &room);
        }
        csv::read(path, text, delimiter, &room)
    }

    fn distinct(&self) -> Result<()> {
        let mut first = std::collections::HashMap::new();
        for (index, column) in self.table.columns.iter().enumerate() {
            if let Some(earlier) = first.insert(column.name.as_str(), index) {
                return Err(DatasetError::DuplicateColumn {
                    path: self.path.clone(),
                    column: column.name.clone(),
                    first: earlier + 1,
                    second: index + 1,
                });
            }
        }
        Ok(())
    }

    /// Where a row stands: `line 7`, or `row 6` of a format without lines.
    pub fn place(&self, row: usize) -> String {
        match self.lines.as_ref().and_then(|lines| lines.get(row)) {
            Some(line) => format!("line {line}"),
            None => format!("row {}", row + 1),
        }
    }

    /// The cells of a column as texts without spaces around them, `None` where one is missing.
    ///
    /// # Errors
    /// If the column holds what is neither number nor text.
    pub fn texts(&self, column: &Column) -> Result<Vec<Option<String>>> {
        let cells = super::cells::texts(self, column)?;
        let present = |text: &String| !super::cells::is_missing(text.trim());
        Ok(cells
            .into_iter()
            .map(|cell| cell.filter(present).map(|text| text.trim().to_owned()))
            .collect())
    }
}

fn is_parquet(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    let file = fs::File::open(path).map_err(DatasetError::io("read", path))?;
    file.take(4)
        .read_to_end(&mut start)
        .map_err(DatasetError::io("read", path))?;
    let named = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
    Ok(named || start == b"PAR1")
}

/// The bytes, unpacked if they are gzip; a bomb is refused.
fn unpacked(path: &Path, bytes: Vec<u8>, room: &Room<'_>) -> Result<Vec<u8>> {
    if !bytes.starts_with(GZIP) {
        return Ok(bytes);
    }
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .take(room.allowed() + 1)
        .read_to_end(&mut out)
        .map_err(|e| {
            text_error(
                path,
                1,
                format!("the gzip file is damaged or cut short: {e}"),
            )
        })?;
    room.take_bytes(out.len() as u64)?;
    Ok(out)
}

pub(super) fn text_error(path: &Path, line: u64, problem: String) -> DatasetError {
    DatasetError::Text {
        path: path.to_path_buf(),
        line,
        problem,
    }
}

pub(super) fn utf8<'a>(path: &Path, line: u64, column: &str, field: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(field).map_err(|_| {
        let problem = format!("column `{column}` is not UTF-8; convert the file to UTF-8");
        text_error(path, line, problem)
    })
}
