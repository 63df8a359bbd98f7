//! Values of variables that are no numbers a column can hold: not a number, infinite, negative infinite, a size that is not known. A row says which of its values are, a
//! dataset in how many rows each column is; a value that was not assigned is none of them.

use std::collections::BTreeMap;

use pricetag_trace::Unusable;

use crate::tabulator::Tabulated;

/// Values that a text names; more are counted.
const NAMED: usize = 5;

/// A version of a variable that was no finite number on some thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numberless {
    /// Name of its column.
    pub name: String,
    /// Whether it is a length or size, which is not known where it is not a number.
    pub sized: bool,
    /// On how many threads it was what.
    pub threads: Unusable,
}

impl Numberless {
    /// What it was, with how many threads each.
    fn found(&self) -> impl Iterator<Item = (&'static str, u32)> {
        let nan = if self.sized {
            "a size that only the program's own code could tell"
        } else {
            "not a number"
        };
        let found = [
            (nan, self.threads.nan),
            ("infinite", self.threads.infinite),
            ("negative infinite", self.threads.minus_infinite),
        ];
        found.into_iter().filter(|(_, threads)| *threads > 0)
    }
}

impl std::fmt::Display for Numberless {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let several = self.found().map(|(_, threads)| threads).sum::<u32>() > 1;
        let found = self.found().map(|(what, threads)| match threads {
            _ if !several => what.to_owned(),
            1 => format!("{what} on 1 thread"),
            n => format!("{what} on {n} threads"),
        });
        let found: Vec<String> = found.collect();
        write!(f, "`{}` ({})", self.name, found.join(", "))
    }
}

/// The first few values of a row that have no number, and how many more there are; none where all have one.
pub(crate) fn caveat(found: &[Numberless]) -> Option<String> {
    let (count, are) = match found.len() {
        0 => return None,
        1 => ("1 value".to_owned(), "is"),
        n => (format!("{n} values"), "are"),
    };
    let named = listed(found.iter().map(ToString::to_string).collect());
    Some(format!(
        "{count} {are} missing, as far as no other thread has a finite one: {named}"
    ))
}

fn listed(mut all: Vec<String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", all.join(", "))
}

/// In how many rows each column is what.
#[derive(Clone, Debug, Default)]
pub struct NumberlessColumns {
    rows: usize,
    columns: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

impl NumberlessColumns {
    /// Adds a row.
    pub fn add(&mut self, row: &Tabulated) {
        self.rows += 1;
        for one in &row.numberless {
            let column = self.columns.entry(one.name.clone()).or_default();
            for (what, _) in one.found() {
                *column.entry(what).or_default() += 1;
            }
        }
    }

    /// The first few columns with what they are in how many rows, and how many more there are; none where all values have a number.
    pub fn note(&self) -> Option<String> {
        let columns = self.columns.iter().map(|(name, found)| {
            let found = found
                .iter()
                .map(|(what, rows)| format!("{what} in {rows} of {}", self.rows));
            let found: Vec<String> = found.collect();
            format!("`{name}` ({})", found.join(", "))
        });
        let columns: Vec<String> = columns.collect();
        let (count, have) = match columns.len() {
            0 => return None,
            1 => ("1 column".to_owned(), "has"),
            n => (format!("{n} columns"), "have"),
        };
        Some(format!(
            "{count} {have} values without a number in some rows: {}",
            listed(columns)
        ))
    }
}
