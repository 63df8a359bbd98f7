//! A subset of OCaml: parsed, typed, and run while its constructs are counted.
//!
//! The cost semantics is that of Das and Hoffmann, *ML for ML* (TACAS 2017), sections 3 and 5. Rules the paper leaves open are
//! stated in `docs/ocaml.md`. Source → syntax → typed core → code → counts; costs appear in the last two only.

#![allow(
    clippy::needless_for_each,
    clippy::format_push_string,
    clippy::match_same_arms,
    reason = "recursive walks read better as one line, signatures are built once, and arms stand in the order of the language"
)]

mod code;
mod compile;
pub mod construct;
#[allow(clippy::module_inception, reason = "core is the field's word")]
mod core;
mod count;
mod diagnostic;
pub mod first_order;
mod infer;
mod machine;
mod parse;
mod printf;
mod reference;
mod show;
mod syntax;
mod token;
mod types;

pub use compile::Mode;
pub use construct::Construct;
pub use count::{Limits, Options, Region, Row, Run, count, run, signature};
pub use diagnostic::{Diagnostic, render};
pub use machine::Stop;
pub use syntax::Span;
