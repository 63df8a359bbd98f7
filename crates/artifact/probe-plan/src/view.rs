//! What the counts of a method mean: invocations, loop iterations, branch outcomes, opcodes, calls.
//!
//! All of them are sums of counts with static tables of the plan; nothing here is measured anew.

use std::collections::BTreeMap;

use crate::derive::MethodCounts;
use crate::plan::{CallSite, ClassPlan, EdgeId, EdgeKind, EdgePlan, MethodPlan, Node};

/// How often a loop ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounts {
    /// Times it was entered from outside. A loop whose header is an exception handler is also entered by exceptions,
    /// which count here, as it cannot be told whether they came from inside.
    pub entries: u64,
    /// Times control came back to the header over a back edge: iterations after the first.
    pub repeats: u64,
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

impl ClassPlan {
    /// Number of a method's first loop among the loops of all methods, in their order; for the number of methods how many there are.
    pub fn first_loop(&self, method: usize) -> u32 {
        let before = self.methods.iter().take(method);
        before.map(|method| method.loops.len() as u32).sum()
    }
}

impl MethodPlan {
    /// Times the method's first instruction was entered from outside.
    pub fn invocations(&self, counts: &MethodCounts) -> u64 {
        let entries = self
            .edges
            .iter()
            .zip(&counts.edges)
            .filter(|(e, _)| e.from == Node::Entry);
        entries.map(|(_, n)| n).sum()
    }

    /// Times control left by a return instruction.
    pub fn returns(&self, counts: &MethodCounts) -> u64 {
        let exits = self
            .edges
            .iter()
            .zip(&counts.edges)
            .filter(|(e, _)| e.to == Node::Exit);
        exits.map(|(_, n)| n).sum()
    }

    /// Counts of each loop, parallel to [`MethodPlan::loops`].
    pub fn loop_counts(&self, counts: &MethodCounts) -> Vec<LoopCounts> {
        let sum = |edges: &[EdgeId]| {
            edges
                .iter()
                .map(|e| counts.edges[e.0 as usize])
                .sum::<u64>()
        };
        self.loops
            .iter()
            .map(|l| {
                let by_exception: u64 = self
                    .handlers
                    .iter()
                    .zip(&counts.handlers)
                    .filter(|(h, _)| h.block == l.header)
                    .map(|(_, n)| n)
                    .sum();
                LoopCounts {
                    entries: sum(&l.entry_edges) + by_exception,
                    repeats: sum(&l.back_edges),
                }
            })
            .collect()
    }

    /// Every outcome of a decision (branch taken or not, switch case) with its count.
    pub fn branch_outcomes<'a>(
        &'a self,
        counts: &'a MethodCounts,
    ) -> impl Iterator<Item = (EdgeId, &'a EdgePlan, u64)> + 'a {
        let numbered = self.edges.iter().zip(&counts.edges).enumerate();
        numbered
            .filter(|(_, (e, _))| e.kind.is_branch_outcome())
            .map(|(i, (e, &n))| (EdgeId(i as u32), e, n))
    }

    /// Executions of each opcode; instructions behind a throw in their block are not counted.
    pub fn opcodes(&self, counts: &MethodCounts) -> [u64; 256] {
        let mut histogram = [0; 256];
        for (block, executed) in self.blocks.iter().zip(&counts.instructions) {
            for (instruction, n) in block.instructions.iter().zip(executed) {
                histogram[usize::from(instruction.opcode)] += n;
            }
        }
        histogram
    }

    /// Every call site with the number of calls it made.
    pub fn call_sites<'a>(
        &'a self,
        counts: &'a MethodCounts,
    ) -> impl Iterator<Item = (&'a CallSite, u64)> + 'a {
        self.blocks
            .iter()
            .zip(&counts.instructions)
            .flat_map(|(block, executed)| {
                block.calls.iter().map(move |call| {
                    let at = block.instructions.binary_search_by_key(&call.pc, |i| i.pc);
                    (call, at.map_or(0, |k| executed[k]))
                })
            })
    }

    /// Calls per static target.
    pub fn calls<'a>(&'a self, counts: &MethodCounts) -> BTreeMap<CallTarget<'a>, u64> {
        let mut calls = BTreeMap::new();
        for (block, executed) in self.blocks.iter().zip(&counts.instructions) {
            for call in &block.calls {
                let at = block.instructions.binary_search_by_key(&call.pc, |i| i.pc);
                let target = CallTarget {
                    owner: &call.owner,
                    name: &call.name,
                    descriptor: &call.descriptor,
                };
                *calls.entry(target).or_default() += at.map_or(0, |k| executed[k]);
            }
        }
        calls
    }
}
