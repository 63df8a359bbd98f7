//! Bridges of undirected multigraphs: the edges that lie on no cycle.
//!
//! Source: Tarjan 1974, "A note on finding the bridges of a graph", with the low points of Hopcroft & Tarjan 1973; without recursion,
//! since graphs may be as deep as they are large. Linear in nodes and edges.

/// Marks an edge by which no node was reached.
const NONE: usize = usize::MAX;

/// For each edge `(a, b)` of an undirected multigraph over `0..nodes`: whether removing it parts its ends. Self-loops and
/// parallel edges are no bridges.
pub fn bridges(nodes: u32, edges: &[(u32, u32)]) -> Vec<bool> {
    let mut at: Vec<Vec<(u32, usize)>> = vec![Vec::new(); nodes as usize];
    for (number, &(a, b)) in edges.iter().enumerate() {
        at[a as usize].push((b, number));
        at[b as usize].push((a, number));
    }
    let mut search = Search {
        at,
        order: vec![0; nodes as usize],
        low: vec![0; nodes as usize],
        next: 1,
        bridge: vec![false; edges.len()],
    };
    for root in 0..nodes {
        if search.order[root as usize] == 0 {
            search.from(root);
        }
    }
    search.bridge
}

struct Search {
    /// Neighbours with the edge to them.
    at: Vec<Vec<(u32, usize)>>,
    /// Position in which each node was reached, from 1; 0 for none.
    order: Vec<u32>,
    /// The earliest node reached from the node's subtree by one further edge.
    low: Vec<u32>,
    next: u32,
    bridge: Vec<bool>,
}

impl Search {
    fn reach(&mut self, node: u32) {
        self.order[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
    }

    fn from(&mut self, root: u32) {
        self.reach(root);
        // Node, the edge by which it was reached, and how many of its neighbours were looked at.
        let mut path = vec![(root, NONE, 0)];
        while let Some(&mut (node, by, ref mut looked)) = path.last_mut() {
            let n = node as usize;
            if let Some(&(to, edge)) = self.at[n].get(*looked) {
                *looked += 1;
                if edge == by {
                    continue;
                }
                if self.order[to as usize] == 0 {
                    self.reach(to);
                    path.push((to, edge, 0));
                } else {
                    self.low[n] = self.low[n].min(self.order[to as usize]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, ..)) = path.last() {
                let p = parent as usize;
                self.low[p] = self.low[p].min(self.low[n]);
                self.bridge[by] = self.low[n] > self.order[p];
            }
        }
    }
}
