//! One module per command.

pub mod attach;
pub mod counts;
pub mod diff;
pub mod doctor;
pub mod evaluator;
pub mod explain;
pub mod export;
pub mod fit;
pub mod gate;
pub mod import;
pub mod inspect;
pub mod instrument;
pub mod mine;
pub mod ocaml;
pub mod pages;
pub mod patterns;
pub mod platform;
pub mod predict;
pub mod record;
pub mod report;
pub mod services;
pub mod slice;
pub mod time_blocks;
