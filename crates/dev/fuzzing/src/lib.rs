//! What every reader of foreign bytes must hold, as functions of arbitrary bytes.
//!
//! The same functions are called by the coverage-guided fuzzer (`fuzz/`, nightly), by the seeded mutator of
//! [`campaign`] (stable, any number of executions) and by a short bounded run in `cargo test`. A target returns if its
//! property holds and panics if not; refusing the bytes with an error always holds.
//!
//! | question | module |
//! |---|---|
//! | what must hold | [`targets`] |
//! | which bytes are tried, without coverage | [`mutation`], [`campaign`] |
//! | which classes are tried on a JVM | [`bytecode`], [`pairs`] |
//! | where the search starts | [`seeds`] |

pub mod bytecode;
pub mod campaign;
pub mod encoding;
mod everything;
pub mod mutation;
pub mod pairs;
pub mod seeds;
pub mod targets;

pub use targets::{TARGETS, Target};
