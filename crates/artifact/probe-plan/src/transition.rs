//! Which conditional branches have their changes of outcome counted.
//!
//! A *transition* is an execution of a branch whose outcome differs from that of its last execution on the same thread (Haungs,
//! Sallee & Farrens 2000, "Branch transition rate: a new metric for improved branch classification analysis"). The first
//! execution is compared with *not taken*. Of a thread's counter the lowest bit is then the last outcome itself, since each
//! transition flips it: counting needs no other memory.

use serde::{Deserialize, Serialize};

use crate::plan::{BlockId, ClassPlan, CounterIndex, EdgeKind, MethodPlan, Node};

/// A conditional branch with two outcomes whose transitions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransitionPlan {
    /// Index of its method in the class file.
    pub method: u16,
    /// The block it ends.
    pub block: BlockId,
    /// Counts the transitions.
    pub counter: CounterIndex,
}

impl ClassPlan {
    /// The transitions counted in a method.
    pub fn transitions_of(&self, method: u16) -> &[TransitionPlan] {
        let all = self.transitions.as_deref().unwrap_or_default();
        let first = all.partition_point(|t| t.method < method);
        let end = all.partition_point(|t| t.method <= method);
        &all[first..end]
    }
}

impl MethodPlan {
    /// Blocks that end in a conditional branch with two outcomes, ascending.
    pub fn conditional(&self) -> Vec<BlockId> {
        let of = |kind: EdgeKind| {
            let edges = self.edges.iter().filter(move |e| e.kind == kind);
            edges.filter_map(|edge| match edge.from {
                Node::Block(block) => Some(block),
                _ => None,
            })
        };
        let mut blocks: Vec<BlockId> = of(EdgeKind::Taken).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let otherwise: Vec<BlockId> = of(EdgeKind::NotTaken).collect();
        blocks.retain(|block| otherwise.contains(block));
        blocks
    }
}
