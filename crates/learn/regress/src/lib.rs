//! Least squares and its kin: from a dataset to a priced cost model.
//!
//! [`fit()`] is the entry point; the estimators behind it can be used on their own: [`LeastSquares`] (R's `lm`),
//! [`NonNegative`] (Lawson & Hanson) and [`Hierarchical`] (prices that start from what a feature consists of).

mod baseline;
mod bounded;
pub mod fit;
pub mod hier;
pub mod hierarchy;
pub mod interval;
mod learner;
pub mod nnls;
pub mod ols;
pub mod options;
mod prices;

pub use fit::{FitError, fit};
pub use hier::{Hierarchical, Outcome, Shrinkage};
pub use hierarchy::{Hierarchy, Role};
pub use nnls::{NnlsSolution, NonNegative, nnls};
pub use ols::LeastSquares;
pub use options::{FitOptions, Level, Method, UnknownName, Weighting};
