//! Where the cost goes: by method, block, line and bucket.
//!
//! Where runs were sampled, a model has charges, and these say where the cost goes (`charged`). Without samples only the
//! formula can: it is a sum of terms; every term's value in every observation is handed to the features it names
//! ([`attribution`]), then summed by method, block, line or bucket ([`mod@explain`]). Annotated source and bytecode are in [`listing`]; what a dataset contains in
//! [`mod@inspect`]; the one-screen account of a run in [`summary`].

pub mod attribution;
mod charged;
mod control;
pub mod explain;
mod free;
mod group;
pub mod inspect;
pub mod listing;
mod profiled;
pub mod summary;
mod times;

pub use charged::prices_of_invocations;
pub use explain::{ExplainError, ExplainOptions, explain};
pub use inspect::inspect;
pub use listing::{listings, source_reader};
pub use profiled::{Caller, Weighed, call_tree, callers, collapsed_stacks, differential_stacks};
pub use summary::{narrow_intervals, summarize};
