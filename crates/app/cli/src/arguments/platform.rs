//! Arguments of `pricetag platform …`, and what `predict` needs to move its answers.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use pricetag_transfer::Route;

use super::values::word;

/// What to do with price lists of platforms.
#[derive(Debug, Subcommand)]
pub enum PlatformCommand {
    /// Measure what this machine, JVM and options charge: some hundred small programs, in a quarter of an hour, or in minutes with --fast.
    Measure(PlatformMeasureArgs),
    /// Show where two platforms differ, and what that means for a program.
    Diff(PlatformDiffArgs),
    /// Make a price list of a table that somebody else measured.
    Import(PlatformImportArgs),
    /// Sum counts times prices for each observation of a dataset, and hold the sums against what was measured.
    Apply(PlatformApplyArgs),
}

#[derive(Debug, Args)]
pub struct PlatformMeasureArgs {
    /// The list to write.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Take some minutes instead of a quarter of an hour: fewer JVMs, shorter samples.
    #[arg(long)]
    pub fast: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
    /// The JVM and its options, such as `java -Xint -XX:+UseSerialGC`: those that the program is to run with.
    #[arg(last = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct PlatformDiffArgs {
    /// The list of one platform.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub first: PathBuf,
    /// The list of another.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub second: PathBuf,
    /// A recorded program: how it would move from the first platform to the second.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PlatformImportArgs {
    /// A CSV file with a row for each feature that has a price.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The column with the prices, in ns.
    #[arg(long, value_name = "COLUMN")]
    pub price: String,
    /// The column with the names of the features.
    #[arg(long, value_name = "COLUMN")]
    pub names: String,
    /// The list to write.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// What is known of the platform: `cpu=Pentium M`, `flags=-Xint`, `arch=x86`, `jvm_version=1.6`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::values::variable())]
    pub fact: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub struct PlatformApplyArgs {
    /// The price list.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub list: PathBuf,
    /// Counted observations.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: PathBuf,
    /// The measured cost, in ns; none by default.
    #[arg(long, value_name = "COST")]
    pub cost: Option<String>,
}

/// A way to move predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteArg {
    /// Chosen by how far the lists differ.
    Auto,
    /// The median ratio of all benchmarks.
    Ratio,
    /// The ratio of the benchmarks nearest to the program.
    Mixture,
    /// Prices of opcodes there, with the mixture.
    Sum,
    /// Prices there over the factor R that is learnt here, as Krogmann et al. (2010) have it.
    Paper,
}

impl RouteArg {
    pub fn route(self) -> Option<Route> {
        match self {
            Self::Auto => None,
            Self::Ratio => Some(Route::Ratio),
            Self::Mixture => Some(Route::Mixture),
            Self::Sum => Some(Route::Sum),
            Self::Paper => Some(Route::Paper),
        }
    }
}

/// How predictions are moved to another platform.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Predict for the platform of this price list, where the program need not have run.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath, help_heading = "Another platform")]
    pub platform: Option<PathBuf>,
    /// The price list of the platform that the model was learnt on; `platform.json` beside the model by default, else the list beside the other one that fits.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath, requires = "platform", help_heading = "Another platform")]
    pub here: Option<PathBuf>,
    /// The way to move predictions.
    #[arg(long, value_enum, default_value_t = RouteArg::Auto, value_name = "ROUTE", requires = "platform", help_heading = "Another platform")]
    pub route: RouteArg,
    /// A few runs on the other platform, recorded there, which correct the moved predictions.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath, requires = "platform", help_heading = "Another platform")]
    pub calibrate: Option<PathBuf>,
}
