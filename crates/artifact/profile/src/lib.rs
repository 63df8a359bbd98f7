//! Sampled profiles: where processor time and allocated bytes went, by call stack.
//!
//! A profile is what a sampler saw of runs without counters. Stacks of all runs share one tree of calls, so that a run is a
//! list of weights at nodes of that tree. Counts say how often code ran; a profile says what it cost. The two meet in the
//! learner and in explanations.

mod merge;
mod model;
mod views;

pub use merge::Merged;
pub use model::*;
pub use views::*;
