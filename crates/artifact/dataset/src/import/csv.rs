//! CSV as it is found: RFC 4180 quoting, an optional UTF-8 byte-order mark, comma, semicolon or tab.

use std::fs;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use crate::error::{DatasetError, Result};
use crate::table::{Table, Values};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Columns of texts, and the line of each row.
pub(super) fn read(path: &Path, delimiter: Option<u8>) -> Result<(Table, Vec<u64>)> {
    let bytes = fs::read(path).map_err(DatasetError::io("read", path))?;
    let bytes = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(text_error(
            path,
            1,
            "the text is UTF-16; save it as UTF-8".to_owned(),
        ));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(DatasetError::Empty {
            path: path.to_path_buf(),
            what: "the file is empty",
        });
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter.unwrap_or_else(|| delimiter_of(bytes)))
        .from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut names: Option<Vec<String>> = None;
    let mut columns: Vec<Vec<Option<String>>> = Vec::new();
    let mut lines = Vec::new();
    while reader
        .read_byte_record(&mut record)
        .map_err(|error| text_error(path, line_of(error.position()), error.to_string()))?
    {
        let line = line_of(record.position());
        let Some(names) = &names else {
            let header = header(path, line, &record)?;
            columns = vec![Vec::new(); header.len()];
            names = Some(header);
            continue;
        };
        if record.len() != names.len() {
            return Err(DatasetError::Ragged {
                path: path.to_path_buf(),
                line,
                found: record.len(),
                expected: names.len(),
            });
        }
        for (index, field) in record.iter().enumerate() {
            let text = utf8(path, line, &names[index], field)?;
            columns[index].push((!text.is_empty()).then(|| text.to_owned()));
        }
        lines.push(line);
    }
    let mut table = Table::default();
    for (name, cells) in names.unwrap_or_default().into_iter().zip(columns) {
        table.push(name, Values::Texts(cells));
    }
    Ok((table, lines))
}

fn line_of(position: Option<&csv::Position>) -> u64 {
    position.map_or(1, csv::Position::line)
}

fn text_error(path: &Path, line: u64, problem: String) -> DatasetError {
    DatasetError::Text {
        path: path.to_path_buf(),
        line,
        problem,
    }
}

fn utf8<'a>(path: &Path, line: u64, column: &str, field: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(field).map_err(|_| {
        let problem = format!("column `{column}` is not UTF-8; convert the file to UTF-8");
        text_error(path, line, problem)
    })
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

/// The separator that stands most often in the first line outside quotes; a comma in doubt.
fn delimiter_of(bytes: &[u8]) -> u8 {
    let mut counts = [(b',', 0u32), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in bytes {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
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
