//! The contract every learner meets, and the diagnostics made before any fit.
//!
//! A dataset becomes a [`Design`] ([`tabulate`]), a design is checked ([`Checked`]), looked at ([`Diagnosis`]), split
//! ([`split_by_group`]), fitted by an [`Estimator`] and judged ([`evaluate()`]). [`conformance`] holds what every
//! estimator must satisfy.

pub mod bucket;
pub mod conformance;
pub mod contract;
pub mod design;
pub mod diagnose;
pub mod evaluate;
pub mod leverage;
mod messages;
pub mod qr;
pub mod reduce;
pub mod split;
pub mod table;

pub use bucket::{Bucket, Buckets};
pub use contract::{Coefficient, Estimator, EstimatorError, Fitted};
pub use design::{Checked, Column, Design, DesignError, Values, relative_weights};
pub use diagnose::{Diagnosis, Inflation, Relation, Support};
pub use evaluate::evaluate;
pub use leverage::leverages;
pub use qr::{Qr, R_TOLERANCE};
pub use split::{Split, folds_by_group, split_by_group};
pub use table::{Incomplete, Table, TableError, tabulate};
