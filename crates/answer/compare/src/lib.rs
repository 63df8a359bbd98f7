//! What a change made a program execute and cost.
//!
//! Two datasets of the same inputs are held against each other: methods are aligned across the builds (`align`), their counts subtracted
//! input by input, and the difference priced by what an execution cost before, or, of what is new, costs after ([`compare()`]). Counts
//! are exact; prices and times have intervals.

mod align;
mod code;
mod compare;
mod cost;
mod counts;
mod growth;
mod pair;
mod rates;
mod settings;
mod side;
mod stacks;

pub use code::{callees, content};
pub use compare::{CompareError, compare};
pub use side::Side;
pub use stacks::{Executed, executed};
