//! Arguments of `pricetag ocaml …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::values::bytes;

/// What to do with an OCaml program.
#[derive(Debug, Subcommand)]
pub enum OcamlCommand {
    /// Learn on this machine what the constructs of OCaml cost in time and memory: a price list.
    Learn(OcamlLearnArgs),
    /// Predict time, bytes and collections of each top-level call of a program, without running it natively.
    Predict(OcamlPredictArgs),
    /// Bound the time and bytes of each function of a program by a polynomial in the sizes of its arguments.
    Bound(super::bounds::OcamlBoundArgs),
    /// Tell by bounds which of two functions is faster, and for which sizes.
    Compare(super::bounds::OcamlCompareArgs),
    /// Hold a price list against control programs that it was not learnt from.
    Evaluate(OcamlEvaluateArgs),
    /// Count how often each construct of a program runs, for each top-level definition and expression.
    Count(OcamlCountArgs),
}

/// How programs are measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub struct NativeArgs {
    /// Take measurements from this dataset instead of making them: no OCaml is needed.
    #[arg(long, value_name = "DATASET", conflicts_with_all = ["keep", "fast", "paper", "resume"], value_hint = ValueHint::DirPath)]
    pub from: Option<PathBuf>,
    /// Keep the raw measurements in this dataset, saved after every round.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub keep: Option<PathBuf>,
    /// Go on with the measurements kept there.
    #[arg(long, requires = "keep")]
    pub resume: bool,
    /// Few sizes and rounds: about a minute instead of several.
    #[arg(long, conflicts_with = "paper")]
    pub fast: bool,
    /// 500 runs of everything, judged by their median, as in the paper.
    #[arg(long)]
    pub paper: bool,
    /// The native compiler.
    #[arg(long, default_value = "ocamlopt", value_name = "PROGRAM")]
    pub ocamlopt: String,
}

/// Charging rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Those of Das and Hoffmann (2017).
    Paper,
    /// Those nearer to what the compiler does.
    Extended,
}

#[derive(Debug, Args)]
pub struct OcamlLearnArgs {
    /// The price list.
    #[arg(short, long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Write the tables that are learnt from, counts of constructs beside costs, into this folder: one dataset for each mode.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub tables: Option<PathBuf>,
    #[command(flatten)]
    pub native: NativeArgs,
}

#[derive(Debug, Args)]
pub struct OcamlPredictArgs {
    /// The price list.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub list: PathBuf,
    /// The program.
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    #[command(flatten)]
    pub calls: CallArgs,
    /// Show which constructs carry the cost of each call.
    #[arg(long)]
    pub explain: bool,
    /// Charging rules.
    #[arg(long, value_enum, default_value_t = ModeArg::Extended)]
    pub mode: ModeArg,
    /// Estimator whose prices are used: lr, wlr, l1, nnls, normalised or, in extended mode, overlap; by default the one the list was chosen with.
    #[arg(long, value_name = "NAME")]
    pub estimator: Option<String>,
    /// Constructs that may run before the program is taken to diverge.
    #[arg(long, default_value_t = 10_000_000_000, value_name = "N")]
    pub fuel: u64,
    /// Bytes of heap and stack it may use.
    #[arg(long, default_value = "2G", value_parser = bytes, value_name = "SIZE")]
    pub memory: u64,
    /// The native compiler that the program is for: a list learnt with another version is warned of.
    #[arg(long, default_value = "ocamlopt", value_name = "PROGRAM")]
    pub ocamlopt: String,
}

#[derive(Debug, Args)]
pub struct OcamlEvaluateArgs {
    /// The price list.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub list: PathBuf,
    /// Folder of control programs to use instead of those that come with Pricetag.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub controls: Option<PathBuf>,
    /// Write the tables that are held against it, counts of constructs beside costs, into this folder: one dataset for each mode.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub tables: Option<PathBuf>,
    /// Write a picture of every program, predicted and measured over size, into this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub plots: Option<PathBuf>,
    #[command(flatten)]
    pub native: NativeArgs,
}

#[derive(Debug, Args)]
pub struct OcamlCountArgs {
    /// The program.
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    #[command(flatten)]
    pub calls: CallArgs,
    /// Constructs that may run before the program is taken to diverge.
    #[arg(long, default_value_t = 10_000_000_000, value_name = "N")]
    pub fuel: u64,
    /// Bytes of heap and stack it may use.
    #[arg(long, default_value = "2G", value_parser = bytes, value_name = "SIZE")]
    pub memory: u64,
    /// What is counted.
    #[arg(long, value_enum, default_value_t = ModeArg::Paper)]
    pub mode: ModeArg,
    /// Bytes of the minor heap whose collections are simulated.
    #[arg(long, default_value_t = 2_097_152, value_name = "BYTES")]
    pub minor_heap: u64,
    /// Print values too, as OCaml's toplevel does.
    #[arg(long)]
    pub values: bool,
}

/// What a program that defines functions alone is to compute.
#[derive(Debug, Args)]
pub struct CallArgs {
    /// An expression that is added to the program's end, as 'sort [5; 3; 1]'. May be given several times.
    #[arg(long = "call", value_name = "EXPRESSION")]
    pub call: Vec<String>,
    /// Numbers that `n` stands for in these expressions, one after the other.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', requires = "call")]
    pub sizes: Vec<u64>,
}
