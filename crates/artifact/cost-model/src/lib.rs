//! Formulas from features to a cost, price lists, uncertainty and provenance; `MODEL.json`.

pub mod model;

pub use model::*;
