//! Turns a program into a predictor of its own cost: an archive that computes the features of a formula from a new input and answers at once.
//!
//! Source: Chen et al. 2010 ("Mantis"), section 5. Deviation: no slice is computed. The program itself runs, counted at the few places that
//! the formula needs, and is ended as soon as none of them can be reached any more; whole methods that have no part in the counts are
//! emptied, which is tried out and not proven.
//!
//! | question | module |
//! |---|---|
//! | what is on a program's class path | [`program`] |
//! | who may call whom | [`graph`] |
//! | where a count is final | [`stops`] |
//! | which methods an evaluation can do without | [`cuts`] |
//! | when in a run each feature is final | [`survey`] |
//! | what is put into the classes | [`emit`] |
//! | which code no training run reached | [`guards`] |
//! | where files are opened for writing | `effects` |
//! | the Java code that runs and answers | `runtime` |
//!
//! Limits. The call graph knows what the code shows; reflection is noticed only if a training run used it. What the program does by way of
//! native code of its own is refused when that is loaded.

pub mod cuts;
mod effects;
pub mod emit;
mod error;
pub mod graph;
pub mod guards;
pub mod program;
mod runtime;
pub mod stops;
pub mod survey;

pub use emit::{Places, Rewritten, Spot};
pub use error::EvaluateError;
pub use graph::{Graph, MethodId};
pub use guards::{Guard, Reached};
pub use program::Program;
pub use runtime::{RUNTIME_CLASSES, RUNTIME_SOURCES};
