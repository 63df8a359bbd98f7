//! Recurrent sequences of any length, without guessing one: the sequence is written as a grammar of what repeats.

mod grammar;
mod occurrences;
mod rank;
mod shape;
mod steps;

pub use occurrences::{Finder, Occurrence};
pub use rank::{Example, Recurrent};
pub use shape::Shape;
pub use steps::Step;

pub(crate) use grammar::{CHUNK, Grammar, Spot};
pub(crate) use rank::rank;
