//! Dominator trees by iteration to a fixpoint in reverse post-order.
//!
//! Source: Cooper, Harvey & Kennedy 2001, "A simple, fast dominance algorithm". Ancestor queries use depth-first
//! intervals on the finished tree instead of walking it. Post-dominators are dominators of the reversed graph with one
//! added exit; nodes from which no exit can be reached (endless loops) are post-dominated by nothing and reported so.

use crate::Digraph;

const NONE: u32 = u32::MAX;

/// The dominator tree of the nodes reachable from a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    immediate: Vec<u32>,
    enter: Vec<u32>,
    leave: Vec<u32>,
    root: u32,
}

impl Dominators {
    /// Dominators of the nodes reachable from `root`.
    pub fn of(graph: &Digraph, root: u32) -> Self {
        let order = graph.reverse_postorder(root);
        let immediate = immediate(graph, &order);
        Self::with_intervals(immediate, &order, root)
    }

    /// The immediate dominators alone, none for the root and for unreachable nodes: cheaper than the tree. `order` is a reverse post-order of
    /// what can be reached from the root.
    pub fn immediate_of(graph: &Digraph, order: &[u32]) -> Vec<Option<u32>> {
        let immediate = immediate(graph, order);
        let some = |node| Some(node).filter(|&n| n != NONE);
        immediate.into_iter().map(some).collect()
    }

    /// Post-dominators: `exits` are the nodes at which a path may end. The added exit is node `graph.nodes()`.
    pub fn post(graph: &Digraph, exits: &[u32]) -> Self {
        let end = graph.nodes();
        let edges = (0..graph.edges())
            .map(|e| graph.ends(e))
            .chain(exits.iter().map(|&n| (n, end)));
        Self::of(&Digraph::new(end + 1, edges).reversed(), end)
    }

    fn with_intervals(immediate: Vec<u32>, order: &[u32], root: u32) -> Self {
        let nodes = immediate.len();
        let tree = Digraph::new(
            nodes as u32,
            order
                .iter()
                .filter(|&&n| n != root)
                .map(|&n| (immediate[n as usize], n)),
        );
        let (mut enter, mut leave) = (vec![NONE; nodes], vec![NONE; nodes]);
        let mut clock = 0;
        let mut stack = vec![(root, false)];
        while let Some((node, done)) = stack.pop() {
            if done {
                leave[node as usize] = clock;
                continue;
            }
            enter[node as usize] = clock;
            clock += 1;
            stack.push((node, true));
            stack.extend(tree.successors(node).rev().map(|child| (child, false)));
        }
        Self {
            immediate,
            enter,
            leave,
            root,
        }
    }

    /// The root.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Whether `node` can be reached from the root.
    pub fn is_reachable(&self, node: u32) -> bool {
        self.enter[node as usize] != NONE
    }

    /// The immediate dominator; none for the root and for unreachable nodes.
    pub fn immediate(&self, node: u32) -> Option<u32> {
        Some(self.immediate[node as usize]).filter(|&n| n != NONE)
    }

    /// Whether every path from the root to `b` passes `a` (every node dominates itself); false if either is
    /// unreachable.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        self.enter[a] != NONE
            && self.enter[b] != NONE
            && self.enter[a] <= self.enter[b]
            && self.enter[b] < self.leave[a]
    }
}

/// The immediate dominators of the nodes in `order`, a reverse post-order of what can be reached from the first.
fn immediate(graph: &Digraph, order: &[u32]) -> Vec<u32> {
    let mut rank = vec![NONE; graph.nodes() as usize];
    for (i, &node) in order.iter().enumerate() {
        rank[node as usize] = i as u32;
    }
    // Indexed by rank, so that "nearer to the root" is "smaller".
    let mut idom = vec![NONE; order.len()];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for (i, &node) in order.iter().enumerate().skip(1) {
            let new = graph
                .predecessors(node)
                .map(|p| rank[p as usize])
                .filter(|&p| p != NONE && idom[p as usize] != NONE)
                .reduce(|a, b| intersect(&idom, a, b));
            if let Some(new) = new
                && idom[i] != new
            {
                idom[i] = new;
                changed = true;
            }
        }
    }
    let mut immediate = vec![NONE; graph.nodes() as usize];
    for (i, &node) in order.iter().enumerate().skip(1) {
        immediate[node as usize] = order[idom[i] as usize];
    }
    immediate
}

fn intersect(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}
