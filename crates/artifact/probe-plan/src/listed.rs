//! Counters that the counts of listed blocks need.
//!
//! The edges without a counter form a spanning forest of the balances (`flow.rs`). Taking a counter away makes an edge of that forest unknown if it lies
//! on the cycle that the counter's edge closes, and no other. So the counter can go if that cycle passes no listed block, whichever others go,
//! and stays if it passes one: with the listed blocks taken out of the forest, the counters needed are those between different pieces.
//! With the forest given (Knuth & Stevenson 1973) there is no smaller choice; and since the forest is a maximum one, what Kruskal's algorithm would find by
//! going through all edges, the dearest first, and leaving out whatever leaves the listed blocks known.
//!
//! Limits: another forest may need fewer counters for a given list. Exceptions and handlers are counted all the same, as with removed loops.

use pricetag_graph::spanning::DisjointSets;

use crate::plan::{BlockId, EdgePlan, MethodPlan, Node};

impl MethodPlan {
    /// Whether some counts may not follow from the counters: probes are left out on request.
    pub fn is_partial(&self) -> bool {
        !self.removed_loops.is_empty() || self.listed_blocks.is_some()
    }

    /// Whether a block's count is asked for.
    pub fn is_listed(&self, block: BlockId) -> bool {
        let listed = self.listed_blocks.as_ref();
        listed.is_none_or(|listed| listed.binary_search(&block).is_ok())
    }

    /// Whether what happens in a block, beside its count, is probed where that is wanted.
    pub fn is_probed(&self, block: BlockId) -> bool {
        self.is_listed(block) && !self.is_removed(self.loop_of_block(block))
    }

    /// Which of the edges in `counted`, the rest being a spanning forest, need a counter for the counts that are asked for.
    /// Both are parallel to [`MethodPlan::edges`].
    pub fn needed(&self, mut counted: Vec<bool>) -> Vec<bool> {
        if self.listed_blocks.is_none() {
            return counted;
        }
        // Entrance and exit of each block in turn, then the caller.
        let caller = 2 * self.blocks.len() as u32;
        let mut pieces = DisjointSets::new(caller + 1);
        for b in (0..self.blocks.len() as u32).filter(|b| !self.is_listed(BlockId(*b))) {
            pieces.union(2 * b, 2 * b + 1);
        }
        for block in self.uncounted_throws() {
            pieces.union(2 * block.0 + 1, caller);
        }
        let ends = |edge: &EdgePlan| {
            let from = match edge.from {
                Node::Block(b) => 2 * b.0 + 1,
                Node::Entry | Node::Exit => caller,
            };
            let to = match edge.to {
                Node::Block(b) => 2 * b.0,
                Node::Entry | Node::Exit => caller,
            };
            (from, to)
        };
        for (edge, _) in self.edges.iter().zip(&counted).filter(|(_, c)| !**c) {
            let (from, to) = ends(edge);
            pieces.union(from, to);
        }
        for (edge, counted) in self.edges.iter().zip(&mut counted) {
            let (from, to) = ends(edge);
            *counted = *counted && pieces.find(from) != pieces.find(to);
        }
        counted
    }
}
