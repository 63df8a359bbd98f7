//! Programs instrumented before they run, for places where no agent can be loaded.
//!
//! An archive (jar, executable jar of Spring Boot, war) is copied; its classes are planned and rewritten by the same code as the agent's, so
//! that the counts are the same. Instead of the agent a class of the archive's own keeps the counters: one `long[]` per class and thread,
//! added up when a thread ends and written by a shutdown hook (`runtime/pricetag/runtime/Counters.java`). Plans and line tables lie in the
//! archive under `META-INF/pricetag/`, so that [`Program`] can turn what was written into the trace an agent would have made.
//!
//! | question | module |
//! |---|---|
//! | which entries are classes of the program, and where can they see the counters | `layout` |
//! | copying an archive | `copy` |
//! | one class | `class` |
//! | the class that keeps the counters | `runtime` |
//! | modules | `module` |
//! | what that class writes | [`counts`] |
//! | counts to trace | [`program`], `frames` |
//!
//! Limits. Offline code cannot walk stacks by bytecode offset: a frame still open at the end is found by its line; where a line does not tell which
//! call it is, the trace says so. A JVM that halts or is killed writes no counters, and its file says so.

mod class;
mod copy;
pub mod counts;
mod error;
mod frames;
mod layout;
mod module;
pub mod program;
mod runtime;

pub use copy::{Options, Outcome, instrument};
pub use counts::CountsFile;
pub use error::ArchiveError;
pub use program::Program;
pub use runtime::{RUNTIME_CLASS, RUNTIME_SOURCE};
