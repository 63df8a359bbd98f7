//! Genetic programming: formulas with cases, found by search.
//!
//! After Krogmann, Kuperberg & Reussner, *Using Genetic Search for Reverse Engineering of Parametric Behaviour Models for
//! Performance Prediction* (TSE 2010): typed trees with `if`, inequalities and constants found in the code, a first
//! generation that is not random, a mutation that drops variables, an error and a complexity. Beyond the paper, the
//! coefficients of a sum are solved for ([`individual`]), inner constants and thresholds are optimised locally ([`tune`]),
//! and candidates live on a Pareto front ([`select`]).
//!
//! [`GeneticProgramming`] is the entry point: an [`Estimator`](pricetag_estimator::Estimator), or with
//! [`GeneticProgramming::evolve`] the whole front, under a clock, with progress, interruption and checkpoints.
#![doc = include_str!("../README.md")]

pub mod checkpoint;
pub mod convert;
mod elementary;
pub mod evaluate;
mod finish;
pub mod gp;
pub mod individual;
pub mod linear;
mod mars;
pub mod problem;
pub mod search;
pub mod select;
pub mod shapes;
pub mod simplify;
pub mod tree;
pub mod tune;
pub mod vary;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use gp::{Candidate, Evolution, EvolveError, GeneticProgramming};
pub use problem::Problem;
pub use search::{Control, End, Limits, Progress};
pub use select::Selection;
pub use tree::{Op, Tree};
