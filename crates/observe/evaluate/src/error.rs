//! Why no predictor can be made.

use std::path::{Path, PathBuf};

/// Why no predictor can be made.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The command does not say what it runs in a way that can be packed.
    #[error("`{command}` {reason}")]
    Command {
        /// The command.
        command: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A part of the class path cannot be read.
    #[error(transparent)]
    ClassPath(#[from] pricetag_classpath::ClassPathError),
    /// An archive of the class path is damaged.
    #[error("{}: {reason}", path.display())]
    Archive {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A class is not the one that was recorded.
    #[error("class {class} on the class path is not the one that was recorded")]
    Changed {
        /// Which.
        class: String,
    },
    /// Something recorded is not on the class path.
    #[error("{what} was recorded, but is not on the class path")]
    Missing {
        /// What.
        what: String,
    },
    /// A method has to be changed and cannot be.
    #[error("{method} cannot be rewritten: {reason}")]
    Rewrite {
        /// Which.
        method: String,
        /// Why.
        reason: String,
    },
    /// An archive is no predictor.
    #[error("it is no predictor: {reason}")]
    NoPredictor {
        /// Why.
        reason: String,
    },
    /// The archive cannot be written.
    #[error("the predictor cannot be packed: {reason}")]
    Pack {
        /// Why.
        reason: String,
    },
}

impl EvaluateError {
    pub(crate) fn archive(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Archive {
            path: path.to_path_buf(),
            reason: reason.to_string(),
        }
    }
}
