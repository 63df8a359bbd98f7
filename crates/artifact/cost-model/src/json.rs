//! `MODEL.json`: writing, reading, checks.
//!
//! Reading refuses other schema versions, formulas that no longer evaluate, and what differs from what was written (models of versions that did not seal them are taken as they are); it never panics on foreign bytes.

use std::fs;
use std::path::{Path, PathBuf};

use pricetag_file::sealed::{self, Seal};
use serde::Deserialize;

use crate::{CostModel, MODEL_SCHEMA};

/// Why a model could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file system said no.
    #[error("cannot {action} the model {path}: {source}")]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Not JSON, or not a model.
    #[error("not a Pricetag model: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another version of the format.
    #[error(
        "the model has schema {found}, this program reads schema {MODEL_SCHEMA}; fit it again with this version"
    )]
    Schema {
        /// What the file says.
        found: u64,
    },
    /// It is not what was written.
    #[error("the model is not what was written: its digest does not fit its contents")]
    Damaged,
    /// A number in the formula is NaN or infinite.
    #[error("the formula of this `{method}` model has a coefficient that is not finite")]
    NotFinite {
        /// Method of the model.
        method: String,
    },
}

#[derive(Deserialize)]
struct Header {
    schema: u64,
}

impl CostModel {
    /// The model as indented JSON, ending in a newline.
    pub fn to_json(&self) -> Result<String, ModelError> {
        if !self.formula.is_finite() {
            return Err(ModelError::NotFinite {
                method: self.method.clone(),
            });
        }
        Ok(sealed::seal(&serde_json::to_string_pretty(self)?))
    }

    /// Reads what [`Self::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        let header: Header = serde_json::from_str(text)?;
        if header.schema != u64::from(MODEL_SCHEMA) {
            return Err(ModelError::Schema {
                found: header.schema,
            });
        }
        let model: Self = serde_json::from_str(text)?;
        if sealed::check(text) == Seal::Broken {
            return Err(ModelError::Damaged);
        }
        if model.formula.is_finite() {
            Ok(model)
        } else {
            Err(ModelError::NotFinite {
                method: model.method,
            })
        }
    }

    /// Writes the model to a file, whole or not at all ([`pricetag_file`]).
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        let text = self.to_json()?;
        pricetag_file::write(path, text.as_bytes()).map_err(|source| ModelError::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })
    }

    /// Reads a model from a file.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let text = fs::read_to_string(path).map_err(|source| ModelError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        Self::from_json(&text)
    }
}
