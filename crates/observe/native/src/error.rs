//! What can go wrong between a source file and a table of measurements.

use std::io;
use std::path::PathBuf;

/// Why nothing was measured or counted.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// No compiler.
    #[error(
        "no OCaml native compiler: `{program}` cannot be run ({source}); install OCaml 4.13 to 5.x with the system's package manager, or name it with --ocamlopt"
    )]
    NoCompiler {
        /// What was tried.
        program: String,
        /// Why it cannot be run.
        source: io::Error,
    },
    /// Another version than those whose behaviour is known.
    #[error("`{program}` is OCaml {found}: versions 4.13 to 5.x are supported")]
    Version {
        /// The compiler.
        program: String,
        /// What it says it is.
        found: String,
    },
    /// A program file that does not say what it should.
    #[error("{program}: {reason}")]
    Header {
        /// Name of the program.
        program: String,
        /// What is wrong.
        reason: String,
    },
    /// The compiler refused the driver, so nothing can be measured.
    #[error("`{command}` failed: {reason}")]
    Compile {
        /// What was run.
        command: String,
        /// First lines of what it said.
        reason: String,
    },
    /// The subset's front end or evaluator refused a program.
    #[error("{program}: {reason}")]
    Count {
        /// Name of the program.
        program: String,
        /// Why.
        reason: String,
    },
    /// Every program was refused.
    #[error("none of {total} programs can be measured; the first: {first}")]
    NothingLeft {
        /// How many there were.
        total: usize,
        /// Why the first was refused.
        first: String,
    },
    /// Measurements of a program whose source is another now.
    #[error(
        "the measurements of `{program}` belong to another version of its source; measure again"
    )]
    Stale {
        /// Name of the program.
        program: String,
    },
    /// A program that is not known.
    #[error("the measurements name a program `{program}` that is not there")]
    Unknown {
        /// Its name.
        program: String,
    },
    /// The file system said no.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The dataset said no.
    #[error(transparent)]
    Dataset(#[from] pricetag_dataset::DatasetError),
}

impl NativeError {
    /// Wraps an error of the file system.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
