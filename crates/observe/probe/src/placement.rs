//! Which edges carry a counter: those outside a maximum spanning tree.
//!
//! Nodes are the blocks and one for the caller, which is both ENTRY and EXIT. Edges weigh what control is likely to pass them (`frequency`), so that of the
//! counters that a cycle needs the ones on rarer ways are chosen.
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
use pricetag_probe_plan::{EdgeKind, MethodPlan, Node};

use crate::{Counters, frequency};

/// The weight of an edge that must be in the tree.
const ALWAYS: u64 = u64::MAX;

/// Puts counters on the plan's edges, in order of the edges. `order` has the blocks by number in reverse post-order, and may have further numbers.
pub fn place(
    plan: &mut MethodPlan,
    order: &[u32],
    returns_may_throw: bool,
    counters: &mut Counters,
) {
    let caller = plan.blocks.len() as u32;
    let node = |n: Node| match n {
        Node::Entry | Node::Exit => caller,
        Node::Block(b) => b.0,
    };
    let mut candidates = Vec::with_capacity(plan.edges.len());
    let frequencies = frequency::of_edges(plan, order);
    let weights = frequencies.into_iter().map(weight);
    for (edge, weight) in plan.edges.iter().zip(weights) {
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

/// A weight for a frequency, which is not negative. What differs by no more than rounding weighs the same, so that the edge given first wins.
fn weight(frequency: f32) -> u64 {
    // The bits of numbers that are not negative are ordered as they are; twelve bits of the fraction stay.
    const CUT: u32 = f32::MANTISSA_DIGITS - 1 - 12;
    u64::from((frequency.to_bits() + (1 << (CUT - 1))) >> CUT)
}
