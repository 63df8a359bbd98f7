//! Weka's ARFF: `@attribute` lines, then rows with commas.
//!
//! Format: *Attribute-Relation File Format*, University of Waikato (Weka 3.9): `%` comments, names and values in single or
//! double quotes with backslash escapes, `?` for a missing value, types in any case. Values of a list of names stay texts.
//! Limits: sparse rows `{0 1, 3 2}`, relational attributes and weights behind rows are refused.

use std::path::Path;

use crate::error::{DatasetError, Result};
use crate::table::{Room, Table, Values};

use super::source::{Source, text_error, utf8};

/// Whether a text is ARFF, by the file's name or its first line that is no comment.
pub(super) fn is_arff(path: &Path, bytes: &[u8]) -> bool {
    let named = |ending: &str| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase());
        name.is_some_and(|name| name.ends_with(ending))
    };
    let first = bytes
        .split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"%"));
    let begins = first.is_some_and(|line| keyword(line, b"@relation").is_some());
    named(".arff") || named(".arff.gz") || begins
}

/// What follows a keyword at the start of a line, in any case.
fn keyword<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = line.split_at_checked(word.len())?;
    let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
    (start.eq_ignore_ascii_case(word) && ends).then(|| rest.trim_ascii())
}

/// Columns of texts, and the line of each row.
pub(super) fn read(path: &Path, bytes: &[u8], room: &Room<'_>) -> Result<Source> {
    let mut table = Table::default();
    let mut columns: Vec<Vec<Option<String>>> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    let mut data = false;
    for (index, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let number = index as u64 + 1;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"%") {
            continue;
        }
        let text = utf8(path, number, "1", line)?;
        let wrong = |problem: &str| Err(text_error(path, number, problem.to_owned()));
        if !data {
            if let Some(rest) = keyword(line, b"@attribute") {
                let rest = utf8(path, number, "1", rest)?;
                let Some((name, _)) = field(rest, |c| c.is_whitespace() || c == '{') else {
                    return wrong("the attribute has no name, or a quote is never closed");
                };
                names.push(name);
            } else if keyword(line, b"@data").is_some() {
                data = true;
                columns = vec![Vec::new(); names.len()];
            } else if keyword(line, b"@relation").is_none() {
                return wrong("neither @relation, @attribute, @data nor a comment");
            }
            continue;
        }
        if text.starts_with('{') {
            return wrong("sparse rows are not read; write every value, 0 as well");
        }
        let Some(cells) = row(text) else {
            return wrong("a quote is opened here and never closed");
        };
        if cells.len() != names.len() {
            return Err(DatasetError::Ragged {
                path: path.to_path_buf(),
                line: number,
                found: cells.len(),
                expected: names.len(),
            });
        }
        for (column, cell) in columns.iter_mut().zip(cells) {
            room.take_cell(&cell)?;
            column.push((cell != "?" && !cell.is_empty()).then_some(cell));
        }
        lines.push(number);
    }
    if !data {
        return Err(text_error(path, 1, "it has no line @data".to_owned()));
    }
    for (name, cells) in names.into_iter().zip(columns) {
        table.push(name, Values::Texts(cells));
    }
    Ok(Source {
        path: path.to_path_buf(),
        table,
        lines: Some(lines),
        notes: Vec::new(),
    })
}

/// The first field of a text, unquoted, and what follows it; none if it is empty or its quote is never closed.
fn field(text: &str, ends: impl Fn(char) -> bool) -> Option<(String, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        let end = text.find(&ends).unwrap_or(text.len());
        let name = text[..end].trim_end();
        return (!name.is_empty()).then(|| (name.to_owned(), &text[end..]));
    };
    let mut out = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => {
                out.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            c if c == quote => return Some((out, &text[at + c.len_utf8()..])),
            c => out.push(c),
        }
    }
    None
}

/// The values of a row; none if a quote is never closed.
fn row(text: &str) -> Option<Vec<String>> {
    let mut rest = text;
    let mut out = Vec::new();
    loop {
        let trimmed = rest.trim_start();
        let (cell, after) = if trimmed.is_empty() || trimmed.starts_with(',') {
            (String::new(), trimmed)
        } else {
            field(trimmed, |c| c == ',')?
        };
        out.push(cell);
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next,
            None if after.trim().is_empty() => return Some(out),
            None => return None,
        }
    }
}
