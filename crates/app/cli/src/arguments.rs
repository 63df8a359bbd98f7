//! Every flag and argument, with its help: the one definition behind parsing, man pages and completions.
//!
//! Doc comments here are what the user reads in `--help`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use pricetag_dataset::FeatureKind;
use pricetag_finding::Grouping;
use pricetag_runner::Determinism;
use pricetag_study::{Level, Method};
use pricetag_trace::{MethodScope, Pattern, Scope};

/// Learns what a program's running time is made of, and predicts it for inputs it has not seen.
#[derive(Debug, Parser)]
#[command(
    name = "pricetag",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = AFTER_HELP)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a gate or bound was exceeded.
Every option can also be given as PRICETAG_OPTION in the environment or in pricetag.toml in the working directory;
a flag wins over the environment, the environment over the file.

Example: pricetag mine --inputs 'corpus/*' -- java -jar app.jar {}";

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Print the result as JSON with a `schema` field.
    #[arg(long, global = true, help_heading = "Common options")]
    pub json: bool,
    /// Print no prose and no progress.
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Common options"
    )]
    pub quiet: bool,
    /// Print more: every run, every failed observation.
    #[arg(long, short, global = true, help_heading = "Common options")]
    pub verbose: bool,
    /// Use colours; `NO_COLOR` is honoured.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", help_heading = "Common options")]
    pub color: Color,
    /// Seed of every random choice: same seed, same bytes.
    #[arg(
        long,
        global = true,
        default_value_t = 1,
        value_name = "N",
        help_heading = "Common options"
    )]
    pub seed: u64,
    /// Counting runs at the same time. Timing runs are always alone. More than one only if runs do not share files.
    #[arg(
        long,
        global = true,
        default_value_t = 1,
        value_name = "N",
        help_heading = "Common options"
    )]
    pub jobs: usize,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The main job: record, inspect, fit, test on held-out inputs, explain, write a report.
    Mine(MineArgs),
    /// Run a subject over a workload and write a dataset.
    Record(RecordArgs),
    /// Show what is in a dataset and what can be learnt from it.
    Inspect(InspectArgs),
    /// Write a dataset for other tools.
    Export(ExportArgs),
    /// Make a dataset of a table that another tool wrote.
    Import(ImportArgs),
    /// Learn a cost model from a dataset.
    Fit(FitArgs),
    /// Predict the cost of inputs, with an interval and a warning when they are unlike those learnt from.
    Predict(PredictArgs),
    /// Show where the cost goes.
    Explain(ExplainArgs),
    /// Write one self-contained HTML page about a model.
    Report(ReportArgs),
    /// Time every block by itself, an inaccurate baseline for cost models: its mean with its spread.
    ///
    /// After Lata 2016, section 2.1.1: a clock is read where a block begins and where it ends, calls in the block included. The readings
    /// slow the program down and change how it is compiled, a first execution costs many times a later one, and short blocks
    /// are mostly clock; so this is a baseline to hold against a cost model, not a way to price blocks. `record` and `fit` are. In a
    /// constructor the clock starts when the superclass's constructor has returned; a block that runs when the JVM exits is left out.
    TimeBlocks(TimeBlocksArgs),
    /// Check what recording needs: a JVM, the agent, a good timer, a quiet machine.
    Doctor(DoctorArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a directory.
    Man {
        /// Where to write `pricetag.1`, `pricetag-record.1`, ….
        #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct MineArgs {
    /// Directory of the dataset; the model becomes `model.json` in it.
    #[arg(short, long, default_value = "pricetag-data", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// The report.
    #[arg(long, default_value = "report.html", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: PathBuf,
    /// Root of the subject's source files, for annotated source; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub fit: FitChoices,
    #[command(flatten)]
    pub subject: SubjectArgs,
}

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Directory of the dataset.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub subject: SubjectArgs,
}

