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
mod joint;
mod kernel;
mod learner;
pub mod nnls;
mod notes;
pub mod ols;
pub mod options;
mod prices;
pub mod shrinkage;
mod study;

pub use fit::{FitError, fit};
pub use hier::{Hierarchical, Outcome};
pub use hierarchy::{Hierarchy, Role};
pub use nnls::{NnlsSolution, NonNegative, nnls};
pub use ols::LeastSquares;
pub use options::{FitOptions, Level, Method, UnknownName, Weighting};
pub use shrinkage::Shrinkage;
