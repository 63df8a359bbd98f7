//! CSV as it is found: RFC 4180 quoting, an optional UTF-8 byte-order mark, comma, semicolon or tab, lines of comments.
//!
//! A line that begins with `#` is a comment before the header, and after it if it has not as many fields as the header:
//! what has as many may be a row whose name begins so. Where no header follows, the last of the comments before the rows
//! is the header if it has as many fields as they (gnuplot's habit).

use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use crate::error::{DatasetError, Result};
use crate::table::{Room, Table, Values};

use super::source::{Source, text_error, utf8};

/// Columns of texts, and the line of each row.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    delimiter: Option<u8>,
    room: &Room<'_>,
) -> Result<Source> {
    let delimiter = delimiter.unwrap_or_else(|| delimiter_of(bytes));
    if let Some(line) = unclosed_quote(bytes, delimiter) {
        let problem = "a quote is opened here and never closed; close it, or double it if it is part of the text";
        return Err(text_error(path, line, problem.to_owned()));
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut place = Lines::default();
    let mut rows = Rows::default();
    while reader
        .read_byte_record(&mut record)
        .map_err(|error| text_error(path, 1, error.to_string()))?
    {
        let start = record.position().map_or(0, csv::Position::byte);
        rows.take(path, place.at(bytes, start as usize), &record, room)?;
    }
    rows.finish(path)
}

/// Counts lines up to places that rise.
struct Lines {
    at: usize,
    line: u64,
}

impl Default for Lines {
    fn default() -> Self {
        Self { at: 0, line: 1 }
    }
}

impl Lines {
    /// The line of the record that begins at or after a place: the reader's own count is one too small after `\r\n`.
    fn at(&mut self, bytes: &[u8], start: usize) -> u64 {
        let is_end = |b: &u8| matches!(b, b'\r' | b'\n');
        let empty = bytes[start..].iter().take_while(|b| is_end(b)).count();
        let to = start + empty;
        for at in self.at..to {
            let followed = bytes.get(at + 1) == Some(&b'\n');
            self.line += u64::from(bytes[at] == b'\n' || bytes[at] == b'\r' && !followed);
        }
        self.at = to;
        self.line
    }
}

/// What has been read.
#[derive(Default)]
struct Rows {
    names: Option<Vec<String>>,
    columns: Vec<Vec<Option<String>>>,
    lines: Vec<u64>,
    /// The last comment before the header, with its line.
    comment: Option<(u64, ByteRecord)>,
    comments: usize,
}

impl Rows {
    fn take(&mut self, path: &Path, line: u64, record: &ByteRecord, room: &Room<'_>) -> Result<()> {
        let remark = record.get(0).is_some_and(|field| field.starts_with(b"#"));
        let Some(names) = &self.names else {
            if remark {
                self.comment = Some((line, record.clone()));
                self.comments += 1;
                return Ok(());
            }
            let above = self.comment.take().filter(|(_, comment)| {
                comment.len() == record.len() && record.iter().all(is_number)
            });
            let names = match &above {
                Some((line, comment)) => header(path, *line, &uncommented(comment))?,
                None => header(path, line, record)?,
            };
            self.columns = vec![Vec::new(); names.len()];
            self.names = Some(names);
            if above.is_none() {
                return Ok(());
            }
            self.comments -= 1;
            return self.take(path, line, record, room);
        };
        if record.len() != names.len() {
            if remark {
                self.comments += 1;
                return Ok(());
            }
            return Err(DatasetError::Ragged {
                path: path.to_path_buf(),
                line,
                found: record.len(),
                expected: names.len(),
            });
        }
        for ((field, name), column) in record.iter().zip(names).zip(&mut self.columns) {
            let text = utf8(path, line, name, field)?;
            room.take_cell(text)?;
            column.push((!text.is_empty()).then(|| text.to_owned()));
        }
        self.lines.push(line);
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<Source> {
        // A table of nothing but comments may be one of a single name.
        let names = match (self.names, self.comment) {
            (Some(names), _) => names,
            (None, Some((line, comment))) => header(path, line, &uncommented(&comment))?,
            (None, None) => Vec::new(),
        };
        let mut table = Table::default();
        let mut cells = self.columns.into_iter();
        for name in names {
            table.push(name, Values::Texts(cells.next().unwrap_or_default()));
        }
        let note = format!(
            "{} lines begin with # and are passed over as comments",
            self.comments
        );
        Ok(Source {
            path: path.to_path_buf(),
            table,
            lines: Some(self.lines),
            notes: (self.comments > 0).then_some(note).into_iter().collect(),
        })
    }
}

fn is_number(field: &[u8]) -> bool {
    let text = std::str::from_utf8(field).unwrap_or_default();
    text.trim().parse::<f64>().is_ok()
}

/// A comment without its sign.
fn uncommented(comment: &ByteRecord) -> ByteRecord {
    let fields = comment.iter().enumerate();
    fields
        .map(|(index, field)| match index {
            0 => field.strip_prefix(b"#").unwrap_or(field),
            _ => field,
        })
        .collect()
}

fn header(path: &Path, line: u64, record: &ByteRecord) -> Result<Vec<String>> {
    let mut names = Vec::with_capacity(record.len());
    for (index, field) in record.iter().enumerate() {
        let name = utf8(path, line, &format!("{}", index + 1), field)?.trim();
        if name.is_empty() {
            // R writes row names under an empty header; they name nothing but the rows.
            if index == 0 && record.len() > 1 {
                names.push("row.names".to_owned());
                continue;
            }
            let problem = format!("column {} has no name in the header", index + 1);
            return Err(text_error(path, line, problem));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// The line of a quote that is opened and never closed. A quote opens a field only where it begins it, as the reader has
/// it; within, two are one.
fn unclosed_quote(bytes: &[u8], delimiter: u8) -> Option<u64> {
    let mut line = 1;
    let mut opened = None;
    let mut begins = true;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let followed = bytes.get(at + 1) == Some(&b'"');
        match (opened, byte) {
            (Some(_), b'"') if followed => at += 1,
            (Some(_), b'"') => opened = None,
            (None, b'"') if begins => opened = Some(line),
            _ => {}
        }
        let ends = byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        line += u64::from(ends);
        begins = opened.is_none() && (byte == delimiter || byte == b'\n' || byte == b'\r');
        at += 1;
    }
    opened
}

/// The separator that stands most often in the first line outside quotes that is no comment; a comma in doubt.
fn delimiter_of(bytes: &[u8]) -> u8 {
    let told = |line: &&[u8]| !line.starts_with(b"#") && !line.iter().all(u8::is_ascii_whitespace);
    let lines = bytes.split_inclusive(|b| matches!(b, b'\n' | b'\r'));
    let from: usize = lines.take_while(|line| !told(line)).map(<[u8]>::len).sum();
    let from = if from < bytes.len() { from } else { 0 };
    let mut counts = [(b',', 0u32), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in &bytes[from..] {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                for (separator, count) in &mut counts {
                    *count += u32::from(byte == separator);
                }
            }
        }
    }
    let mut best = counts[0];
    for candidate in &counts[1..] {
        if candidate.1 > best.1 {
            best = *candidate;
        }
    }
    best.0
}
