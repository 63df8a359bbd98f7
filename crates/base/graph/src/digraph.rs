//! A directed multigraph in compressed rows: for every node the numbers of its outgoing and incoming edges.
//!
//! Immutable once built; memory is four words per edge.

use std::ops::Range;

/// A directed multigraph over nodes `0..nodes()` with edges `0..edges()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digraph {
    ends: Vec<(u32, u32)>,
    out: Rows,
    into: Rows,
}

/// Edge numbers grouped by node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rows {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Rows {
    /// Counting sort from the back: each row's start begins as its end and moves down.
    fn new(
        nodes: u32,
        keys: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone,
    ) -> Self {
        let mut starts = vec![0u32; nodes as usize + 1];
        for key in keys.clone() {
            starts[key as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut edges = vec![0; end as usize];
        for (edge, key) in keys.enumerate().rev() {
            let start = &mut starts[key as usize];
            *start -= 1;
            edges[*start as usize] = edge as u32;
        }
        Self { starts, edges }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

impl Digraph {
    /// Builds the graph with nodes `0..nodes` and the given edges, numbered in their order.
    ///
    /// # Panics
    /// If an edge names a node that is not in `0..nodes`.
    pub fn new(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let ends: Vec<(u32, u32)> = edges.into_iter().collect();
        let out = Rows::new(nodes, ends.iter().map(|e| e.0));
        let into = Rows::new(nodes, ends.iter().map(|e| e.1));
        Self { ends, out, into }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.out.starts.len() as u32 - 1
    }

    /// All nodes.
    pub fn node_range(&self) -> Range<u32> {
        0..self.nodes()
    }

    /// Number of edges.
    pub fn edges(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Source and target of an edge.
    pub fn ends(&self, edge: u32) -> (u32, u32) {
        self.ends[edge as usize]
    }

    /// Edges that leave a node, in order of their number.
    pub fn out_edges(&self, node: u32) -> &[u32] {
        self.out.of(node)
    }

    /// Edges that enter a node, in order of their number.
    pub fn in_edges(&self, node: u32) -> &[u32] {
        self.into.of(node)
    }

    /// Targets of the edges that leave a node; with repeats for parallel edges.
    pub fn successors(&self, node: u32) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.out_edges(node).iter().map(|&e| self.ends(e).1)
    }

    /// Sources of the edges that enter a node; with repeats for parallel edges.
    pub fn predecessors(&self, node: u32) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.in_edges(node).iter().map(|&e| self.ends(e).0)
    }

    /// The same graph with every edge turned round; edge numbers stay.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            ends: self.ends.iter().map(|&(from, to)| (to, from)).collect(),
            out: self.into.clone(),
            into: self.out.clone(),
        }
    }

    /// Nodes reachable from `root` in depth-first post-order (children before their parent).
    pub fn postorder(&self, root: u32) -> Vec<u32> {
        let mut seen = vec![false; self.nodes() as usize];
        let mut order = Vec::new();
        let mut stack = vec![(root, 0usize)];
        seen[root as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            let Some(&edge) = self.out.of(*node).get(*next) else {
                order.push(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            let target = self.ends[edge as usize].1;
            if !std::mem::replace(&mut seen[target as usize], true) {
                stack.push((target, 0));
            }
        }
        order
    }

    /// Nodes reachable from `root` in reverse post-order: before its successors, cycles aside.
    pub fn reverse_postorder(&self, root: u32) -> Vec<u32> {
        let mut order = self.postorder(root);
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_parallel_edges_and_self_loops() {
        let g = Digraph::new(3, [(0, 1), (0, 1), (1, 1), (1, 2)]);
        assert_eq!(g.out_edges(0), [0, 1]);
        assert_eq!(g.in_edges(1), [0, 1, 2]);
        assert_eq!(g.successors(1).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(g.reversed().out_edges(1), [0, 1, 2]);
        assert_eq!(g.reversed().ends(3), (2, 1));
    }

    #[test]
    fn reverse_postorder_puts_nodes_before_their_successors() {
        let g = Digraph::new(5, [(0, 2), (2, 1), (0, 1), (1, 3)]);
        assert_eq!(g.reverse_postorder(0), [0, 2, 1, 3]);
    }
}
