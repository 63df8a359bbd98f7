//! Checks the repository's own rules: an invariant that is not a test is a wish.
//!
//! Each rule is a function from the repository's files or from Cargo's metadata to the list of violations, in words; the
//! tests under `tests/` run them on this repository, the unit tests on violations made up for the purpose. After
//! rust-analyzer's `tidy`.

pub mod dependencies;
pub mod licences;
pub mod sources;
pub mod workspace;

pub use workspace::{Package, TidyError, Workspace};
