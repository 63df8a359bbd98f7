//! Datasets to and from other tools, and a look inside.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use pricetag_dataset::Missing;
use pricetag_study::Level;

use super::values::{FeatureGroup, feature_kinds, level, missing, separator};

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The dataset; a table (CSV, ARFF, either as gzip, or Parquet) with --target serves as well.
    #[arg(value_name = "DATASET", value_hint = ValueHint::AnyPath)]
    pub dataset: PathBuf,
    /// The cost to look at; by default what `fit` would explain.
    #[arg(long, value_name = "COST")]
    pub target: Option<String>,
    /// Which features to look at; several with commas.
    #[arg(long, default_value = "auto", value_delimiter = ',', value_parser = level)]
    pub level: Vec<Level>,
    #[command(flatten)]
    pub columns: TableColumns,
    /// Longest list that is printed.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// Print one list instead: the methods that ran, in the form that --methods reads; the blocks, in the form that --blocks and --only
    /// read; or all features, in the form that --only reads; those that are not zero everywhere.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub list: Option<Listing>,
}

/// A list of what ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// `package/Class.method(I)V`, one a line.
    Methods,
    /// `package.Class.method(int) block 3 (Class.java:12-13)`, one a line.
    Blocks,
    /// All of them, one a line.
    Features,
}

/// A format that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One row per observation.
    Csv,
    /// The same as Parquet.
    Parquet,
    /// `ExecTime` and a column per block, as in Lata 2016.
    LataCsv,
    /// Call stacks of the sampled runs, one a line with its microseconds: what flame graphs are drawn from.
    Collapsed,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The dataset.
    #[arg(value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: PathBuf,
    /// The format.
    #[arg(long, value_enum)]
    pub format: Format,
    /// The file to write; `-` for standard output.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The cost in `ExecTime`, for lata-csv; wall time by default, or the only cost there is.
    #[arg(long, value_name = "COST")]
    pub target: Option<String>,
    /// File with the features to write, one a line, as `inspect --list blocks` prints them; of their kinds all others are left out.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub only: Option<PathBuf>,
    /// The features that become columns, for lata-csv.
    #[arg(long, default_value = "blocks", value_parser = feature_kinds, value_name = "FEATURES")]
    pub features: FeatureGroup,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A table (CSV, ARFF, either as gzip, or Parquet), one row per observation; with --jar, files of counts, one observation per run.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The column to be explained.
    #[arg(long, value_name = "COST", required_unless_present = "jar")]
    pub target: Option<String>,
    /// The instrumented jar that wrote the files.
    #[arg(long, value_name = "OUT.jar", value_hint = ValueHint::FilePath, conflicts_with = "target")]
    pub jar: Option<PathBuf>,
    /// Table of what the runs cost, measured on the original archive: a column `counts` with the file of counts, and columns such as `wall_s` or `cpu_ms`;
    /// rows of one file are repeats; `input.NAME` is what was known before the run.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "jar")]
    pub times: Option<PathBuf>,
    /// How the instructions that a jar counted are grouped: `fine`, `lata` or a TOML file, as when recording.
    #[arg(long, value_name = "TABLE", default_value = "fine", value_hint = ValueHint::FilePath)]
    pub categories: String,
    /// Directory of the dataset.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub columns: TableColumns,
    /// Replace a dataset that is already there.
    #[arg(long)]
    pub force: bool,
}

/// What the columns of a foreign table are.
#[derive(Clone, Debug, Default, Args)]
pub struct TableColumns {
    /// Unit of the target: ns, byte, or any other name.
    #[arg(long, help_heading = "Columns of a table")]
    pub unit: Option<String>,
    /// Further columns that are costs, not features.
    #[arg(
        long,
        help_heading = "Columns of a table",
        value_name = "COLUMNS",
        value_delimiter = ','
    )]
    pub costs: Vec<String>,
    /// Columns known before the run; they make the baseline.
    #[arg(
        long,
        help_heading = "Columns of a table",
        value_name = "COLUMNS",
        value_delimiter = ','
    )]
    pub input_columns: Vec<String>,
    /// Columns to leave out.
    #[arg(
        long,
        help_heading = "Columns of a table",
        value_name = "COLUMNS",
        value_delimiter = ','
    )]
    pub ignore: Vec<String>,
    /// Column whose equal values keep rows together when rows are held out.
    #[arg(long, help_heading = "Columns of a table", value_name = "COLUMN")]
    pub group: Option<String>,
    /// Column that names the rows.
    #[arg(long, help_heading = "Columns of a table", value_name = "COLUMN")]
    pub label: Option<String>,
    /// Field separator of a CSV file; found from the header by default.
    #[arg(long, help_heading = "Columns of a table", value_name = "CHAR", value_parser = separator)]
    pub delimiter: Option<u8>,
    /// Features that some rows have no value of: leave out the `rows`, leave out the `columns`, or `impute` (take the column's median, and
    /// add a column that says where); by default the rows if they are at most a tenth, else the columns.
    #[arg(long, help_heading = "Columns of a table", value_name = "CHOICE", value_parser = missing)]
    pub missing: Option<Missing>,
}
