//! Native OCaml programs: generated, compiled, checked in assembly, measured, and counted.
//!
//! After Das and Hoffmann, *ML for ML* (TACAS 2017): small training programs, one for each construct, are timed and their
//! constructs counted, so that the price of each construct can be learnt. A [`Program`] is generated ([`training`]) or read
//! from a file; an [`Ocaml`] compiles it; [`assembly`] refuses it when what it is about is not in its machine code;
//! [`measure()`] runs all programs in turn, round after round, and writes raw samples into a dataset; [`count_rows`] puts the counts of
//! its constructs beside them.

pub mod assembly;
pub mod controls;
pub mod counting;
mod driver;
pub mod error;
pub mod measure;
mod process;
pub mod program;
pub mod toolchain;
pub mod training;

pub use counting::{Mode, count_rows};
pub use error::NativeError;
pub use measure::{Effort, Measuring, measure};
pub use program::Program;
pub use toolchain::Ocaml;
