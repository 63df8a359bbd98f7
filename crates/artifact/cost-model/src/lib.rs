//! Formulas from features to a cost, price lists, uncertainty and provenance; `MODEL.json`.

pub mod formula;
pub mod json;
pub mod model;
mod number;
pub mod summary;
pub mod text;

pub use formula::FormulaError;
pub use json::ModelError;
pub use model::*;
