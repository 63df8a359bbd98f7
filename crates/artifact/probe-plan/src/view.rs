//! What the counts of a method mean: invocations, loop iterations, branch outcomes, opcodes, calls.
//!
//! All of them are sums of counts with static tables of the plan; nothing here is measured anew. What needs a count that is not known is not
//! known either, except that sums over a whole method are over what is known.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::MethodCounts;
use crate::plan::{
    BlockId, BlockPlan, CallSite, ClassPlan, EdgeId, EdgeKind, EdgePlan, LoopPlan, MethodPlan, Node,
};

/// How often a loop ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounts {
    /// Times it was entered from outside. A loop whose header is an exception handler is also entered by exceptions,
    /// which count here, as it cannot be told whether they came from inside.
    pub entries: u64,
    /// Times control came back to the header over a back edge: iterations after the first.
    pub repeats: u64,
    /// Executions of the header. They are entries and repeats together, but for loops that are also entered elsewhere
    /// (the state machine of a suspended coroutine goes on in the middle).
    pub passes: u64,
}

/// The static target of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallTarget<'p> {
    /// Internal name of the owner in the constant pool.
    pub owner: &'p str,
    /// Name.
    pub name: &'p str,
    /// Descriptor.
    pub descriptor: &'p str,
}

impl EdgeKind {
    /// Whether the edge is one outcome of a decision.
    pub fn is_branch_outcome(self) -> bool {
        matches!(
            self,
            Self::NotTaken | Self::Taken | Self::Case(_) | Self::Default
        )
    }
}

impl EdgePlan {
    /// The block it leaves; none for the entry.
    pub fn from_block(&self) -> Option<BlockId> {
        match self.from {
            Node::Block(block) => Some(block),
            Node::Entry | Node::Exit => None,
        }
    }
}

impl BlockPlan {
    /// Source lines the block's instructions stem from, ascending, without repeats.
    pub fn line_numbers(&self) -> Vec<u16> {
        let numbers: BTreeSet<u16> = self.lines.iter().map(|l| l.line).collect();
        numbers.into_iter().collect()
    }

    /// The source lines that it has instructions of, in order, and how many; none where all are of one line.
    pub fn code_lines(&self) -> Vec<(u32, u32)> {
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        for (number, start) in self.lines.iter().enumerate() {
            let next = self.lines.get(number + 1);
            let end = next.map_or(self.instructions.len(), |next| usize::from(next.at));
            let count = end.saturating_sub(usize::from(start.at)) as u32;
            *lines.entry(start.line.into()).or_default() += count;
        }
        lines.retain(|_, count| *count > 0);
        if lines.len() < 2 {
            return Vec::new();
        }
        lines.into_iter().collect()
    }

    /// The first and the last of them.
    pub fn line_span(&self) -> Option<(u16, u16)> {
        let numbers = self.lines.iter().map(|l| l.line);
        numbers.clone().min().zip(numbers.max())
    }
}

impl ClassPlan {
    /// Number of a method's first loop among the loops of all methods, in their order; for the number of methods how many there are.
    pub fn first_loop(&self, method: usize) -> u32 {
        let before = self.methods.iter().take(method);
        before.map(|method| method.loops.len() as u32).sum()
    }
}

impl MethodPlan {
    /// Times the method's first instruction was entered from outside.
    pub fn invocations(&self, counts: &MethodCounts) -> Option<u64> {
        let edges = self.edges.iter().zip(&counts.edges);
        let entries = edges.filter(|(e, _)| e.from == Node::Entry);
        entries.map(|(_, n)| *n).sum()
    }

    /// Times control left by a return instruction.
    pub fn returns(&self, counts: &MethodCounts) -> Option<u64> {
        let edges = self.edges.iter().zip(&counts.edges);
        let exits = edges.filter(|(e, _)| e.to == Node::Exit);
        exits.map(|(_, n)| *n).sum()
    }

    /// Counts of each loop, parallel to [`MethodPlan::loops`].
    pub fn loop_counts(&self, counts: &MethodCounts) -> Vec<Option<LoopCounts>> {
        let sum = |edges: &[EdgeId]| -> Option<u64> {
            edges.iter().map(|e| counts.edges[e.0 as usize]).sum()
        };
        let count = |l: &LoopPlan| {
            let handlers = self.handlers.iter().zip(&counts.handlers);
            let at_header = handlers.filter(|(h, _)| h.block == l.header);
            let by_exception: u64 = at_header.map(|(_, n)| n).sum();
            let repeats = sum(&l.back_edges)?;
            let (at_header, elsewhere): (Vec<EdgeId>, Vec<EdgeId>) = (l.entry_edges.iter())
                .partition(|e| self.edges[e.0 as usize].to == Node::Block(l.header));
            let through_header = sum(&at_header)? + by_exception;
            Some(LoopCounts {
                entries: through_header + sum(&elsewhere)?,
                repeats,
                passes: through_header + repeats,
            })
        };
        self.loops.iter().map(count).collect()
    }

    /// Every outcome of a decision (branch taken or not, switch case) with its count. Of a decision all outcomes are given or none: some
    /// alone would read as if the others never came.
    pub fn branch_outcomes<'a>(
        &'a self,
        counts: &'a MethodCounts,
    ) -> impl Iterator<Item = (EdgeId, &'a EdgePlan, u64)> + 'a {
        let outcomes = self.edges.iter().zip(&counts.edges);
        let outcomes = outcomes.filter(|(e, _)| e.kind.is_branch_outcome());
        let partly: BTreeSet<BlockId> = outcomes
            .filter(|(_, n)| n.is_none())
            .filter_map(|(e, _)| e.from_block())
            .collect();
        let whole = move |e: &EdgePlan| e.from_block().is_none_or(|b| !partly.contains(&b));
        let numbered = self.edges.iter().zip(&counts.edges).enumerate();
        numbered
            .filter(move |(_, (e, _))| e.kind.is_branch_outcome() && whole(e))
            .filter_map(|(i, (e, n))| Some((EdgeId(i as u32), e, (*n)?)))
    }

    /// Executions of each opcode in blocks whose count is known; instructions behind a throw in their block are not counted.
    pub fn opcodes(&self, counts: &MethodCounts) -> [u64; 256] {
        let mut histogram = [0; 256];
        for (block, executed) in self.blocks.iter().zip(&counts.instructions) {
            for (instruction, n) in block.instructions.iter().zip(executed.iter().flatten()) {
                histogram[usize::from(instruction.opcode)] += n;
            }
        }
        histogram
    }

    /// Every call site with the number of calls it made.
    pub fn call_sites<'a>(
        &'a self,
        counts: &'a MethodCounts,
    ) -> impl Iterator<Item = (&'a CallSite, Option<u64>)> + Clone + 'a {
        self.blocks
            .iter()
            .zip(&counts.instructions)
            .flat_map(|(block, executed)| {
                block.calls.iter().map(move |call| {
                    let at = block.instructions.binary_search_by_key(&call.pc, |i| i.pc);
                    let executed = executed.as_ref();
                    (call, executed.map(|n| at.map_or(0, |k| n[k])))
                })
            })
    }

    /// Calls per static target, from sites whose count is known.
    pub fn calls<'a>(&'a self, counts: &'a MethodCounts) -> BTreeMap<CallTarget<'a>, u64> {
        let mut calls = BTreeMap::new();
        for (call, made) in self.call_sites(counts) {
            let target = CallTarget {
                owner: &call.owner,
                name: &call.name,
                descriptor: &call.descriptor,
            };
            *calls.entry(target).or_default() += made.unwrap_or(0);
        }
        calls
    }
}
