//! From a dataset to a judged cost model: split, diagnose, learn, compare with other methods, make intervals and prices.
//!
//! [`fit()`] is the one entry point. The methods themselves are estimators of other crates (`pricetag-regress`); what is common
//! to all of them lives here: buckets before and prices after a fit, seeded splits, cross-validation, the black-box
//! baseline, prediction intervals, and the words that go with the result.

pub mod affordable;
mod baseline;
mod black_box;
mod blend;
mod charges;
mod concise;
mod cross_validation;
mod drift;
mod filtered;
pub mod fit;
mod inputs;
pub mod interval;
mod jackknife;
mod learner;
mod least;
pub mod method;
mod mined;
mod missing;
mod notes;
pub mod options;
mod plain;
pub mod preference;
mod prices;
mod sampled;
mod screening;
mod sensitivity;
#[cfg(test)]
#[allow(dead_code, reason = "shared with tests that read more of it")]
#[path = "../tests/simulation/mod.rs"]
mod simulation;
mod streaming;
mod study;
mod suitability;
mod terms;
pub mod tuning;
mod world;

pub use fit::{FitError, fit, fit_in};
pub use method::Method;
pub use options::{FitOptions, Level, UnknownName, Weighting};
pub use preference::Prefer;
pub use pricetag_regress::lasso::Lambda;
pub use streaming::{StreamError, fit_stream};
pub use tuning::{Filter, Parsimony, Signs, Tuning};
pub use world::World;
