//! What is asked of a model.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use pricetag_finding::Grouping;
use pricetag_trace::Pattern;

use super::platform::MoveArgs;
use super::tables::TableColumns;
use super::values::{duration, pattern, separator, variable, word};

#[derive(Debug, Args)]
#[command(mut_args(super::brief), group = clap::ArgGroup::new("of").required(true).args(["dataset", "features_file", "command"]))]
pub struct PredictArgs {
    /// The model, or a predictor that `evaluator build` wrote: then the arguments of the program stand behind `--`, and `--inputs` gives one prediction per file.
    #[arg(value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,
    /// Predict the observations of a dataset.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: Option<PathBuf>,
    /// Predict the rows of a table (CSV, ARFF, either as gzip, or Parquet) with a column per feature.
    #[arg(long = "features", id = "features_file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub features: Option<PathBuf>,
    /// Field separator of a CSV file with features; found from the header by default.
    #[arg(long, value_name = "CHAR", value_parser = separator, requires = "features_file")]
    pub delimiter: Option<u8>,
    /// One prediction per file that matches; `{}` in the command stands for the file.
    #[arg(long, value_name = "GLOB", value_parser = word(), requires = "command")]
    pub inputs: Option<String>,
    /// One prediction per row of a CSV file; `{column}` in the command stands for the row's value.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "command", conflicts_with = "inputs")]
    pub workload: Option<PathBuf>,
    /// File fed on standard input, such as `{}`.
    #[arg(long, value_name = "FILE", value_parser = word(), requires = "command")]
    pub stdin: Option<String>,
    /// Environment variable for the subject; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable(), requires = "command")]
    pub env: Vec<(String, String)>,
    /// Working directory of the subject.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "command")]
    pub cwd: Option<PathBuf>,
    /// Time limit of one run.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Classes to count; those of the recording by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub include: Vec<Pattern>,
    /// Classes not to count; those of the recording by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub exclude: Vec<Pattern>,
    /// File with the methods to count; those of the recording by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "command")]
    pub methods: Option<PathBuf>,
    /// File with the blocks to count; those of the recording by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "command", conflicts_with = "methods")]
    pub blocks: Option<PathBuf>,
    /// Count the JDK's own classes too, even if the recording did not.
    #[arg(long)]
    pub count_jdk: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
    /// Where rewritten classes are kept for later runs, cut back to 256 MB whenever one begins: a directory, or `none`; `pricetag` in the user's cache by
    /// default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cache: Option<PathBuf>,
    #[command(flatten)]
    pub moving: MoveArgs,
    /// Count this run of the subject and predict its cost.
    #[arg(last = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

/// What costs are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Methods.
    Method,
    /// Basic blocks.
    Block,
    /// Source lines.
    Line,
    /// Buckets, as they are priced.
    Bucket,
}

impl From<By> for Grouping {
    fn from(by: By) -> Self {
        match by {
            By::Method => Self::Method,
            By::Block => Self::Block,
            By::Line => Self::Line,
            By::Bucket => Self::Bucket,
        }
    }
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The model.
    #[arg(value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,
    /// The dataset or table it explains; the directory of the model by default.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::AnyPath)]
    pub dataset: Option<PathBuf>,
    /// What to group costs by.
    #[arg(long, value_enum, default_value_t = By::Method)]
    pub by: By,
    /// Print the tree of calls instead, from the sampled runs.
    #[arg(long, conflicts_with_all = ["by", "listing", "callers"])]
    pub tree: bool,
    /// Print who calls this method instead, from the sampled runs: `Sorter.sort`, `sort(int[])`.
    #[arg(long, value_name = "METHOD", conflicts_with_all = ["by", "listing"])]
    pub callers: Option<String>,
    /// Print annotated source or bytecode of the most expensive methods. Counts are of blocks' entries, or of lines if those were recorded.
    #[arg(long)]
    pub listing: bool,
    /// Root of the subject's source files; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sources: Vec<PathBuf>,
    /// Most lines that are printed: 20 unless said, 60 of the tree.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub columns: TableColumns,
}

/// How an answer is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Layout {
    /// For a terminal.
    Text,
    /// For a summary of continuous integration, or a comment.
    Markdown,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The dataset of the build before the change.
    #[arg(value_name = "BEFORE", value_hint = ValueHint::DirPath)]
    pub before: PathBuf,
    /// The dataset of the build after it, recorded over the same inputs.
    #[arg(value_name = "AFTER", value_hint = ValueHint::DirPath)]
    pub after: PathBuf,
    /// How to lay the answer out.
    #[arg(long, value_enum, default_value_t = Layout::Text)]
    pub format: Layout,
    /// Most methods that are printed.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Write the answer as a page, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Write the sampled stacks of both builds, too, for a differential flame graph (`flamegraph.pl`): a stack, its time before and after, µs. With `-` they are
    /// written to standard output, instead of the answer.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub stacks: Option<PathBuf>,
    /// Write what both builds execute for another viewer, too.
    #[arg(long, value_enum, value_name = "VIEWER", requires = "output")]
    pub export: Option<DiffViewer>,
    /// The file to write with --export; with `-` standard output, instead of the answer.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "export")]
    pub output: Option<PathBuf>,
    /// What the file of --export weighs.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = DiffWeight::Count, requires = "export")]
    pub weight: DiffWeight,
}

/// A viewer of two builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffViewer {
    /// speedscope: before, after, what is more and what is less, as four profiles.
    Speedscope,
    /// pprof: before, after and change, as three values.
    Pprof,
    /// A line for each stack with both weights, as `difffolded.pl` writes.
    Collapsed,
}

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffWeight {
    /// Executed instructions, exactly: by class, method and line.
    Count,
    /// Sampled processor time, µs: by call path. Both datasets need sampled inputs.
    Time,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("about").required(true).multiple(true).args(["model", "patterns"]))]
pub struct ReportArgs {
    /// The model; with --patterns, one whose prices say what calls cost (the dataset's own by default).
    #[arg(value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub model: Option<PathBuf>,
    /// Draw the calls that `record --features calls` wrote down instead, over time: a dataset, a file of events, a folder of such, or the
    /// two files static.txt and dynamic.txt.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with_all = ["dataset", "figures", "sources"])]
    pub patterns: Option<PathBuf>,
    /// The single calls that the page holds, such as 2M..3M, by their numbers in the recording; by default as many from the first one on as there is
    /// room for. Density is shown of all.
    #[arg(long, value_name = "A..B", value_parser = super::patterns::part, requires = "patterns")]
    pub window: Option<Range<u64>>,
    /// The run to draw, by its input or its number from 1; the first one by default.
    #[arg(long, value_name = "RUN", requires = "patterns")]
    pub run: Option<String>,
    /// The dataset or table it was learnt from; the directory of the model by default.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::AnyPath)]
    pub dataset: Option<PathBuf>,
    /// The page to write.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Directory for the figures, as SVG files of their own.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub figures: Option<PathBuf>,
    /// Root of the subject's source files; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub columns: TableColumns,
}
