//! What can go wrong while a border is watched.

use std::path::PathBuf;

use pricetag_classfile::ClassFileError;
use pricetag_runner::RunnerError;

/// Why calls cannot be noted.
#[derive(Debug, thiserror::Error)]
pub enum BorderError {
    /// The program could not be run.
    #[error(transparent)]
    Run(#[from] RunnerError),
    /// A class cannot be read or changed.
    #[error("class {class}: {source}")]
    Class {
        /// Its name, if it has one.
        class: String,
        /// Why.
        source: ClassFileError,
    },
    /// The file system or the network refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
    /// The program failed.
    #[error("the program failed on {input}: {why}")]
    Failed {
        /// The input.
        input: String,
        /// How.
        why: String,
    },
    /// A line of the file of calls is none.
    #[error("the JVM wrote a call that cannot be read: {0}")]
    Line(serde_json::Error),
    /// No class matched.
    #[error("no class that the program loaded matches {pattern}")]
    Nothing {
        /// The patterns.
        pattern: String,
    },
}
