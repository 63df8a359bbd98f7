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
    /// Measurements kept at a place where others are to be kept.
    #[error("{} holds measurements already", .path.display())]
    Kept {
        /// The place.
        path: PathBuf,
    },
    /// Measurements that were made in another way than those that shall follow.
    #[error("the measurements in {} were made with {fact} `{kept}`, now it is `{now}`: they do not go together", .path.display())]
    Mixed {
        /// Where they are kept.
        path: PathBuf,
        /// What differs.
        fact: String,
        /// What it was.
        kept: String,
        /// What it is.
        now: String,
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
    /// What is wrong with a program, without its name.
    pub fn reason(&self) -> String {
        match self {
            Self::Count { reason, .. } | Self::Header { reason, .. } => reason.clone(),
            other => other.to_string(),
        }
    }

    /// What to try.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoCompiler { .. } | Self::Version { .. } => {
                "measurements that exist need no compiler: --from DATASET"
            }
            Self::Header { .. } => {
                "a program opens with `(* what: … family: … sizes: 1000..20000/20 *)`, one key a line, and defines `input` and `run`"
            }
            Self::Kept { .. } => {
                "go on with them by --resume, use them by --from, or name another place"
            }
            Self::Mixed { .. } => "keep the new measurements at another place",
            Self::Stale { .. } => {
                "measure again, or use the version of Pricetag that measured them"
            }
            Self::Unknown { .. } => {
                "measurements of training programs are for `learn --from`, those of control programs for `evaluate --from`"
            }
            Self::NothingLeft { .. }
            | Self::Count { .. }
            | Self::Compile { .. }
            | Self::Io { .. }
            | Self::Dataset(_) => return None,
        })
    }

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
