//! Regression that a few wild measurements do not spoil, and the normalised objective of Das & Hoffmann.
//!
//! [`LeastAbsolute`] minimises Σ |residual|, exactly; [`Huber`] squares small residuals and takes large ones as they are;
//! [`Normalised`] divides every error by the total cost of its group and hands over to another estimator.
//!
//! Weights of a design are those of squared errors. An absolute error is weighed by their square root, so that relative
//! weights 1/y² make every method minimise relative errors.

mod certificate;
mod huber;
mod least_absolute;
mod normalised;
mod rows;
mod simplex;

pub use certificate::Certificate;
pub use huber::{Huber, Scale};
pub use least_absolute::{LeastAbsolute, LeastAbsoluteFit};
pub use normalised::Normalised;
