//! Non-linear least squares for formulas given as text.
//!
//! [`NonLinear`] takes a formula such as `k1*(a*log(a)) + k2`; names that are no columns are its parameters. The Jacobian
//! is analytic, from the formula's tree; the search is Levenberg–Marquardt within bounds.

mod estimator;
mod marquardt;
mod model;
mod starts;
mod summary;
mod tape;
mod triangle;

pub use estimator::{METHOD, NonLinear};
pub use marquardt::Ending;
pub use summary::{NonLinearFit, Parameter};
