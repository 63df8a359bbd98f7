//! Plain tables and their Parquet form, without Arrow.
//!
//! Our own files and foreign ones go through the same types. Columns are nullable integers, reals, texts or lists of
//! reals; anything else a foreign file holds is named as unsupported rather than guessed at.
//! Format: Apache Parquet, `LogicalTypes.md` (lists have three levels: group, repeated group `list`, `element`).

mod blocks;
mod read;
mod room;
mod write;

pub use blocks::NumberBlocks;
pub use read::{read, read_groups};
pub(crate) use room::Room;
pub use room::allow;
pub use write::{TableWriter, write};

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// In the order of the file.
    pub columns: Vec<Column>,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name; nested foreign columns are joined by dots.
    pub name: String,
    /// Its cells.
    pub values: Values,
}

/// The cells of a column; `None` is null.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers (booleans are 0 and 1).
    Integers(Vec<Option<i64>>),
    /// Floating-point numbers and decimals, unsigned integers beyond `i64`.
    Reals(Vec<Option<f64>>),
    /// Strings.
    Texts(Vec<Option<String>>),
    /// Lists of numbers.
    Lists(Vec<Option<Vec<f64>>>),
    /// Something else, in words; it has no cells.
    Unsupported(String),
}

impl Values {
    /// Number of cells; `None` for unsupported columns.
    pub fn len(&self) -> Option<usize> {
        match self {
            Self::Integers(cells) => Some(cells.len()),
            Self::Reals(cells) => Some(cells.len()),
            Self::Texts(cells) => Some(cells.len()),
            Self::Lists(cells) => Some(cells.len()),
            Self::Unsupported(_) => None,
        }
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len().unwrap_or(0) == 0
    }

    /// The cells as numbers, if they are.
    pub fn numbers(&self) -> Option<Vec<Option<f64>>> {
        match self {
            Self::Integers(cells) => Some(cells.iter().map(|c| c.map(|i| i as f64)).collect()),
            Self::Reals(cells) => Some(cells.clone()),
            _ => None,
        }
    }

    pub(crate) fn append(&mut self, more: Self) -> bool {
        match (self, more) {
            (Self::Integers(a), Self::Integers(b)) => a.extend(b),
            (Self::Reals(a), Self::Reals(b)) => a.extend(b),
            (Self::Texts(a), Self::Texts(b)) => a.extend(b),
            (Self::Lists(a), Self::Lists(b)) => a.extend(b),
            (Self::Unsupported(_), Self::Unsupported(_)) => {}
            _ => return false,
        }
        true
    }
}

impl Table {
    /// Adds a column at the end.
    pub fn push(&mut self, name: impl Into<String>, values: Values) {
        self.columns.push(Column {
            name: name.into(),
            values,
        });
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns
            .iter()
            .find(|c| c.name == name)
            .map(|c| &c.values)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns
            .iter()
            .filter_map(|c| c.values.len())
            .max()
            .unwrap_or(0)
    }
}