/// A subject, its workload and how to watch it.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub struct SubjectArgs {
    /// One observation per file that matches; `{}` in the command stands for the file.
    #[arg(
        long,
        value_name = "GLOB",
        conflicts_with = "workload",
        help_heading = "Workload"
    )]
    pub inputs: Option<String>,
    /// One observation per row of a CSV file; `{column}` in the command stands for the row's value.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Workload")]
    pub workload: Option<PathBuf>,
    /// File fed on standard input, such as `{}`.
    #[arg(long, value_name = "FILE", help_heading = "Workload")]
    pub stdin: Option<String>,
    /// Environment variable for the subject; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = key_value, help_heading = "Workload")]
    pub env: Vec<(String, String)>,
    /// Working directory of the subject.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Workload")]
    pub cwd: Option<PathBuf>,
    /// Time limit of one run: `30`, `500ms`, `10m`.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Workload")]
    pub timeout: Option<Duration>,
    /// What to count: opcodes, blocks, methods, loops, branches, exceptions; all of them by default.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = feature_kinds, help_heading = "Counting")]
    pub features: Vec<FeatureGroup>,
    /// What one observation is: `main`, or `package.Class#method` for each of its invocations in a warm JVM.
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "main",
        help_heading = "Counting"
    )]
    pub scope: Scope,
    /// Classes to count, such as `org.example.**`; may be repeated. The subject's own classes by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Counting")]
    pub include: Vec<Pattern>,
    /// Classes not to count; may be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Counting")]
    pub exclude: Vec<Pattern>,
    /// Count the JDK's own classes too, as far as --include matches them.
    #[arg(long, help_heading = "Counting")]
    pub count_jdk: bool,
    /// Inputs to count twice, to find counts that do not repeat: sample, all, none or a number.
    #[arg(
        long,
        value_name = "N",
        default_value = "sample",
        help_heading = "Counting"
    )]
    pub check_determinism: Determinism,
    /// Timing runs per input.
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Timing")]
    pub repeat: u32,
    /// Where times come from: separate runs, or the counting run (which then states its overhead).
    #[arg(long, value_enum, default_value_t = TimingArg::Separate, help_heading = "Timing")]
    pub timing: TimingArg,
    /// Slow-down by counting above which to warn.
    #[arg(long, value_name = "PERCENT", value_parser = fraction, help_heading = "Timing")]
    pub overhead: Option<f64>,
    /// First invocations of a scope to leave out of fits; detected by default.
    #[arg(long, value_name = "N", help_heading = "Timing")]
    pub warmup: Option<u32>,
    /// The JVM's just-in-time compiler.
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = "Timing")]
    pub jit: Switch,
    /// The JVM's garbage collector.
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = "Timing")]
    pub gc: Switch,
    /// Continue an interrupted recording.
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    pub resume: bool,
    /// Replace a dataset that is already there.
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Pass the subject's output on to standard error.
    #[arg(long, help_heading = "Output")]
    pub show_output: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub agent: Option<PathBuf>,
    /// The subject's command, such as `java -jar app.jar {}`.
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct TimeBlocksArgs {
    /// Method to time, as `package.Class#method`; may be repeated. All methods of the included classes by default.
    #[arg(long, value_name = "METHOD")]
    pub method: Vec<MethodScope>,
    /// Classes to time, such as `org.example.**`; may be repeated. The subject's own classes by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub include: Vec<Pattern>,
    /// Classes not to time; may be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub exclude: Vec<Pattern>,
    /// Runs, each in a fresh JVM.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub repeat: u32,
    /// File fed on standard input.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<String>,
    /// Environment variable for the subject; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = key_value)]
    pub env: Vec<(String, String)>,
    /// Working directory of the subject.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,
    /// Time limit of one run: `30`, `500ms`, `10m`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// The JVM's just-in-time compiler.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub jit: Switch,
    /// The JVM's garbage collector.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub gc: Switch,
    /// Pass the subject's output on to standard error.
    #[arg(long)]
    pub show_output: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
    /// The subject's command, such as `java -jar app.jar input.txt`.
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

/// Where times come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// From runs without counters.
    Separate,
    /// From the counting runs.
    Same,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// A name in `--features`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureGroup(pub Vec<FeatureKind>);

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The dataset.
    #[arg(value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: PathBuf,
    /// The cost to look at; wall time by default, or the only cost there is.
    #[arg(long, value_name = "COST")]
    pub target: Option<String>,
    /// Which features to look at.
    #[arg(long, default_value = "auto", value_parser = level)]
    pub level: Level,
    /// Longest list that is printed.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
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
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The dataset.
    #[arg(value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: PathBuf,
    /// The format.
    #[arg(long, value_enum)]
    pub format: Format,
    /// The file to write.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The cost in `ExecTime`, for lata-csv; wall time by default, or the only cost there is.
    #[arg(long, value_name = "COST")]
    pub target: Option<String>,
    /// The features that become columns, for lata-csv.
    #[arg(long, default_value = "blocks", value_parser = feature_kinds, value_name = "FEATURES")]
    pub features: FeatureGroup,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A CSV or Parquet file, one row per observation.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub table: PathBuf,
    /// The column to be explained.
    #[arg(long, value_name = "COLUMN")]
    pub target: String,
    /// Directory of the dataset.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Unit of the target: ns, byte, or any other name.
    #[arg(long)]
    pub unit: Option<String>,
    /// Further columns that are costs, not features.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub costs: Vec<String>,
    /// Columns known before the run; they make the baseline.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub input_columns: Vec<String>,
    /// Columns to leave out.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Column whose equal values keep rows together when rows are held out.
    #[arg(long, value_name = "COLUMN")]
    pub group: Option<String>,
    /// Column that names the rows.
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Field separator of a CSV file; found from the header by default.
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub delimiter: Option<u8>,
    /// Replace a dataset that is already there.
    #[arg(long)]
    pub force: bool,
}

