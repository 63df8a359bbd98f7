//! Least squares and its kin: estimators over a design matrix.
//!
//! [`LeastSquares`] (R's `lm`), [`NonNegative`] (Lawson & Hanson) and [`Hierarchical`] (prices that start from what a
//! feature consists of).

mod bounded;
pub mod hier;
pub mod hierarchy;
mod joint;
mod kernel;
pub mod mars;
pub mod nnls;
pub mod ols;
pub mod shrinkage;

pub use hier::{Hierarchical, Outcome};
pub use hierarchy::{Hierarchy, Role};
pub use mars::Mars;
pub use nnls::{NnlsSolution, NonNegative, nnls};
pub use ols::LeastSquares;
pub use shrinkage::Shrinkage;
