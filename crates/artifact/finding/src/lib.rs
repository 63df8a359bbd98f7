//! Answers as plain data: predictions, explanations, inspections and the summary of a whole run.
//!
//! Every answer carries [`FINDING_SCHEMA`], serialises to JSON in a stable order ([`to_json`]) and renders to a text
//! table (`to_text` on each). Nothing here computes: `predict`, `explain` and the estimators fill these types in.

pub mod block_times;
pub mod bounds;
pub mod call_tree;
pub mod calls;
pub mod controls;
pub mod difference;
pub mod explanation;
pub mod figure;
pub mod formula;
pub mod inspection;
pub mod platform;
pub mod prediction;
pub mod sampled;
pub mod summary;
pub mod table;

pub use block_times::*;
pub use bounds::*;
pub use call_tree::*;
pub use calls::*;
pub use controls::*;
pub use difference::*;
pub use explanation::*;
pub use inspection::*;
pub use platform::*;
pub use prediction::*;
pub use sampled::{Together, interval};
pub use summary::*;

/// Version of the JSON of every answer.
pub const FINDING_SCHEMA: u32 = 1;

/// Renders an answer as indented JSON with a final newline.
///
/// # Panics
/// Never for the types of this crate: their maps have string keys. Infinite and undefined numbers become `null`.
pub fn to_json<T: serde::Serialize>(answer: &T) -> String {
    let mut text = serde_json::to_string_pretty(answer).expect("answers have string keys only");
    text.push('\n');
    text
}
