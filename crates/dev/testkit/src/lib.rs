//! Subject programs with their expectations, and the oracle that checks counting.
//!
//! A conformance [`Program`] is a small source file with the answer written in its comments. [`Suite`] compiles all that a
//! [`Compiler`] takes, [`Agent`] runs one on a [`Machine`] under the agent in a given mode, and [`compare`] holds three things against each other, instruction by
//! instruction: the counts derived from probes, the counts of the single-stepping oracle, and the comments. Class files are
//! read here with a foreign parser, so that the checker shares as little as possible with what it checks.

pub mod classes;
pub mod compare;
pub mod compiler;
pub mod counts;
pub mod jdk;
pub mod jvm;
pub mod machine;
pub mod planted;
pub mod program;
pub mod server;
pub mod suite;
pub mod testbed;

use std::path::{Path, PathBuf};

pub use classes::{ClassIndex, MethodKey};
pub use compare::{Difference, Verdict};
pub use compiler::Compiler;
pub use counts::Counts;
pub use jvm::{Agent, Launch, Outcome};
pub use machine::Machine;
pub use program::{Expectation, Expected, Measure, Program};
pub use suite::{Oracle, Report, Suite};
pub use testbed::Testbed;

/// What can go wrong before there is anything to compare.
#[derive(Debug, thiserror::Error)]
pub enum TestkitError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
    /// A program could not be started or ended badly.
    #[error("{command}: {reason}")]
    Command {
        /// The program.
        command: String,
        /// What happened, with its last words.
        reason: String,
    },
    /// A comment that looks like an expectation and is none.
    #[error("{file}:{line}: {reason}")]
    Comment {
        /// The source file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that should hold counts, a class or a trace does not.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> TestkitError {
    let path = path.to_path_buf();
    move |source| TestkitError::Io {
        action,
        path,
        source,
    }
}

pub(crate) fn content(path: &Path, reason: impl std::fmt::Display) -> TestkitError {
    TestkitError::Content {
        path: path.to_path_buf(),
        reason: reason.to_string(),
    }
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(3)
        .unwrap_or(manifest)
        .to_path_buf()
}
