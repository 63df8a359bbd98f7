//! What is learnt, and how.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use pricetag_cost_model::Formula;
use pricetag_study::{Filter, Lambda, Level, Method, Parsimony, Prefer, Signs, Tuning, Weighting};

use super::tables::TableColumns;
use super::values::{
    assignment, duration, filter, formula, fraction, lambda, level, method, parsimony, prefer,
    range, signs,
};

/// What to learn and how.
#[derive(Clone, Debug, Args)]
pub struct FitChoices {
    /// The cost to explain: wall, cpu, alloc, or a column of the dataset.
    ///
    /// By default the only cost there is; or CPU time, where it follows wall time and scatters less; or wall time.
    #[arg(long, value_name = "COST", help_heading = "Learning")]
    pub target: Option<String>,
    /// How: auto, sampled, hier, nnls, wls, ols, l1, huber, normalised, step, solve, lasso, scaling, poly, greedy, mars, log-poly, log-mars, nls, gp.
    #[arg(long, default_value = "auto", value_parser = method, help_heading = "Learning")]
    pub method: Method,
    /// Share of the observations to learn from; the others judge.
    #[arg(long, default_value = "50%", value_parser = fraction, value_name = "PERCENT", help_heading = "Learning")]
    pub train: f64,
    /// Which features explain the cost: auto, block, method, context, opcode, line, loop, branch, transition, stride, exception, value, features, foreign, input; several with commas.
    #[arg(long, default_value = "auto", value_delimiter = ',', value_parser = level, help_heading = "Learning")]
    pub level: Vec<Level>,
    /// File with the features to learn from, one a line, as `inspect --list blocks` prints them; of their kinds all others are left out.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Learning")]
    pub only: Option<PathBuf>,
    /// Fit a constant as well.
    #[arg(long, help_heading = "Learning")]
    pub intercept: bool,
    /// Times as they would be on a machine of even pace, judged by the repeats, or as measured.
    #[arg(long, value_enum, default_value_t = PaceArg::Even, help_heading = "Learning")]
    pub pace: PaceArg,
    /// Nominal coverage of prediction intervals.
    #[arg(long, default_value = "95%", value_parser = fraction, value_name = "PERCENT", help_heading = "Learning")]
    pub confidence: f64,
    /// After judging, learn the final prices from all observations.
    #[arg(long, help_heading = "Learning")]
    pub refit: bool,
    /// Weights of squared errors: relative to the cost, to its root, or equal; relative by default, equal for ols.
    #[arg(long, value_enum, value_name = "WEIGHTS", help_heading = "Learning")]
    pub weights: Option<WeightsArg>,
    /// Find out how the error depends on the training set's size and on the lasso's λ; takes some thirty fits more.
    #[arg(long, help_heading = "Learning")]
    pub sensitivity: bool,
    /// lasso, poly, greedy: `cheap` prefers features that are final early in a run, as `record --availability` found out.
    #[arg(long, value_parser = prefer, value_name = "WHAT", help_heading = "Learning")]
    pub prefer: Option<Prefer>,
    #[command(flatten)]
    pub tuning: TuningArgs,
}

/// What is done about stretches in which the machine was slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaceArg {
    /// Repeats are evened out against each other.
    Even,
    /// Times stay as measured.
    Raw,
}

/// Weights of squared errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightsArg {
    /// Errors count relative to the cost.
    Relative,
    /// Errors count relative to the cost's root: between the two others.
    Root,
    /// All observations alike.
    Equal,
}

impl From<WeightsArg> for Weighting {
    fn from(weights: WeightsArg) -> Self {
        match weights {
            WeightsArg::Relative => Self::Relative,
            WeightsArg::Root => Self::Root,
            WeightsArg::Equal => Self::Equal,
        }
    }
}

