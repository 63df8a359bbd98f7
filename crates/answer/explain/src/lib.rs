//! Where the cost goes: by method, block, line and bucket.
//!
//! A model's formula is a sum of terms; every term's value in every observation is handed to the features it names
//! ([`attribution`]), then summed by method, block, line or bucket ([`mod@explain`]). The parts always add up to the
//! prediction: nothing is scaled to fit. Annotated source and bytecode are in [`listing`]; what a dataset contains in
//! [`mod@inspect`]; the one-screen account of a run in [`summary`].

pub mod attribution;
mod control;
pub mod explain;
mod free;
mod group;
pub mod inspect;
pub mod listing;
pub mod summary;

pub use explain::{ExplainError, ExplainOptions, explain};
pub use inspect::inspect;
pub use listing::{listings, source_reader};
pub use summary::summarize;
