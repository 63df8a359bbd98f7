//! Maximum spanning forests.
//!
//! Source: Kruskal 1956, "On the shortest spanning subtree of a graph"; disjoint sets with union by size and path
//! halving (Tarjan & van Leeuwen 1984). Among edges of equal weight the one given first wins.

use std::cmp::Reverse;

/// Disjoint sets over `0..n`.
#[derive(Clone, Debug)]
pub struct DisjointSets {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl DisjointSets {
    /// Every number in a set of its own.
    pub fn new(n: u32) -> Self {
        Self {
            parent: (0..n).collect(),
            size: vec![1; n as usize],
        }
    }

    /// The representative of the set of `x`.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let grandparent = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = grandparent;
            x = grandparent;
        }
        x
    }

    /// Merges two sets; whether they were different.
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (big, small) = if self.size[a as usize] >= self.size[b as usize] {
            (a, b)
        } else {
            (b, a)
        };
        self.parent[small as usize] = big;
        self.size[big as usize] += self.size[small as usize];
        true
    }
}

/// For each edge `(a, b, weight)` of an undirected multigraph over `0..nodes`: whether it is in the maximum spanning
/// forest. Self-loops never are.
pub fn maximum_spanning_forest(nodes: u32, edges: &[(u32, u32, u64)]) -> Vec<bool> {
    let weights = edges.iter().map(|edge| Reverse(edge.2));
    let mut order: Vec<(Reverse<u64>, usize)> = weights.zip(0..).collect();
    order.sort_unstable();
    let mut sets = DisjointSets::new(nodes);
    let mut chosen = vec![false; edges.len()];
    for (_, i) in order {
        let (a, b, _) = edges[i];
        chosen[i] = sets.union(a, b);
    }
    chosen
}
