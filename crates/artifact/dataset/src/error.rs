//! What can go wrong with datasets and foreign tables.

use std::path::PathBuf;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, DatasetError>;

/// An error with what was being done, to what, why it failed and what to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read`, `write`, `create`, …
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file is not readable Parquet.
    #[error("{} is not a readable Parquet file: {reason}", path.display())]
    NotParquet {
        /// The file.
        path: PathBuf,
        /// The reader's reason.
        reason: String,
    },
    /// Parquet could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    WriteParquet {
        /// The file.
        path: PathBuf,
        /// The writer's reason.
        reason: String,
        /// Whether the device is full.
        full: bool,
    },
    /// A table would take more memory than it may.
    #[error("{}: the table needs {} or more of memory, and may take {}", path.display(), size(*needs), size(*allowed))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes, as far as they were added up.
        needs: u64,
        /// Bytes.
        allowed: u64,
    },
    /// A directory is no dataset.
    #[error("{} is not a dataset: {reason}", path.display())]
    NotADataset {
        /// The directory.
        path: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// A file of a dataset cannot be read as one, or is missing.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is not what was written.
    #[error("{} is not what was written: its digest differs", path.display())]
    Changed {
        /// The file, or the folder where it is not known which.
        path: PathBuf,
    },
    /// A dataset of another version.
    #[error(
        "{} has dataset schema {found}, this program reads schema {expected}: record or import it again",
        path.display()
    )]
    Schema {
        /// `meta.json`.
        path: PathBuf,
        /// Schema found.
        found: u32,
        /// Schema read by this program.
        expected: u32,
    },
    /// The dataset contradicts itself.
    #[error("the dataset is inconsistent: {0}")]
    Inconsistent(String),
    /// A table has no columns or no rows.
    #[error("{}: {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// A named column does not exist.
    #[error("{}: there is no column `{column}` to use as {role}; columns are: {available}", path.display())]
    NoSuchColumn {
        /// The file.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// What it was to be used as.
        role: &'static str,
        /// The columns there are.
        available: String,
    },
    /// Two columns have one name.
    #[error("{}: columns {first} and {second} are both named `{column}`; rename one", path.display())]
    DuplicateColumn {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
        /// First position, from 1.
        first: usize,
        /// Second position, from 1.
        second: usize,
    },
    /// A row has too few or too many fields.
    #[error("{}, line {line}: {found} fields where the header has {expected}", path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Fields in the row.
        found: usize,
        /// Fields in the header.
        expected: usize,
    },
    /// A cell cannot be used.
    #[error("{}, {row}, column `{column}`: {problem}; {remedy}", path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// `line 7` or `row 6`.
        row: String,
        /// The column's name.
        column: String,
        /// What is wrong with the value.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// A column is of a type that is no number and no category.
    #[error("{}, column `{column}`: holds {what}, which is neither a number nor a category; leave it out or convert it", path.display())]
    UnsupportedColumn {
        /// The file.
        path: PathBuf,
        /// The column's name.
        column: String,
        /// What it holds.
        what: String,
    },
    /// The text of a CSV file cannot be read.
    #[error("{}, line {line}: {problem}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// Two rows have one label.
    #[error("{}: rows {first} and {second} have the same label `{label}`; labels must be unique", path.display())]
    DuplicateLabel {
        /// The file.
        path: PathBuf,
        /// The label.
        label: String,
        /// First row.
        first: String,
        /// Second row.
        second: String,
    },
    /// A cost that no observation has.
    #[error("no observation has a cost `{target}`; costs are: {available}")]
    NoSuchCost {
        /// The cost asked for.
        target: String,
        /// The costs there are.
        available: String,
    },
    /// No feature is of the kind asked for.
    #[error("it has no features of the kind `{kind}`")]
    NoFeatures {
        /// The kind's name.
        kind: &'static str,
    },
    /// Two names become one in an export format.
    #[error("the columns `{first}` and `{second}` would both be named `{name}`")]
    NameClash {
        /// The exported name.
        name: String,
        /// One column.
        first: String,
        /// The other.
        second: String,
    },
}

fn size(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{bytes} bytes"),
        0x10_0000..0x4000_0000 => format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// Whether a file cannot be written because there is no room: the device is full, or a quota or the limit of a file's size is reached.
pub fn lacks_room(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge
    )
}

impl DatasetError {
    /// Whether the device is full.
    pub fn is_storage_full(&self) -> bool {
        match self {
            Self::Io { source, .. } => lacks_room(source),
            Self::WriteParquet { full, .. } => *full,
            _ => false,
        }
    }

    /// For `map_err` on input and output.
    pub(crate) fn io(
        action: &'static str,
        path: &std::path::Path,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