/// What single methods can be told.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Methods")]
pub struct TuningArgs {
    /// lasso, poly: `min` for the best λ in cross-validation, `1se` for a sparser model within one standard error, or a value.
    #[arg(long, default_value = "min", value_parser = lambda, value_name = "RULE")]
    pub lambda: Lambda,
    /// l1, lasso: `positive` holds coefficients and the constant at zero or above, `free` does not.
    #[arg(long, default_value = "positive", value_parser = signs, value_name = "SIGNS")]
    pub signs: Signs,
    /// lasso, poly: folds of the cross-validation that finds λ; 10 by default.
    #[arg(long, value_name = "N")]
    pub folds: Option<usize>,
    /// poly: `least` for the formula that predicts best in cross-validation, `1se` for the fewest terms within one standard error of it.
    #[arg(long, default_value = "least", value_parser = parsimony, value_name = "RULE")]
    pub parsimony: Parsimony,
    /// poly: most terms of the formula; without --level, of the features of the program, not of its blocks.
    #[arg(long, value_name = "N")]
    pub terms: Option<usize>,
    /// poly, greedy, mars: largest degree of a term; 2 by default.
    #[arg(long, value_name = "N")]
    pub degree: Option<u32>,
    /// poly, greedy: most different features in one term; 2 by default.
    #[arg(long, value_name = "N")]
    pub interactions: Option<usize>,
    /// mars: price of a knot; 2 by default, 3 with interactions.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub penalty: Option<f64>,
    /// mars: try steps as well as hinges.
    #[arg(long)]
    pub steps: bool,
    /// nls: the formula; names that are no features are parameters, as in `k1*n*log(n) + k2`.
    #[arg(long, value_parser = formula, value_name = "FORMULA")]
    pub formula: Option<Formula>,
    /// nls: first values of parameters, as in `k1=1,k2=0`.
    #[arg(long, value_delimiter = ',', value_parser = assignment, value_name = "NAME=VALUE")]
    pub start: Vec<(String, f64)>,
    /// nls: bounds of parameters, as in `k1=0..10,k2=0..`.
    #[arg(long, value_delimiter = ',', value_parser = range, value_name = "NAME=LOW..HIGH")]
    pub bounds: Vec<(String, (f64, f64))>,
    /// nls: further searches from random first values.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub multistart: u32,
    /// gp: constants to offer, such as limits found in the code: `200000,500`.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NUMBERS",
        allow_negative_numbers = true
    )]
    pub constants: Vec<f64>,
    /// gp: generations at most.
    #[arg(long, value_name = "N")]
    pub generations: Option<u32>,
    /// gp: rank by error and the paper's limits of size instead of keeping a front of error and complexity.
    #[arg(long)]
    pub paper_fitness: bool,
    /// gp: end each search after this time; the result then depends on the machine.
    #[arg(long, value_parser = duration, value_name = "TIME")]
    pub time: Option<Duration>,
    /// gp: file to store the search in, and to continue it from.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub checkpoint: Option<PathBuf>,
    /// solve: pick runs by the paper's rule of correlation instead of by pivoting.
    #[arg(long)]
    pub paper_runs: bool,
    /// Leave out features that others tell: `correlation` or `correlation=0.3`, `vif` or `vif=10`.
    #[arg(long, value_parser = filter, value_name = "FILTER")]
    pub filter: Option<Filter>,
}

impl From<&TuningArgs> for Tuning {
    fn from(args: &TuningArgs) -> Self {
        Self {
            lambda: args.lambda,
            signs: args.signs,
            folds: args.folds,
            parsimony: args.parsimony,
            terms: args.terms,
            degree: args.degree,
            interactions: args.interactions,
            penalty: args.penalty,
            steps: args.steps,
            formula: args.formula.clone(),
            start: args.start.iter().cloned().collect(),
            bounds: args.bounds.iter().cloned().collect(),
            multistart: args.multistart,
            constants: args.constants.clone(),
            generations: args.generations,
            paper_fitness: args.paper_fitness,
            paper_runs: args.paper_runs,
            filter: args.filter,
        }
    }
}

#[derive(Debug, Args)]
#[command(mut_args(super::brief))]
pub struct FitArgs {
    /// The dataset; a table (CSV, ARFF, either as gzip, or Parquet) with --target serves as well.
    #[arg(value_name = "DATASET", value_hint = ValueHint::AnyPath)]
    pub dataset: PathBuf,
    /// The model to write; by default `model.json` in the dataset, or beside you for a table.
    #[arg(short, long, value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub choices: FitChoices,
    #[command(flatten)]
    pub columns: TableColumns,
    /// Read the rows of a Parquet file block by block, without holding them: for ols and wls; nothing is held out.
    #[arg(long)]
    pub stream: bool,
    /// Most prices that are printed.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
}
