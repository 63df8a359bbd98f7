//! The fitted model as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Leverage;

/// Version of `MODEL.json`.
pub const MODEL_SCHEMA: u32 = 1;

/// A formula from features to a cost, with what is needed to trust, explain and repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostModel {
    /// [`MODEL_SCHEMA`].
    pub schema: u32,
    /// Name of the cost explained: `wall`, `cpu`, `alloc`, or a column.
    pub target: String,
    /// Its base unit: `ns`, `byte`, `1`, or as named by the table.
    pub unit: String,
    /// Name of the method that made it: `ols`, `wls`, `nnls`, `hier`, …
    pub method: String,
    /// The formula.
    pub formula: Formula,
    /// The same in one line of text (long sums are abbreviated).
    pub text: String,
    /// Prices by bucket, most expensive share first; empty for formulas that are not sums of prices.
    pub prices: Vec<Price>,
    /// Whom the cost is charged to, where samples say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charges: Option<crate::Charges>,
    /// For formulas that are not sums of prices: the terms of the sum and what they carry, largest first.
    #[serde(default)]
    pub terms: Vec<Term>,
    /// The cost in few terms, where the formula has more of them or is a list of prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concise: Option<Concise>,
    /// What became of the features that were offered.
    #[serde(default)]
    pub screening: Option<Screening>,
    /// What the formula needs to be known, where features that are final early were preferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred: Option<Preferred>,
    /// How to turn a prediction into an interval.
    pub interval: Option<Interval>,
    /// Range of every feature over the training rows; predictions outside are flagged.
    pub domain: BTreeMap<String, Domain>,
    /// Range of the cost over the training rows; none in models of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Domain>,
    /// Why the model explains nothing, or perhaps nothing, in words, where a constant predicts rows kept aside as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<String>,
    /// Error on rows that were not used for learning.
    pub evaluation: Option<Evaluation>,
    /// The same rows predicted from input features alone.
    pub baseline: Option<Evaluation>,
    /// Other methods fitted and judged on the same split, for comparison.
    pub alternatives: Vec<Evaluation>,
    /// Methods among which this one was chosen, judged by one cross-validation on the training rows, in order of
    /// preference; empty if there was no choice. Their `rows` are left out.
    #[serde(default)]
    pub standings: Vec<Evaluation>,
    /// How the error depends on what was learnt from and how, when it was asked for.
    #[serde(default)]
    pub sensitivity: Option<Sensitivity>,
    /// R-style summary for linear fits.
    pub summary: Option<LinearSummary>,
    /// What was found before and during the fit, in words, worst first.
    pub diagnostics: Vec<Diagnostic>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Expression tree over named features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formula {
    /// A constant.
    Constant(f64),
    /// A feature's value.
    Feature(String),
    /// intercept + Σ coefficient · feature.
    Linear {
        /// Added once per observation.
        intercept: f64,
        /// `(coefficient, feature)`.
        terms: Vec<(f64, String)>,
    },
    /// Sum.
    Sum(Vec<Formula>),
    /// Product.
    Product(Vec<Formula>),
    /// Quotient.
    Quotient(Box<Formula>, Box<Formula>),
    /// Power.
    Power(Box<Formula>, Box<Formula>),
    /// Natural logarithm.
    Log(Box<Formula>),
    /// Exponential.
    Exp(Box<Formula>),
    /// Smaller of two.
    Min(Box<Formula>, Box<Formula>),
    /// Larger of two.
    Max(Box<Formula>, Box<Formula>),
    /// Sine of an angle in radians.
    Sin(Box<Formula>),
    /// Inverse tangent, in radians.
    Arctan(Box<Formula>),
    /// 1 where the comparison holds, else 0; with NaN only ≠ holds.
    Compare(Comparison, Box<Formula>, Box<Formula>),
    /// One of two formulas; only the one chosen is evaluated.
    If {
        /// Holds unless it is 0 or NaN.
        condition: Box<Formula>,
        /// The value where it holds.
        then: Box<Formula>,
        /// The value elsewhere.
        otherwise: Box<Formula>,
    },
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Comparison {
    /// a < b.
    #[serde(rename = "<")]
    Less,
    /// a ≤ b.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// a > b.
    #[serde(rename = ">")]
    Greater,
    /// a ≥ b.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// a = b.
    #[serde(rename = "==")]
    Equal,
    /// a ≠ b.
    #[serde(rename = "!=")]
    NotEqual,
}

impl Comparison {
    /// Whether it holds between two numbers.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
        }
    }

    /// Its sign: `<`, `<=`, `>`, `>=`, `==` or `!=`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        }
    }
}

