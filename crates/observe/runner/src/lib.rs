//! Launches a subject over a workload, times it and survives its failures.
//!
//! [`record()`] is the table of contents: make the [`subject`] ready, run it over the [`workload`] under supervision
//! ([`supervise`]), keep what is finished in a [`journal`], and [`assemble`] rows that say where their counts and
//! costs are. Turning traces into columns is not done here. [`blocks`] is the exception: a baseline, timed block by block.

mod arguments;
pub mod assemble;
pub mod attach;
pub mod blocks;
pub mod budget;
pub mod cache;
mod capture;
pub mod check;
pub mod compilation;
mod costs;
pub mod error;
pub mod failure;
mod find;
pub mod intervals;
pub mod journal;
pub mod jvm;
pub mod lock;
pub mod matching;
mod operations;
pub mod options;
mod overhead;
pub mod platform;
pub mod program;
pub mod progress;
pub mod record;
pub mod reopen;
mod sampling;
mod scope;
pub mod slow_down;
pub mod subject;
pub mod supervise;
pub mod template;
mod trial;
pub mod warmup;
pub mod workload;

pub use assemble::{Counts, Recorded, Row};
pub use costs::costs_of;
pub use error::RunnerError;
pub use options::{Determinism, RecordOptions, Timing};
pub use progress::{Progress, Silent};
pub use record::record;
pub use reopen::{same_as_finished, unfinished};
pub use sampling::Samples;
pub use supervise::{Cancel, Ended};
pub use workload::{Case, Workload};
