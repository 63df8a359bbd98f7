//! Formulas from features to a cost, price lists, uncertainty and provenance; `MODEL.json`.
#![doc = include_str!("../README.md")]

pub mod charges;
pub mod derivative;
pub mod formula;
pub mod json;
pub mod leverage;
mod lexer;
pub mod list;
pub mod model;
mod number;
pub mod parse;
pub mod region;
pub mod simplify;
pub mod summary;
pub mod syntax;
pub mod text;

pub use charges::{Charge, ChargeKind, Charges, MethodKey, NOTHING_EXPLAINS};
pub use formula::FormulaError;
pub use json::ModelError;
pub use leverage::Leverage;
pub use list::{
    Collector, Found, ListError, ModePrices, OVERLAP, PRICE_LIST_SCHEMA, PRICED_BY, PriceList,
};
pub use model::*;
pub use syntax::{Problem, SyntaxError};
