//! Recurrent sequences of any length, without guessing one: the sequence is written as a grammar of what repeats.

mod grammar;
mod rank;
mod steps;

pub use rank::{Example, Recurrent};
pub use steps::Step;

pub(crate) use grammar::{CHUNK, Grammar, Spot};
pub(crate) use rank::rank;
