//! Flags of `pricetag evaluator`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueHint};
use pricetag_study::Method;

use super::learning::PaceArg;
use super::values::{duration, fraction, method, word};

#[derive(Debug, Subcommand)]
pub enum EvaluatorCommand {
    /// Learn a formula of features that are cheap to compute, and write one jar that computes them and predicts.
    ///
    /// The jar holds the recorded program, counted at the few places that the formula needs and ended where those counts are final.
    /// It takes the program's arguments: `java -jar predictor.jar INPUT` prints one line of JSON.
    Build(EvaluatorBuildArgs),
    /// Try a predictor on inputs that it was not made from: its values against the unmodified program, its cost against the program's.
    ///
    /// Exit code 1 if an answer without a flag rests on a value that differs.
    Check(EvaluatorCheckArgs),
    /// Answer lines of standard input at once: each is an input, or a JSON array of the program's arguments; each answer is a line of JSON.
    ///
    /// JVMs are started before they are asked, so an answer takes as long as its evaluation. The end of standard input ends it.
    Serve(EvaluatorServeArgs),
}

#[derive(Debug, Args)]
pub struct EvaluatorServeArgs {
    /// The predictor.
    #[arg(value_name = "PREDICTOR", value_hint = ValueHint::FilePath)]
    pub predictor: PathBuf,
    /// JVMs that wait; each answer takes one, and another is started.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub waiting: u32,
}

#[derive(Debug, Args)]
pub struct EvaluatorBuildArgs {
    /// The dataset of the recorded program, with inputs and times.
    #[arg(value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: PathBuf,
    /// The predictor to write.
    #[arg(short, long, default_value = "predictor.jar", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The share of a run that an evaluation may take.
    #[arg(long, default_value = "5%", value_parser = fraction, value_name = "PERCENT")]
    pub budget: f64,
    /// The cost to predict; by default that of `fit`.
    #[arg(long, value_name = "COST")]
    pub target: Option<String>,
    /// How to learn; see `fit`.
    #[arg(long, default_value = "poly", value_parser = method)]
    pub method: Method,
    /// Share of the observations to learn from; the others judge.
    #[arg(long, default_value = "50%", value_parser = fraction, value_name = "PERCENT")]
    pub train: f64,
    /// Times as they would be on a machine of even pace, judged by the repeats, or as measured.
    #[arg(long, value_enum, default_value_t = PaceArg::Even)]
    pub pace: PaceArg,
    /// Recorded inputs that are run to find out when features are final.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub survey: u32,
    /// How long an evaluation may take; by default ten times the longest run of the survey, and two seconds.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Replace a predictor that is there.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["inputs", "workload"]))]
pub struct EvaluatorCheckArgs {
    /// The predictor.
    #[arg(value_name = "PREDICTOR", value_hint = ValueHint::FilePath)]
    pub predictor: PathBuf,
    /// One trial per file that matches.
    #[arg(long, value_name = "GLOB", value_parser = word())]
    pub inputs: Option<String>,
    /// One trial per row of a CSV file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub workload: Option<PathBuf>,
    /// Timing runs of the program per input.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub repeat: u32,
    /// Draw into this directory, as SVG: times of the program and of the predictor, the error by cost of an evaluation, answers beside measured costs.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub figures: Option<PathBuf>,
    /// Time limit of one run.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
}
