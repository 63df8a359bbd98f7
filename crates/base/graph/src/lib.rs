//! Directed graphs and what a compiler asks of them; knows nothing of programs.
//!
//! Nodes and edges are dense `u32` numbers; parallel edges and self-loops are kept apart by their edge number. All
//! results depend only on the order in which edges are given, so the same graph always yields the same answer.
//!
//! | question | module |
//! |---|---|
//! | which nodes does every path pass | [`dominators`] |
//! | which nodes lie on common cycles | [`components`] |
//! | how are cycles nested | [`loops`] |
//! | which edges form the heaviest forest | [`spanning`] |
//! | which edges lie on no cycle | [`bridges()`] |
//! | what holds at every node | [`dataflow`] |
#![doc = include_str!("../README.md")]

mod bridges;
pub mod components;
pub mod dataflow;
mod digraph;
pub mod dominators;
pub mod loops;
pub mod spanning;

pub use bridges::bridges;
pub use components::{Components, strongly_connected};
pub use dataflow::{Analysis, solve};
pub use digraph::Digraph;
pub use dominators::Dominators;
pub use loops::{Loop, LoopNest};
pub use spanning::maximum_spanning_forest;
