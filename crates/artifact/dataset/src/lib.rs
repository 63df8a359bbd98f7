//! Observations × (features + costs), with provenance.
//!
//! On disk a dataset is a directory that any Parquet tool can read ([`directory`]). In memory counts are sparse
//! columns: real programs have more blocks than observations, and most inputs touch few of them.
//! A dataset comes from a recording ([`Recording`], journalled run by run) or from a foreign table ([`import`](import::import)).
#![doc = include_str!("../README.md")]

pub mod builder;
pub mod command;
pub mod directory;
mod error;
pub mod export;
pub mod import;
pub mod journal;
pub mod model;
mod noise;
mod only;
pub mod pace;
mod query;
pub mod secrets;
pub mod table;
mod turns;

pub use builder::{DatasetBuilder, Row};
pub use directory::{open, save};
pub use error::{DatasetError, Result, lacks_room};
pub use export::{export_csv, export_lata_csv, export_parquet};
pub use import::{ImportOptions, Missing, Source, import};
pub use journal::Recording;
pub use model::*;
pub use noise::{Noise, QUEUED, Usual, Waited, Why};
pub use pace::Pace;
pub use query::numbered_call;
pub use table::NumberBlocks;
