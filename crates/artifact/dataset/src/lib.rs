//! Observations × (features + costs), with provenance.
//!
//! On disk a dataset is a directory that any Parquet tool can read; see `docs/formats.md`. In memory counts are sparse
//! columns: real programs have more blocks than observations, and most inputs touch few of them.

pub mod model;

pub use model::*;
