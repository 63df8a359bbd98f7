//! The methods by name: what each makes of a design, which weights it takes, and the estimator behind it.

use pricetag_estimator::{Estimator, EstimatorError};
use pricetag_regress::{LeastSquares, NonNegative};

use crate::options::{FitOptions, Weighting, named};

/// How a cost is learnt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// The one that cross-validation on the training rows is for; see [`crate::fit()`].
    #[default]
    Auto,
    /// Hierarchical prices: what the parts cost, and departures from it.
    Hier,
    /// Non-negative least squares over merged buckets.
    Nnls,
    /// Least squares on relative errors.
    Wls,
    /// Ordinary least squares, as R's `lm`.
    Ols,
}

/// What a method makes of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A price per column; aliased ones have none.
    Single,
    /// A price per bucket of columns in fixed proportion.
    Merged,
    /// The same, with what the columns consist of.
    Hierarchical,
    /// A formula that is no sum of prices.
    Formula,
}

impl Method {
    /// Every method with its name.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("hier", Self::Hier),
        ("nnls", Self::Nnls),
        ("wls", Self::Wls),
        ("ols", Self::Ols),
    ];

    /// What `auto` tries, in order of preference.
    pub(crate) const CANDIDATES: [Self; 2] = [Self::Hier, Self::Nnls];

    /// Whether `auto` should try the method on a table of this size.
    pub(crate) fn suits(self, rows: usize, columns: usize) -> bool {
        match self {
            // More columns than rows: hopeless, and slow to find out.
            Self::Wls => 2 * columns < rows,
            _ => true,
        }
    }

    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Ols | Self::Wls => Shape::Single,
            Self::Nnls => Shape::Merged,
            Self::Auto | Self::Hier => Shape::Hierarchical,
        }
    }

    /// Whether the cost is a sum of prices.
    pub fn prices(self) -> bool {
        self.shape() != Shape::Formula
    }

    /// Whether the method can fit a constant beside the columns.
    pub(crate) fn takes_intercept(self) -> bool {
        matches!(self, Self::Ols | Self::Wls)
    }

    /// The weights that are used when `asked` for some or for none.
    pub(crate) fn weighting(self, asked: Option<Weighting>) -> Weighting {
        match (self, asked) {
            (Self::Wls, _) => Weighting::Relative,
            (_, Some(weighting)) => weighting,
            (Self::Ols, None) => Weighting::Equal,
            _ => Weighting::Relative,
        }
    }

    /// The estimator of a method other than the hierarchical one, which needs to know what the columns consist of.
    pub(crate) fn estimator(
        self,
        options: &FitOptions,
    ) -> Result<Box<dyn Estimator>, EstimatorError> {
        Ok(match self {
            Self::Ols | Self::Wls => Box::new(LeastSquares {
                intercept: options.intercept,
                ..LeastSquares::default()
            }),
            Self::Auto | Self::Hier | Self::Nnls => Box::new(NonNegative),
        })
    }
}

named!(Method, "method");