/// What to learn and how.
#[derive(Clone, Debug, Args)]
pub struct FitChoices {
    /// The cost to explain: wall, cpu, alloc, or a column of the dataset; wall by default, or the only cost there is.
    #[arg(long, value_name = "COST", help_heading = "Learning")]
    pub target: Option<String>,
    /// How: auto, hier, nnls, wls, ols.
    #[arg(long, default_value = "auto", value_parser = method, help_heading = "Learning")]
    pub method: Method,
    /// Share of the observations to learn from; the others judge.
    #[arg(long, default_value = "50%", value_parser = fraction, value_name = "PERCENT", help_heading = "Learning")]
    pub train: f64,
    /// Which features explain the cost: auto, block, method, opcode, loop, branch, foreign, input.
    #[arg(long, default_value = "auto", value_parser = level, help_heading = "Learning")]
    pub level: Level,
    /// Fit a constant as well.
    #[arg(long, help_heading = "Learning")]
    pub intercept: bool,
    /// Nominal coverage of prediction intervals.
    #[arg(long, default_value = "95%", value_parser = fraction, value_name = "PERCENT", help_heading = "Learning")]
    pub confidence: f64,
    /// After judging, learn the final prices from all observations.
    #[arg(long, help_heading = "Learning")]
    pub refit: bool,
}

