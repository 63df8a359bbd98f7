//! Strongly connected components.
//!
//! Source: Tarjan 1972, "Depth-first search and linear graph algorithms", with an explicit stack so that depth is
//! bounded by memory alone. Edges can be hidden by a filter, which is how nested loops are found.

use crate::Digraph;

/// The strongly connected components of a graph, in reverse topological order: every edge that leaves a component leads
/// to one with a smaller number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    of: Vec<Option<u32>>,
    /// The nodes of all components, one after another.
    nodes: Vec<u32>,
    /// Where each ends in `nodes`.
    ends: Vec<u32>,
}

impl Components {
    /// The component of a node; none if the node was not among the roots searched from.
    pub fn of(&self, node: u32) -> Option<u32> {
        self.of[node as usize]
    }

    /// The nodes of each component, ascending.
    pub fn members(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.ends.len() as u32).map(|component| self.members_of(component))
    }

    /// The nodes of one component, ascending.
    pub fn members_of(&self, component: u32) -> &[u32] {
        let component = component as usize;
        let before = component.checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        &self.nodes[start as usize..self.ends[component] as usize]
    }
}

/// Components of the whole graph.
pub fn strongly_connected(graph: &Digraph) -> Components {
    within(graph, graph.node_range(), |_| true)
}

/// Components of the part of the graph that is reachable from `roots` over edges that `visible` admits.
pub fn within(
    graph: &Digraph,
    roots: impl IntoIterator<Item = u32>,
    visible: impl Fn(u32) -> bool,
) -> Components {
    let n = graph.nodes() as usize;
    let mut path = Vec::new();
    let mut search = Search {
        graph,
        visible,
        index: vec![0; n],
        low: vec![0; n],
        clock: 0,
        open: Vec::new(),
        result: Components {
            of: vec![None; n],
            nodes: Vec::with_capacity(n),
            ends: Vec::with_capacity(n),
        },
    };
    for root in roots {
        if search.index[root as usize] == 0 {
            search.from(root, &mut path);
        }
    }
    search.result
}

struct Search<'g, V> {
    graph: &'g Digraph,
    visible: V,
    /// Order of discovery from 1; 0 is "not seen".
    index: Vec<u32>,
    low: Vec<u32>,
    clock: u32,
    /// Tarjan's stack of nodes without a component yet.
    open: Vec<u32>,
    result: Components,
}

impl<V: Fn(u32) -> bool> Search<'_, V> {
    /// `path` is empty; handed in so that it is allocated once.
    fn from(&mut self, root: u32, path: &mut Vec<(u32, usize)>) {
        path.push((root, 0));
        self.discover(root);
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if let Some(&edge) = self.graph.out_edges(node).get(*next) {
                *next += 1;
                if !(self.visible)(edge) {
                    continue;
                }
                let target = self.graph.ends(edge).1;
                if self.index[target as usize] == 0 {
                    self.discover(target);
                    path.push((target, 0));
                } else if self.result.of[target as usize].is_none() {
                    self.lower(node, self.index[target as usize]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.lower(parent, self.low[node as usize]);
            }
            if self.low[node as usize] == self.index[node as usize] {
                self.close(node);
            }
        }
    }

    fn discover(&mut self, node: u32) {
        self.clock += 1;
        self.index[node as usize] = self.clock;
        self.low[node as usize] = self.clock;
        self.open.push(node);
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    fn close(&mut self, root: u32) {
        let number = self.result.ends.len() as u32;
        let start = self.result.nodes.len();
        while let Some(node) = self.open.pop() {
            self.result.of[node as usize] = Some(number);
            self.result.nodes.push(node);
            if node == root {
                break;
            }
        }
        self.result.nodes[start..].sort_unstable();
        self.result.ends.push(self.result.nodes.len() as u32);
    }
}
