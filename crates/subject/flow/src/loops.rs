//! The loop nest of a method, irreducible regions included.
//!
//! Loops are found on the graph with exceptional edges, so that a loop that repeats through a `catch` is one. A cycle
//! that closes through exceptional edges alone (a `finally` or `synchronized` handler whose range covers itself) is no
//! loop: it has no back edge that could be counted.
//!
//! A subroutine that is called from several places would close cycles that no execution passes, from one call over its `ret` behind
//! another. So what follows a `jsr` is taken to follow it directly there; the subroutine itself is then in no loop around its calls.

use pricetag_graph::{Digraph, LoopNest};
use pricetag_probe_plan::{BlockId, EdgeId, EdgeKind, Node};

use crate::cfg::{Cfg, Edge};

/// One loop of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodLoop {
    /// The block that every iteration passes; for irreducible regions the first block by which they are entered.
    pub header: BlockId,
    /// All blocks, nested loops included, ascending.
    pub blocks: Vec<BlockId>,
    /// Index of the innermost enclosing loop.
    pub parent: Option<u32>,
    /// Nesting depth, 1 for an outermost loop.
    pub depth: u32,
    /// Normal edges from inside the loop to its header.
    pub back_edges: Vec<EdgeId>,
    /// Normal edges from outside into the loop.
    pub entry_edges: Vec<EdgeId>,
    /// Whether the header is the only way in.
    pub reducible: bool,
}

impl Cfg {
    /// The loops of the method, outer before inner.
    pub fn loops(&self) -> Vec<MethodLoop> {
        // Blocks are in order of the code: without an edge that leads back in it nothing cycles.
        let leads_back =
            |e: &Edge| matches!((e.from, e.to), (Node::Block(a), Node::Block(b)) if b <= a);
        if !self.edges.iter().any(leads_back) {
            return Vec::new();
        }
        let nest = match self.called_in_place() {
            Some(graph) => LoopNest::of(&graph, &graph.reverse_postorder(self.entry())),
            None => LoopNest::of(self.digraph(), self.reverse_postorder()),
        };
        let normal = |edges: &[u32]| -> Vec<EdgeId> {
            edges
                .iter()
                .filter(|&&e| (e as usize) < self.edges.len())
                .map(|&e| EdgeId(e))
                .collect()
        };
        let mut kept: Vec<MethodLoop> = Vec::new();
        // For each loop of the nest the innermost kept loop that is or encloses it.
        let mut stands_for: Vec<Option<u32>> = Vec::new();
        for l in nest.loops() {
            let parent = l.parent.and_then(|p| stands_for[p as usize]);
            let back_edges = normal(&l.back_edges);
            if back_edges.is_empty() {
                stands_for.push(parent);
                continue;
            }
            stands_for.push(Some(kept.len() as u32));
            kept.push(MethodLoop {
                header: BlockId(l.header),
                blocks: l.nodes.iter().map(|&n| BlockId(n)).collect(),
                parent,
                depth: parent.map_or(1, |p| kept[p as usize].depth + 1),
                back_edges,
                entry_edges: normal(&l.entry_edges),
                reducible: l.reducible,
            });
        }
        kept
    }

    /// The graph in which a `ret` with several ways is none, and its ways start at the `jsr`s instead; none if there is no such `ret`.
    fn called_in_place(&self) -> Option<Digraph> {
        let ways = self.edges.chunk_by(|a, b| a.from == b.from);
        let shared =
            ways.filter(|ways| matches!(ways, [first, _, ..] if first.kind == EdgeKind::Ret));
        let shared: Vec<Node> = shared.map(|ways| ways[0].from).collect();
        if shared.is_empty() {
            return None;
        }
        let from = |e: &Edge| match e.to {
            // The block before is the one that ends with the `jsr`.
            Node::Block(behind) if shared.contains(&e.from) => Node::Block(BlockId(behind.0 - 1)),
            _ => e.from,
        };
        Some(self.digraph_with(from))
    }
}