/// What became of the features that were offered, over the rows learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screening {
    /// Features of the chosen kinds, the base price aside.
    pub offered: u32,
    /// Of these, never counted, or the same in every row.
    pub constant: u32,
    /// Of these, in fixed proportion to another one.
    pub redundant: u32,
    /// What is left to choose from.
    pub useful: u32,
    /// Features that occur in the formula, those in fixed proportion once.
    pub selected: u32,
}

/// How early a formula can be worked out, with and without the preference for early features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preferred {
    /// The formula's features, the latest first.
    pub features: Vec<FinalAfter>,
    /// Share of a run after which all of them are final.
    pub after: f64,
    /// The same of the formula that is learnt without the preference.
    pub after_without: f64,
}

/// When a feature is final.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalAfter {
    /// Its name.
    pub feature: String,
    /// Share of a run; none if that was not looked at.
    pub share: Option<f64>,
}

/// One addend of a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The addend in text.
    pub text: String,
    /// Its share of the predicted cost over the rows learnt from; the shares of all terms add up to 1, some may be negative.
    #[serde(with = "crate::number")]
    pub share: f64,
}

/// A formula of few terms beside the model's own: what explains most of the cost, to be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Concise {
    /// Terms that it may have, a constant aside.
    pub most: u32,
    /// The formula.
    pub formula: Formula,
    /// The same in one line of text.
    pub text: String,
    /// Its terms, the largest first.
    pub terms: Vec<Term>,
    /// Its error on rows that were not used for learning; the single rows are those of the alternative of the same name.
    pub evaluation: Option<Evaluation>,
}

/// Price of one bucket: features that the observations cannot tell apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Name of the bucket: its most telling member, `+ n more`.
    pub bucket: String,
    /// Names of the features in it; each costs `price` per unit together with the others in proportion `ratios`.
    pub members: Vec<String>,
    /// Units of each member per unit of the bucket, parallel to `members`.
    pub ratios: Vec<f64>,
    /// Price per unit, ≥ 0; none when the data do not determine it.
    pub price: Option<f64>,
    /// Standard error, where the method has one.
    #[serde(with = "crate::number", default)]
    pub std_error: Option<f64>,
    /// Interval of the price (same level as [`Interval::level`]).
    #[serde(with = "crate::number", default)]
    pub bounds: Option<(f64, f64)>,
    /// What the price would be from its parts alone.
    pub prior: Option<f64>,
    /// Weight of the observations against the prior, 0 … 1.
    pub evidence: Option<f64>,
    /// Observations in which the count differs from its most frequent value.
    pub support: u32,
    /// Share of the predicted cost over the training rows, 0 … 1.
    pub share: f64,
    /// Why there is no price, or what to be careful about.
    pub note: Option<String>,
}

/// Split-conformal or cross-validated interval: prediction × (lower, upper).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Nominal coverage, such as 0.95.
    pub level: f64,
    /// Factor for the lower end.
    #[serde(with = "crate::number")]
    pub lower: f64,
    /// Factor for the upper end.
    #[serde(with = "crate::number")]
    pub upper: f64,
    /// Coverage measured on rows used for neither fit nor calibration.
    #[serde(with = "crate::number", default)]
    pub coverage: Option<f64>,
    /// Standard deviation of that coverage by the luck of which rows calibrate and which test, were the level exact.
    #[serde(with = "crate::number", default)]
    pub scatter: Option<f64>,
    /// How it was made.
    pub method: String,
    /// If the factors are those of a program whose prices are known exactly: what makes them wider for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leverage: Option<Leverage>,
}

impl Interval {
    /// Factors for the lower and the upper end, for a program in which each construct has this share of the time.
    pub fn factors(&self, share: &dyn Fn(&str) -> f64) -> (f64, f64) {
        let leverage = self.leverage.as_ref().map_or(0.0, |l| l.of(share));
        let wider = Leverage::widening(leverage);
        (self.lower.powf(wider), self.upper.powf(wider))
    }
}

/// Range of a feature over the training rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

impl Domain {
    /// The range of some values; none of none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().fold(None, |found: Option<Self>, v| {
            let found = found.unwrap_or(Self { min: v, max: v });
            Some(Self {
                min: found.min.min(v),
                max: found.max.max(v),
            })
        })
    }

    /// The least cost that is plausible where those learnt from have this range: a tenth of the least of them, where all
    /// are more than zero.
    pub fn least_plausible(&self) -> Option<f64> {
        (self.min > 0.0).then_some(0.1 * self.min)
    }

    /// A prediction of such costs: a negative one is replaced by the least that is plausible.
    pub fn plausible(&self, predicted: f64) -> f64 {
        match self.least_plausible() {
            Some(least) if predicted < 0.0 => least,
            _ => predicted,
        }
    }
}

