//! Least squares and its kin: estimators over a design matrix.
//!
//! [`LeastSquares`] (R's `lm`), [`NonNegative`] (Lawson & Hanson) and [`Hierarchical`] (prices that start from what a
//! feature consists of).

mod bounded;
mod cholesky;
mod columns;
pub mod greedy;
pub mod hier;
pub mod hierarchy;
mod joint;
mod kernel;
pub mod lasso;
pub mod mars;
pub mod nls;
pub mod nnls;
pub mod ols;
pub mod polynomial;
pub mod robust;
pub mod shrinkage;

pub use greedy::Greedy;
pub use hier::{Hierarchical, Outcome};
pub use hierarchy::{Hierarchy, Role};
pub use lasso::Lasso;
pub use mars::Mars;
pub use nls::{NonLinear, NonLinearFit};
pub use nnls::{NnlsSolution, NonNegative, nnls};
pub use ols::LeastSquares;
pub use robust::{Huber, LeastAbsolute, Normalised};
pub use polynomial::SparsePolynomial;
pub use shrinkage::Shrinkage;
