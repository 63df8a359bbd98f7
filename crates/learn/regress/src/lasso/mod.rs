//! The lasso: sparse linear models, their exact path, and the choice of λ by cross-validation.
//!
//! Tibshirani (1996). With row weights w, W = Σ wᵢ, the objective is
//!
//! ½ Σ (wᵢ/W) (yᵢ − β₀ − Σ xᵢⱼ βⱼ)² + λ Σ vⱼ ( α|sⱼβⱼ| + ½(1−α) (sⱼβⱼ)²/s_y )
//!
//! where sⱼ is the column's scale ([`Standardisation`]), vⱼ its penalty weight (1 unless given; never rescaled) and β₀ is
//! not penalised; s_y is the weighted deviation of y (its root mean square without intercept) and keeps the elastic net
//! independent of the unit of cost. With v = 1 and the deviation as the scale this is glmnet's objective, so λ means the
//! same; for α = 1 and scale 1 it is scikit-learn's. Coefficients are always those of the columns as they came.
//!
//! α = 1 follows the exact path by homotopy (`homotopy`, `working_set`); the elastic net and paths on which the
//! homotopy stalls use coordinate descent (`descent`). λ comes from k-fold cross-validation with folds that keep groups
//! together ([`cross_validation`]).

#![expect(clippy::doc_markdown, reason = "indices in formulas are no code")]

mod certificate;
pub mod cross_validation;
pub(crate) mod descent;
pub(crate) mod estimator;
mod folds;
pub(crate) mod gram;
pub(crate) mod homotopy;
pub mod path;
mod precise;
pub(crate) mod scaled;
pub(crate) mod solve;
mod working_set;

pub use cross_validation::CrossValidation;
pub use estimator::Choice;
pub use path::{Knot, LassoPath, SparseModel};
pub use scaled::{Dropped, Reason};
use serde::{Deserialize, Serialize};

/// The scale s of a column; the penalty weighs |s·β|.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standardisation {
    /// 1: the columns as they are.
    None,
    /// Largest absolute value: [0, 1] for counts, without moving their zero. For models without intercept.
    Maximum,
    /// Largest minus smallest value, Mantis' [0, 1] scaling: the shift is absorbed by the intercept.
    Range,
    /// Standard deviation with weights w/W (1/n, as glmnet has it), with or without intercept.
    #[default]
    Deviation,
}

/// Which λ is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lambda {
    /// The one with the smallest cross-validated error.
    #[default]
    Minimum,
    /// The largest one whose error is within one standard error of the smallest: fewer columns.
    OneStandardError,
    /// This one.
    Value(f64),
}

/// The lasso as an estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Lasso {
    /// Whether a constant is fitted as well; it is not penalised.
    pub intercept: bool,
    /// How columns are made comparable.
    pub standardisation: Standardisation,
    /// Share of the absolute penalty: 1 is the lasso, less the elastic net; 0 < α ≤ 1.
    pub alpha: f64,
    /// Whether coefficients must be ≥ 0 (the intercept is free).
    pub non_negative: bool,
    /// Penalty weight of every column, ≥ 0; empty for all 1. 0 exempts a column.
    pub penalties: Vec<f64>,
    /// Which λ is taken.
    pub lambda: Lambda,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// Values of λ that are compared.
    pub grid: usize,
    /// Smallest λ as a share of the largest; none for 10⁻⁴, or 10⁻² when there are fewer rows than columns.
    pub ratio: Option<f64>,
    /// The exact path also ends where no more than this share of the target's weighted square is unexplained, as glmnet's
    /// `devmax` = 1 − share has it; none for never. It spares the many knots near interpolation when columns outnumber rows.
    pub saturation: Option<f64>,
}

impl Default for Lasso {
    fn default() -> Self {
        Self {
            intercept: true,
            standardisation: Standardisation::Deviation,
            alpha: 1.0,
            non_negative: false,
            penalties: Vec::new(),
            lambda: Lambda::Minimum,
            folds: 10,
            seed: 1,
            grid: 100,
            ratio: None,
            saturation: None,
        }
    }
}
