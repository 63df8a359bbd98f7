//! Which probes stand where in a class, and how every count is derived from them.
//!
//! Only control-flow edges are counted (Knuth & Stevenson 1973, "Optimal measurement points for program frequency
//! counts"; Ball & Larus 1994, "Optimally profiling and tracing programs"): counters stand on the edges outside a maximum
//! spanning tree, everything else follows from flow conservation. Three things break conservation and are accounted for
//! explicitly: an exception that leaves a block in its middle ([`ThrowPoint`]), a handler that is entered
//! ([`HandlerPlan`]), and a frame that is still active when the counters are read ([`OpenFrame`]).
//!
//! Where the counters of a loop are removed on request, part of the counts still follows and the rest is none: `docs/decisions/015-budget-by-loops.md`.
//! The same holds where only the counts of listed blocks are asked for (`listed.rs`).
//!
//! The rewriter and the reader of counters load the same plan by [`ClassHash`], so they cannot disagree.

mod calls;
mod codec;
mod coherence;
mod collection;
pub mod derive;
mod dump;
mod envelope;
mod error;
mod flow;
mod listed;
mod looping;
mod name;
mod pack;
pub mod plan;
mod store;
mod stride;
pub mod tiers;
mod transition;
mod uninitialised;
mod variable;
mod view;

pub use codec::MAGIC;
pub use derive::{Imbalance, MethodCounts, OpenFrame};
pub use envelope::Envelope;
pub use error::CodecError;
pub use name::Name;
pub use pack::{Pack, StoreError};
pub use plan::*;
pub use store::PlanStore;
pub use stride::{HEADER, LINE, StridePlan, element_size};
pub use transition::TransitionPlan;
pub use uninitialised::{CodeRange, Uninitialised};
pub use variable::{
    AssignmentPlan, ValueKind, ValuesPlan, VariableIndex, VariablePlace, VariablePlan,
};
pub use view::{CallTarget, LoopCounts};