/// Errors of predictions on held-out rows; all relative to the measured value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What was evaluated: a method's name, or `input size only`.
    pub name: String,
    /// Rows used for learning.
    pub train_rows: u32,
    /// Rows judged.
    pub test_rows: u32,
    /// Median of |predicted − measured| / measured.
    #[serde(with = "crate::number")]
    pub median_error: f64,
    /// 90th percentile of the same.
    #[serde(with = "crate::number")]
    pub p90_error: f64,
    /// Mean of the same.
    #[serde(with = "crate::number")]
    pub mean_error: f64,
    /// Median of (predicted − measured) / measured.
    #[serde(with = "crate::number")]
    pub median_signed_error: f64,
    /// Share of rows predicted below the measured value.
    #[serde(with = "crate::number")]
    pub under_rate: f64,
    /// Median relative spread of repeated measurements of one observation: a floor for errors, up to the averaging of repeats.
    #[serde(with = "crate::number", default)]
    pub noise_floor: Option<f64>,
    /// Each held-out row.
    pub rows: Vec<EvaluatedRow>,
}

/// One row of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedRow {
    /// Label of the observation.
    pub label: String,
    /// Measured cost.
    pub measured: f64,
    /// Predicted cost.
    #[serde(with = "crate::number")]
    pub predicted: f64,
    /// Interval, if the model has one.
    #[serde(with = "crate::number", default)]
    pub interval: Option<(f64, f64)>,
}

/// How the error on unseen rows depends on the size of the training set and on the lasso's λ (Mantis 2010, figures 6
/// and 9).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// The model's method with training sets of rising size; several splits of each.
    pub training: Vec<SizePoint>,
    /// A linear lasso at falling λ, on the split of the model: the model's own, the first step of a polynomial, else the one
    /// that `lasso` would have followed.
    pub lambda: Vec<LambdaPoint>,
    /// Coefficients along the path, each times the largest value of its feature; the features with the largest effects.
    pub path: Vec<PathLine>,
}

/// Errors after learning from one training set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizePoint {
    /// Share of the groups used for learning.
    pub fraction: f64,
    /// Rows used for learning.
    pub train_rows: u32,
    /// Median of |predicted − measured| / measured over the other rows.
    #[serde(with = "crate::number")]
    pub median_error: f64,
    /// Mean of the same.
    #[serde(with = "crate::number")]
    pub mean_error: f64,
}

/// Errors at one λ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LambdaPoint {
    /// λ.
    pub lambda: f64,
    /// Features with a coefficient other than zero.
    pub features: u32,
    /// Median of |predicted − measured| / measured over the held-out rows.
    #[serde(with = "crate::number")]
    pub median_error: f64,
    /// Mean of the same.
    #[serde(with = "crate::number")]
    pub mean_error: f64,
}

/// One feature's line in the picture of the lasso's path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathLine {
    /// Name of the feature.
    pub feature: String,
    /// `(λ, coefficient · largest value)` for falling λ.
    pub points: Vec<(f64, f64)>,
}

/// What R's `summary.lm` shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearSummary {
    /// Whether the residuals are weighted.
    #[serde(default)]
    pub weighted: bool,
    /// Minimum, quartiles and maximum of the (weighted) residuals.
    #[serde(with = "crate::number")]
    pub residual_quantiles: [f64; 5],
    /// One line per column in the order of the table; none for aliased columns (R prints `NA`).
    pub coefficients: Vec<CoefficientRow>,
    /// Residual standard error.
    #[serde(with = "crate::number")]
    pub sigma: f64,
    /// Residual degrees of freedom.
    pub residual_df: u32,
    /// Rank, the number of estimated coefficients.
    pub rank: u32,
    /// R²; uncentred without intercept.
    #[serde(with = "crate::number")]
    pub r_squared: f64,
    /// Adjusted R².
    #[serde(with = "crate::number")]
    pub adjusted_r_squared: f64,
    /// F statistic, its two degrees of freedom and its p-value.
    #[serde(with = "crate::number", default)]
    pub f: Option<(f64, u32, u32, f64)>,
}

/// One coefficient of a linear fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoefficientRow {
    /// Column name.
    pub name: String,
    /// Estimate, standard error, t value and two-sided p-value; none if aliased.
    #[serde(with = "crate::number", default)]
    pub estimate: Option<(f64, f64, f64, f64)>,
}

/// Something the user should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// What to do about it.
    pub advice: Option<String>,
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// For information.
    Note,
    /// Limits what the model may be used for.
    Warning,
    /// The model should not be trusted.
    Error,
}

/// Where a model comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Platform of the dataset.
    pub platform: BTreeMap<String, String>,
    /// Subject of the dataset.
    pub subject: Vec<String>,
    /// Scope of the dataset.
    pub scope: String,
    /// Digest of the dataset.
    pub dataset: String,
    /// Options of the dataset's recording: what was counted, and how.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recording: BTreeMap<String, String>,
    /// Options of the fit.
    pub options: BTreeMap<String, String>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Version of the program.
    pub pricetag: String,
}
