//! Decides whether a column holds numbers or categories, and refuses what is neither.

use pricetag_quantity::Unfinite;

use crate::error::{DatasetError, Result};
use crate::table::{Column, Values};

use super::Source;

/// A column as it will be used; `None` is missing.
pub(super) enum Cells {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

/// Spellings of a missing value: R, pandas, SQL.
const MISSING: [&str; 5] = ["", "NA", "N/A", "null", "NULL"];

pub(super) fn is_missing(text: &str) -> bool {
    MISSING.contains(&text)
}

/// 1 or 0 for `true` or `false` in any case, as Python, R and Java write them.
pub fn boolean(text: &str) -> Option<f64> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match (is("true"), is("false")) {
        (true, _) => Some(1.0),
        (_, true) => Some(0.0),
        _ => None,
    }
}

fn values<'a>(source: &Source, column: &'a Column) -> Result<&'a Values> {
    let unsupported = |what: &str| DatasetError::UnsupportedColumn {
        path: source.path.clone(),
        column: column.name.clone(),
        what: what.to_owned(),
    };
    match &column.values {
        Values::Unsupported(what) => Err(unsupported(what)),
        Values::Lists(_) => Err(unsupported("lists")),
        values => Ok(values),
    }
}

/// The cells as texts, whatever they are.
pub(super) fn texts(source: &Source, column: &Column) -> Result<Vec<Option<String>>> {
    Ok(match values(source, column)? {
        Values::Texts(cells) => cells.clone(),
        Values::Integers(cells) => cells.iter().map(|c| c.map(|v| v.to_string())).collect(),
        other => {
            let cells = other.numbers().unwrap_or_default();
            cells.iter().map(|c| c.map(|v| v.to_string())).collect()
        }
    })
}

/// Numbers if all present cells are numbers or all are booleans, texts if most are none.
pub(super) fn classify(source: &Source, column: &Column) -> Result<Cells> {
    let values = values(source, column)?;
    if let Some(cells) = values.numbers() {
        if let Some(row) = cells.iter().position(|c| c.is_some_and(|v| !v.is_finite())) {
            let value = cells[row].unwrap_or(f64::NAN).to_string();
            return Err(not_finite(source, &column.name, (row, &value), &cells));
        }
        return Ok(Cells::Numbers(cells));
    }
    let Values::Texts(texts) = values else {
        return Ok(Cells::Texts(Vec::new()));
    };
    classify_texts(source, &column.name, texts)
}

fn classify_texts(source: &Source, column: &str, texts: &[Option<String>]) -> Result<Cells> {
    let trimmed = texts.iter().map(|cell| {
        let text = cell.as_deref().map_or("", str::trim);
        (!is_missing(text)).then_some(text)
    });
    let trimmed: Vec<Option<&str>> = trimmed.collect();
    let truths = trimmed.iter().map(|cell| cell.map(boolean));
    let truths: Vec<Option<Option<f64>>> = truths.collect();
    if truths.iter().flatten().count() > 0 && truths.iter().flatten().all(Option::is_some) {
        return Ok(Cells::Numbers(
            truths.into_iter().map(Option::flatten).collect(),
        ));
    }
    let parsed: Vec<Option<f64>> = trimmed
        .iter()
        .map(|cell| cell.and_then(|text| text.parse().ok()))
        .collect();
    let present = trimmed.iter().flatten().count();
    let numeric = parsed.iter().flatten().count();
    let meant = trimmed
        .iter()
        .flatten()
        .filter(|text| is_meant_as_number(text));
    if (numeric + meant.count()) * 2 <= present && present > 0 {
        let cells = trimmed.iter().map(|cell| cell.map(str::to_owned));
        return Ok(Cells::Texts(cells.collect()));
    }
    for (row, (text, number)) in trimmed.iter().zip(&parsed).enumerate() {
        let Some(text) = text else { continue };
        match number {
            None => {
                return Err(DatasetError::Cell {
                    path: source.path.clone(),
                    row: source.place(row),
                    column: column.to_owned(),
                    problem: match numeric {
                        0 => format!("`{}` is not a number as it is written", shortened(text)),
                        _ => format!(
                            "`{}` is not a number, but {numeric} of {present} values are",
                            shortened(text)
                        ),
                    },
                    remedy: remedy_for(text),
                });
            }
            Some(value) if !value.is_finite() => {
                return Err(not_finite(source, column, (row, text), &parsed));
            }
            Some(_) => {}
        }
    }
    Ok(Cells::Numbers(parsed))
}

/// Whether it is a number in a notation of other places: `1,5`, `1.234,5`, `12'000`, `1 000`; dots alone may be a version, `17.0.150`.
fn is_meant_as_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = body.split_once(',').unwrap_or((body, "0"));
    let groups: Vec<&str> = whole
        .split(['.', ' ', '\'', '\u{a0}', '\u{202f}'])
        .collect();
    let grouped = groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    text.parse::<f64>().is_err()
        && groups.iter().all(|group| digits(group))
        && (groups.len() == 1 || grouped)
        && fraction.split(',').all(digits)
        && body.contains([',', ' ', '\'', '\u{a0}', '\u{202f}'])
}

fn remedy_for(text: &str) -> String {
    if is_meant_as_number(text) {
        return "write it with a decimal point and without thousands separators".to_owned();
    }
    "correct the value, leave it empty if it is unknown, or ignore the column".to_owned()
}

fn not_finite(
    source: &Source,
    column: &str,
    (row, text): (usize, &str),
    cells: &[Option<f64>],
) -> DatasetError {
    DatasetError::Cell {
        path: source.path.clone(),
        row: source.place(row),
        column: column.to_owned(),
        problem: format!(
            "`{text}` is not a finite number; the column has {}",
            census(cells)
        ),
        remedy: "correct the values, or remove the rows".to_owned(),
    }
}

/// How many cells of a column are missing or no finite numbers, by what they are.
fn census(cells: &[Option<f64>]) -> String {
    let unfinite: Unfinite = cells.iter().flatten().copied().collect();
    let missing = cells.iter().filter(|cell| cell.is_none()).count();
    let missing = (missing > 0).then(|| format!("{missing} missing"));
    let unfinite = (!unfinite.is_none()).then(|| unfinite.to_string());
    let found: Vec<String> = unfinite.into_iter().chain(missing).collect();
    format!("{} of {} values", found.join(", "), cells.len())
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(SHOWN).collect();
    short.push('…');
    short
}
