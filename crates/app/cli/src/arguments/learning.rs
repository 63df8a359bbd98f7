//! What is learnt, and how.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use pricetag_study::{Level, Method};

use super::tables::TableColumns;
use super::values::{fraction, level, method};

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
    /// The dataset; a CSV or Parquet file with --target serves as well.
    #[arg(value_name = "DATASET", value_hint = ValueHint::AnyPath)]
    pub dataset: PathBuf,
    /// The model to write.
    #[arg(short, long, value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub choices: FitChoices,
    #[command(flatten)]
    pub columns: TableColumns,
    /// Most prices that are printed.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
}
