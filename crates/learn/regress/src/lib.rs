//! Least squares and its kin: estimators over a design matrix.
//!
//! [`LeastSquares`] (R's `lm`), [`NonNegative`] (Lawson & Hanson) and [`Hierarchical`] (prices that start from what a
//! feature consists of).
#![doc = include_str!("../README.md")]

mod active_set;
pub mod blocked;
mod bounded;
mod cholesky;
pub mod collinearity;
mod columns;
mod decimals;
pub mod greedy;
pub mod hier;
pub mod hierarchy;
mod joint;
mod kernel;
pub mod lasso;
pub mod lm_summary;
pub mod logarithmic;
pub mod mars;
pub mod nls;
pub mod nnls;
pub mod ols;
mod outliers;
pub mod parsimony;
pub mod parts;
pub mod polynomial;
pub mod quantile;
pub mod robust;
pub mod rows;
pub mod sampled;
pub mod scaling;
pub mod shrinkage;
mod sizes;
pub mod solve;
pub mod step;
mod wide;

pub use blocked::{RowWeights, RowsFit};
pub use collinearity::{CorrelationFilter, Filtered, InflationFilter};
pub use greedy::Greedy;
pub use hier::{Hierarchical, Outcome};
pub use hierarchy::{Hierarchy, Role};
pub use lasso::Lasso;
pub use logarithmic::Logarithmic;
pub use mars::Mars;
pub use nls::{NonLinear, NonLinearFit};
pub use nnls::{NnlsSolution, NonNegative, nnls};
pub use ols::LeastSquares;
pub use parsimony::Parsimony;
pub use parts::PartsAlone;
pub use polynomial::SparsePolynomial;
pub use robust::{Huber, LeastAbsolute, Normalised};
pub use rows::{Block, DesignRows, RowBlocks, RowsError, TableRows};
pub use sampled::{Rates, Sampled, rates};
pub use scaling::Scaling;
pub use shrinkage::Shrinkage;
pub use solve::{ExactSolve, RunRule};
pub use step::BackwardElimination;
