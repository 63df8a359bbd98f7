//! Loop nests, irreducible regions included, by nested strongly connected components.
//!
//! A strongly connected region with more than one node, or with a self-loop, is a loop. Its header is the node through
//! which it is entered; without the edges into the header the region falls apart into smaller ones, the loops nested in
//! it. A region with several entry nodes is irreducible; its smallest entry node serves as header.
//!
//! Source: Bourdoncle 1993, "Efficient chaotic iteration strategies with widenings"; Steensgaard 1993, "Sequentializing
//! program dependence graphs for irreducible programs". On reducible graphs the result is that of natural loops with a
//! common header merged (Aho, Sethi & Ullman 1986, §10.4). Deviation from Steensgaard: one header per region, as in
//! Havlak 1997, "Nesting of reducible and irreducible loops". Time is O(depth · edges).

use crate::{Digraph, components};

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The node that every iteration passes.
    pub header: u32,
    /// All nodes of the loop, nested loops included, ascending.
    pub nodes: Vec<u32>,
    /// Index of the innermost enclosing loop.
    pub parent: Option<u32>,
    /// Nesting depth, 1 for an outermost loop.
    pub depth: u32,
    /// Edges from inside the loop to its header.
    pub back_edges: Vec<u32>,
    /// Edges from outside the loop into it.
    pub entry_edges: Vec<u32>,
    /// Whether the header is the only way in.
    pub reducible: bool,
}

/// The loops of the part of a graph that is reachable from its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopNest {
    loops: Vec<Loop>,
    innermost: Vec<Option<u32>>,
}

impl LoopNest {
    /// Finds all loops reachable from a root, outer before inner, siblings by their smallest node. `order` is a reverse post-order of what can be
    /// reached from the root.
    pub fn of(graph: &Digraph, order: &[u32]) -> Self {
        let mut nest = Self {
            loops: Vec::new(),
            innermost: vec![None; graph.nodes() as usize],
        };
        let mut reachable = vec![false; graph.nodes() as usize];
        let root = order[0];
        let mut all = order.to_vec();
        for &node in &all {
            reachable[node as usize] = true;
        }
        all.sort_unstable();
        let mut hidden = vec![false; graph.edges() as usize];
        let mut pending = vec![(all, None)];
        while let Some((region, parent)) = pending.pop() {
            let found = nest.loops_in(graph, root, &region, parent, &reachable, &mut hidden);
            pending.extend(found.into_iter().rev());
        }
        nest
    }

    /// Records the loops that are maximal in `region`, hides the edges into their headers, returns their nodes.
    fn loops_in(
        &mut self,
        graph: &Digraph,
        root: u32,
        region: &[u32],
        parent: Option<u32>,
        reachable: &[bool],
        hidden: &mut [bool],
    ) -> Vec<(Vec<u32>, Option<u32>)> {
        let inside = |n: u32| reachable[n as usize] && self.innermost[n as usize] == parent;
        let visible = |e: u32| !hidden[e as usize] && inside(graph.ends(e).1);
        let parts = components::within(graph, region.iter().copied(), visible);
        let mut cyclic: Vec<&[u32]> = parts
            .members()
            .filter(|nodes| {
                nodes.len() > 1
                    || graph
                        .out_edges(nodes[0])
                        .iter()
                        .any(|&e| !hidden[e as usize] && graph.ends(e).1 == nodes[0])
            })
            .collect();
        cyclic.sort_by_key(|nodes| nodes[0]);
        let mut found = Vec::new();
        for nodes in cyclic {
            let part = parts.of(nodes[0]);
            let within = |n: u32| parts.of(n) == part;
            let entry_edges: Vec<u32> = edges_into(graph, nodes)
                .filter(|&e| reachable[graph.ends(e).0 as usize] && !within(graph.ends(e).0))
                .collect();
            let mut entries: Vec<u32> = entry_edges.iter().map(|&e| graph.ends(e).1).collect();
            entries.extend(nodes.iter().filter(|&&n| n == root));
            entries.sort_unstable();
            entries.dedup();
            // The header of the enclosing loop is never in here unless it is this loop's header too: its in-edges are
            // hidden, so it cannot lie on a cycle.
            let header = entries.first().copied().unwrap_or(nodes[0]);
            let back_edges: Vec<u32> = graph
                .in_edges(header)
                .iter()
                .copied()
                .filter(|&e| within(graph.ends(e).0))
                .collect();
            for &edge in &back_edges {
                hidden[edge as usize] = true;
            }
            let number = self.loops.len() as u32 + found.len() as u32;
            found.push((
                number,
                header,
                nodes.to_vec(),
                back_edges,
                entry_edges,
                entries.len() == 1,
            ));
        }
        let depth = parent.map_or(1, |p| self.loops[p as usize].depth + 1);
        found
            .into_iter()
            .map(
                |(number, header, nodes, back_edges, entry_edges, reducible)| {
                    for &node in &nodes {
                        self.innermost[node as usize] = Some(number);
                    }
                    let members = nodes.clone();
                    self.loops.push(Loop {
                        header,
                        nodes,
                        parent,
                        depth,
                        back_edges,
                        entry_edges,
                        reducible,
                    });
                    (members, Some(number))
                },
            )
            .collect()
    }

    /// The loops, outer before inner.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The innermost loop around a node.
    pub fn innermost(&self, node: u32) -> Option<u32> {
        self.innermost[node as usize]
    }

    /// How many loops are around a node.
    pub fn depth(&self, node: u32) -> u32 {
        self.innermost(node)
            .map_or(0, |l| self.loops[l as usize].depth)
    }

    /// Whether a loop contains a node.
    pub fn contains(&self, l: u32, node: u32) -> bool {
        self.loops[l as usize].nodes.binary_search(&node).is_ok()
    }
}

fn edges_into<'g>(graph: &'g Digraph, nodes: &'g [u32]) -> impl Iterator<Item = u32> + 'g {
    nodes
        .iter()
        .flat_map(|&n| graph.in_edges(n).iter().copied())
}
