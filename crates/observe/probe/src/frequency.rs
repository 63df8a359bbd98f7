//! How often control is likely to pass each edge, as far as the shape of a method tells.
//!
//! Control arrives once, turns [`TURNS`] times in a loop, and takes every way out of a block equally often, but for three kinds: ways out of a loop are taken as
//! often as the loop is left, and ways into blocks from which every further one ends in an `athrow` hardly ever, since checks of arguments rarely fail;
//! and of two even ways the jump is a little likelier: compilers let control fall into what an `if` is to do, and jump past it. What arrives at a block is what leads there, so that code behind many conditions weighs little.
//!
//! Source: Wu & Larus 1994, "Static branch frequency and program profile analysis". Deviation: of their heuristics only the ones on loops, and ours on throws; those on
//! comparisons, calls and returns were tried on eleven programs and gained nothing on the whole (`docs/decisions/025-counter-updates.md`). Limits: in irreducible
//! regions arrivals from blocks that come later are not seen.

use pricetag_classfile::opcode as op;
use pricetag_probe_plan::{BlockPlan, EdgeKind, EdgePlan, MethodPlan, Node};

/// How often a loop's header is entered for each time that the loop is.
const TURNS: f32 = 10.0;
/// How much rarer than others a way towards a certain throw is.
const COLD: f32 = 0.001;
/// How much likelier than falling through a jump is that is as good as that by all else. Anything from 1.001 to 1.22 gives nearly the same trees.
const JUMP: f32 = 1.1;
/// Arrivals at a handler outside all loops.
const THROWN: f32 = 0.01;

/// The relative frequency of each edge, none below 0. `order` has the blocks by number in reverse post-order, and may have further numbers.
pub(crate) fn of_edges(plan: &MethodPlan, order: &[u32]) -> Vec<f32> {
    let mut frequencies = vec![1.0; plan.edges.len()];
    if plan.blocks.len() == 1 {
        return frequencies;
    }
    let throwing = surely_throwing(plan);
    let mut arriving = vec![0.0; plan.blocks.len()];
    let mut turns = vec![1.0; plan.blocks.len()];
    let mut is_back = vec![false; plan.edges.len()];
    for l in &plan.loops {
        turns[l.header.0 as usize] = TURNS;
        for edge in &l.back_edges {
            is_back[edge.0 as usize] = true;
        }
    }
    for handler in &plan.handlers {
        let block = handler.block.0 as usize;
        arriving[block] = THROWN * TURNS.powi(plan.blocks[block].loop_depth as i32);
    }
    let mut ways = vec![0..0; plan.blocks.len()];
    let mut at = 0;
    for edges in by_source(plan) {
        match (edges[0].from, edges[0].to) {
            (Node::Block(from), _) => ways[from.0 as usize] = at..at + edges.len(),
            (_, Node::Block(first)) => arriving[first.0 as usize] += 1.0,
            _ => {}
        }
        at += edges.len();
    }
    for &block in order {
        let Some(ways) = ways.get(block as usize).cloned() else {
            continue;
        };
        let here = arriving[block as usize] * turns[block as usize];
        for way in ways.clone() {
            frequencies[way] = share(plan, &plan.edges[way], &throwing);
        }
        if let [1.0, 1.0] = frequencies[ways.clone()]
            && let Some(jump) = ways
                .clone()
                .find(|way| plan.edges[*way].kind == EdgeKind::Taken)
        {
            frequencies[jump] = JUMP;
        }
        let all: f32 = frequencies[ways.clone()].iter().sum();
        for way in ways {
            frequencies[way] *= here / all;
            if let (Node::Block(to), false) = (plan.edges[way].to, is_back[way]) {
                arriving[to.0 as usize] += frequencies[way];
            }
        }
    }
    frequencies
}

/// How often a way out of a block is taken, relative to the others.
fn share(plan: &MethodPlan, edge: &EdgePlan, throwing: &[bool]) -> f32 {
    let (Node::Block(from), Node::Block(to)) = (edge.from, edge.to) else {
        return 1.0;
    };
    let (from, at) = (&plan.blocks[from.0 as usize], &plan.blocks[to.0 as usize]);
    // From one loop to another that is no deeper leaves the first, too.
    let leaves = from.innermost_loop != at.innermost_loop && at.loop_depth <= from.loop_depth;
    let of_loop = if leaves { 1.0 / (TURNS - 1.0) } else { 1.0 };
    let of_throw = if throwing[to.0 as usize] { COLD } else { 1.0 };
    of_loop * of_throw
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
            .is_some_and(|i| i.opcode == op::ATHROW)
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

#[cfg(test)]
mod tests {
    use pricetag_classfile::ClassFile;
    use pricetag_probe_plan::BlockId;

    use super::*;

    /// Frequencies of a method of `tests/subjects`, whose sources say what it does.
    fn of_method(class: &[u8], name: &str) -> (MethodPlan, Vec<f32>) {
        let parsed = ClassFile::parse(class).unwrap();
        let plan = crate::plan(&parsed, class);
        let method = plan.methods.into_iter().find(|m| m.name == name).unwrap();
        let order: Vec<u32> = (0..method.blocks.len() as u32).collect();
        let frequencies = of_edges(&method, &order);
        (method, frequencies)
    }

    #[test]
    fn loops_turn_ten_times_and_what_arrives_leaves() {
        let class = include_bytes!("../tests/subjects/Loops.class");
        let (plan, frequencies) = of_method(class, "nested");
        let sum = |wanted: &dyn Fn(&EdgePlan) -> bool| -> f32 {
            let edges = plan.edges.iter().zip(&frequencies);
            edges.filter(|(e, _)| wanted(e)).map(|(_, f)| f).sum()
        };
        let returns = sum(&|e| e.kind == EdgeKind::Return);
        assert!((returns - 1.0).abs() < 1e-5, "{returns}");
        let [outer, inner] = [0, 1].map(|l: usize| plan.loops[l].header);
        let arrivals = |block: BlockId| sum(&|e| e.to == Node::Block(block));
        assert!((arrivals(outer) - TURNS).abs() < 1e-4);
        assert!((arrivals(inner) - (TURNS - 1.0) * TURNS).abs() < 1e-3);
    }

    #[test]
    fn checks_rarely_fail_and_other_ways_are_even() {
        let class = include_bytes!("../tests/subjects/Checks.class");
        let (plan, frequencies) = of_method(class, "checked");
        let expected = [
            (EdgeKind::Entry, 1.0),
            (EdgeKind::NotTaken, COLD / (1.0 + COLD)),
            (EdgeKind::Taken, 1.0 / (1.0 + COLD)),
            (EdgeKind::NotTaken, 1.0 / (1.0 + JUMP) / (1.0 + COLD)),
            (EdgeKind::Taken, JUMP / (1.0 + JUMP) / (1.0 + COLD)),
            (EdgeKind::Jump, 1.0 / (1.0 + JUMP) / (1.0 + COLD)),
            (EdgeKind::FallThrough, JUMP / (1.0 + JUMP) / (1.0 + COLD)),
            (EdgeKind::Return, 1.0 / (1.0 + COLD)),
        ];
        assert_eq!(
            (plan.edges.len(), frequencies.len()),
            (expected.len(), expected.len())
        );
        let found = plan.edges.iter().zip(frequencies);
        for ((edge, frequency), (kind, wanted)) in found.zip(expected) {
            assert_eq!(edge.kind, kind);
            assert!((frequency - wanted).abs() < 1e-6, "{kind:?} {frequency}");
        }
    }
}
