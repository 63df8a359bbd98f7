//! Traces and probe plans to the features of a dataset.
//!
//! One counting run, or one invocation of a scope method, becomes one row of sparse counts. Everything is derived from
//! edge counts with the static tables of the plans: blocks, methods, loops, branches, handlers, opcodes, calls that leave
//! the counted code, and what a cold JVM does once ([`cold`]). What a feature statically consists of (a block's opcodes
//! and leaving calls) is stated as parts, so that a learner can price a block from its parts.
//!
//! Whatever limits trust in the counts becomes a caveat of the row: a trace cut short, a class without plan, counters that
//! contradict each other, threads that were still running.

mod availability;
mod block_times;
mod callers;
mod caught;
pub mod cold;
mod compare;
mod constants;
mod context;
mod describe;
mod interval;
mod leaving;
mod lines;
mod noticed;
mod numberless;
mod options;
mod prepare;
mod row;
mod tabulator;
mod thrown;
mod values;

pub use availability::Availability;
pub use block_times::{BlockRow, block_rows};
pub use compare::{Difference, compare};
pub use constants::code_constants;
pub use numberless::{Numberless, NumberlessColumns};
pub use options::TabulateOptions;
pub use tabulator::{TabulateError, Tabulated, Tabulator};
