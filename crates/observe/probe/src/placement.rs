//! Which edges carry a counter: those outside a maximum spanning tree.
//!
//! Nodes are the blocks and one for the caller, which is both ENTRY and EXIT. An edge in `d` common loops weighs
//! 10^d, divided by the number of ways out of its source that stay in those loops, so that of the counters that a cycle
//! needs the ones on rarer ways are chosen. Edges into blocks from which every way ends in an `athrow` weigh a thousandth:
//! checks of arguments rarely fail.
//!
//! Source: Knuth & Stevenson 1973, "Optimal measurement points for program frequency counts"; Ball & Larus 1994,
//! "Optimally profiling and tracing programs", §3. Three kinds of edges are decided beforehand:
//! - `Continue` edges always have a counter: their difference to the block is the throws there;
//! - the throws themselves, which no plan lists, are edges of the tree (see [`MethodPlan::uncounted_throws`]);
//! - returns that may throw never have one, since it would stand before the instruction that throws.
//!
//! Where only the counts of some blocks are asked for, only what they need stays (see [`MethodPlan::needed`]). A removed loop's edges get none. Placement is otherwise the same, so that neither ever adds a counter (`docs/decisions/015-budget-by-loops.md`).
//!
//! The last two kinds lead from different blocks to the caller and hence never close a cycle.

use pricetag_graph::maximum_spanning_forest;
use pricetag_probe_plan::{BlockPlan, EdgeKind, EdgePlan, MethodPlan, Node};

use crate::Counters;

/// The weight of an edge that must be in the tree.
const ALWAYS: u64 = u64::MAX;
/// Weight of an edge outside all loops that is the only way out of its source.
const UNIT: u64 = 10_000;
/// 10^14 times [`UNIT`] still fits.
const DEEPEST: u32 = 14;

/// What an edge towards a certain throw is lighter by.
const COLD: u64 = 1000;
/// `athrow`.
const ATHROW: u8 = 0xbf;

/// Puts counters on the plan's edges, in order of the edges.
pub fn place(plan: &mut MethodPlan, returns_may_throw: bool, counters: &mut Counters) {
    let caller = plan.blocks.len() as u32;
    let node = |n: Node| match n {
        Node::Entry | Node::Exit => caller,
        Node::Block(b) => b.0,
    };
    let mut candidates = Vec::with_capacity(plan.edges.len());
    for (edge, weight) in plan.edges.iter().zip(weights(plan)) {
        match edge.kind {
            EdgeKind::Continue => {}
            EdgeKind::Return if returns_may_throw => {
                candidates.push((node(edge.from), caller, ALWAYS));
            }
            _ => candidates.push((node(edge.from), node(edge.to), weight)),
        }
    }
    candidates.extend(
        plan.uncounted_throws()
            .iter()
            .map(|b| (b.0, caller, ALWAYS)),
    );
    let mut in_tree = maximum_spanning_forest(caller + 1, &candidates).into_iter();
    let edges = plan.edges.iter();
    let outside = edges
        .map(|edge| edge.kind == EdgeKind::Continue || in_tree.next() == Some(false))
        .collect();
    for (number, counted) in plan.needed(outside).into_iter().enumerate() {
        let edge = &plan.edges[number];
        if counted && !plan.is_removed(plan.loop_of_edge(edge)) {
            plan.edges[number].counter = Some(counters.take());
        }
    }
}

/// The estimated relative frequency of each edge.
fn weights(plan: &MethodPlan) -> Vec<u64> {
    let throwing = surely_throwing(plan);
    let mut weights = Vec::with_capacity(plan.edges.len());
    let mut depths = Vec::new();
    for edges in by_source(plan) {
        depths.clear();
        depths.extend(edges.iter().map(|edge| common_loops(plan, edge)));
        depths.sort_unstable();
        weights.extend(edges.iter().map(|edge| {
            let depth = common_loops(plan, edge);
            let ways = edges.len() - depths.partition_point(|other| *other < depth);
            let weight = UNIT * 10u64.pow(depth.min(DEEPEST)) / ways as u64;
            match edge.to {
                Node::Block(b) if throwing[b.0 as usize] => (weight / COLD).max(1),
                _ => weight,
            }
        }));
    }
    weights
}

/// The edges out of each node; they stand in the order of their blocks.
fn by_source(plan: &MethodPlan) -> impl DoubleEndedIterator<Item = &[EdgePlan]> {
    plan.edges.chunk_by(|a, b| a.from == b.from)
}

/// For each block, whether every way from it ends in an `athrow`; ways into loops are taken to go on.
fn surely_throwing(plan: &MethodPlan) -> Vec<bool> {
    let ends_in_throw = |block: &BlockPlan| {
        block
            .instructions
            .last()
            .is_some_and(|i| i.opcode == ATHROW)
    };
    let mut throwing: Vec<bool> = plan.blocks.iter().map(ends_in_throw).collect();
    if !throwing.contains(&true) {
        return throwing;
    }
    // Blocks stand in the order of the code, and ways to a throw mostly lead forward.
    for edges in by_source(plan).rev() {
        let leads = |edge: &EdgePlan| matches!(edge.to, Node::Block(t) if throwing[t.0 as usize]);
        if let (Node::Block(from), true) = (edges[0].from, edges.iter().all(leads)) {
            throwing[from.0 as usize] = true;
        }
    }
    throwing
}

/// In how many loops an edge stays. Edges between blocks of different loops at the same depth count as in both, which
/// only costs a little optimality.
fn common_loops(plan: &MethodPlan, edge: &EdgePlan) -> u32 {
    match (edge.from, edge.to) {
        (Node::Block(a), Node::Block(b)) => plan.blocks[a.0 as usize]
            .loop_depth
            .min(plan.blocks[b.0 as usize].loop_depth),
        _ => 0,
    }
}