#[derive(Debug, Args)]
pub struct FitArgs {
    /// The dataset.
    #[arg(value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: PathBuf,
    /// The model to write.
    #[arg(short, long, value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub choices: FitChoices,
    /// Most prices that are printed.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["dataset", "features_file", "command"]))]
pub struct PredictArgs {
    /// The model.
    #[arg(value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,
    /// Predict the observations of a dataset.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dataset: Option<PathBuf>,
    /// Predict the rows of a CSV file with a column per feature.
    #[arg(long = "features", id = "features_file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub features: Option<PathBuf>,
    /// One prediction per file that matches; `{}` in the command stands for the file.
    #[arg(long, value_name = "GLOB", requires = "command")]
    pub inputs: Option<String>,
    /// One prediction per row of a CSV file; `{column}` in the command stands for the row's value.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "command", conflicts_with = "inputs")]
    pub workload: Option<PathBuf>,
    /// File fed on standard input, such as `{}`.
    #[arg(long, value_name = "FILE", requires = "command")]
    pub stdin: Option<String>,
    /// Time limit of one run.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Classes to count, as when recording.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub include: Vec<Pattern>,
    /// Classes not to count.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub exclude: Vec<Pattern>,
    /// Count the JDK's own classes too, as when recording.
    #[arg(long)]
    pub count_jdk: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
    /// Count this run of the subject and predict its cost.
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
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
    /// The dataset it explains; the directory of the model by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dataset: Option<PathBuf>,
    /// What to group costs by.
    #[arg(long, value_enum, default_value_t = By::Method)]
    pub by: By,
    /// Print annotated source or bytecode of the most expensive methods.
    #[arg(long)]
    pub listing: bool,
    /// Root of the subject's source files; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sources: Vec<PathBuf>,
    /// Most items that are printed.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The model.
    #[arg(value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,
    /// The dataset it was learnt from; the directory of the model by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dataset: Option<PathBuf>,
    /// The page to write.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Root of the subject's source files; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sources: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The java to check.
    #[arg(long, default_value = "java", value_name = "PROGRAM")]
    pub java: String,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if key.is_empty() {
        Err("the name is empty".to_owned())
    } else {
        Ok((key.to_owned(), value.to_owned()))
    }
}

/// `30`, `1.5s`, `500ms`, `10m`, `2h`; seconds without unit.
fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let scale = match text[split..].trim() {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("`{unit}` is none of ms, s, m, h")),
    };
    let value: f64 = text[..split]
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` is no time"))?;
    Duration::try_from_secs_f64(value * scale)
        .ok()
        .filter(|d| !d.is_zero())
        .ok_or_else(|| "must be longer than nothing".to_owned())
}

/// `10%`, `10 %` or `0.1`; within 0 … 1.
fn fraction(text: &str) -> Result<f64, String> {
    let (number, scale) = text
        .trim()
        .strip_suffix('%')
        .map_or((text.trim(), 1.0), |n| (n.trim(), 100.0));
    let value: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is neither a percentage nor a fraction"))?;
    let value = value / scale;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err("must lie between 0 and 1, or 0 % and 100 %".to_owned())
    }
}

fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|e| e.to_string())
}

fn level(text: &str) -> Result<Level, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

fn method(text: &str) -> Result<Method, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [one] => Ok(*one),
        b"\\t" | b"tab" => Ok(b'\t'),
        _ => Err("expected one character, or `tab`".to_owned()),
    }
}

fn feature_kinds(text: &str) -> Result<FeatureGroup, String> {
    let kinds = match text.trim() {
        "opcodes" => vec![FeatureKind::Opcode, FeatureKind::Call],
        "blocks" => vec![FeatureKind::Block],
        "methods" => vec![FeatureKind::Method],
        "loops" => vec![FeatureKind::Loop],
        "branches" => vec![FeatureKind::Branch],
        "exceptions" => vec![FeatureKind::Exception],
        "values" | "calls" => return Err(format!("`{text}` cannot be recorded by this version")),
        _ => {
            return Err(format!(
                "`{text}` is none of opcodes, blocks, methods, loops, branches, exceptions"
            ));
        }
    };
    Ok(FeatureGroup(kinds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_and_percentages_are_read() {
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5 m"), Ok(Duration::from_secs(90)));
        assert!(
            duration("0").is_err()
                && duration("-1").is_err()
                && duration("3 days").is_err()
                && duration("nan").is_err()
        );
        assert_eq!(
            (fraction("10%"), fraction("10 %"), fraction("0.1")),
            (Ok(0.1), Ok(0.1), Ok(0.1))
        );
        assert!(fraction("110%").is_err() && fraction("x").is_err() && fraction("nan").is_err());
    }

    #[test]
    fn the_command_stands_behind_two_dashes() {
        let cli = Cli::try_parse_from([
            "pricetag", "mine", "--inputs", "*", "--", "java", "-jar", "a.jar", "{}",
        ])
        .unwrap();
        let Command::Mine(mine) = cli.command else {
            panic!("not mine")
        };
        assert_eq!(mine.subject.command, ["java", "-jar", "a.jar", "{}"]);
        assert!(Cli::try_parse_from(["pricetag", "record", "-o", "x"]).is_err());
        assert!(Cli::try_parse_from(["pricetag", "predict", "m.json"]).is_err());
    }
}
