//! Whether the numbers of a decoded plan refer to something.
//!
//! A checksum keeps damage out, not another program's mistakes. Whoever decodes a plan indexes blocks, edges and loops by
//! its numbers, so each is checked once, when the plan is read. That the counters suffice is checked where counts are
//! derived.

use crate::plan::{BlockId, BlockPlan, ClassPlan, CounterIndex, MethodPlan, Node};
use crate::stride::StridePlan;
use crate::transition::TransitionPlan;
use crate::variable::{AssignmentPlan, VariablePlace, VariablePlan};

impl ClassPlan {
    /// The first thing in the plan that refers to nothing.
    pub(crate) fn dangling(&self) -> Option<&'static str> {
        let dangling = self.methods.iter().find_map(|m| dangling(m, self.counters));
        dangling
            .or_else(|| self.dangling_value())
            .or_else(|| self.dangling_transition())
            .or_else(|| self.dangling_stride())
    }

    fn dangling_stride(&self) -> Option<&'static str> {
        let all = self.strides.as_deref()?;
        let exists = |s: &StridePlan| {
            let method = self.methods.get(usize::from(s.method));
            s.counter.0.max(s.last.0) < self.counters
                && method.is_some_and(|m| m.array_reads().contains(&(s.pc, s.block)))
        };
        let ascending = all.is_sorted_by_key(|s| (s.method, s.pc));
        (!ascending || !all.iter().all(exists)).then_some("a stride")
    }

    fn dangling_transition(&self) -> Option<&'static str> {
        let all = self.transitions.as_deref()?;
        let exists = |t: &TransitionPlan| {
            let method = self.methods.get(usize::from(t.method));
            t.counter.0 < self.counters
                && method.is_some_and(|m| m.conditional().contains(&t.block))
        };
        let ascending = all.is_sorted_by_key(|t| (t.method, t.block));
        (!ascending || !all.iter().all(exists)).then_some("a transition")
    }

    fn dangling_value(&self) -> Option<&'static str> {
        let values = self.values.as_ref()?;
        let methods = self.methods.len();
        let assignment = |a: &AssignmentPlan| {
            usize::from(a.method) < methods && (a.variable.0 as usize) < values.variables.len()
        };
        let ascending = values.assignments.is_sorted_by_key(|a| (a.method, a.pc));
        if !ascending || !values.assignments.iter().all(assignment) {
            return Some("an assignment");
        }
        let recursive = values.recursive.iter();
        if !values.recursive.is_sorted()
            || recursive.max().is_some_and(|m| usize::from(*m) >= methods)
        {
            return Some("a recursive method");
        }
        let known_loop = |&(method, l): &(u16, u32)| {
            let method = self.methods.get(usize::from(method));
            method.is_some_and(|m| (l as usize) < m.loops.len())
        };
        if !values.removed_loops.iter().all(known_loop) {
            return Some("a loop without values");
        }
        let variable = |v: &VariablePlan| match v.place {
            VariablePlace::Local { method, .. } => usize::from(method) < methods,
            VariablePlace::Field { .. } => true,
        };
        (!values.variables.iter().all(variable)).then_some("a variable")
    }
}

fn dangling(method: &MethodPlan, counters: u32) -> Option<&'static str> {
    let block = |b: BlockId| (b.0 as usize) < method.blocks.len();
    let node = |n: Node| match n {
        Node::Block(b) => block(b),
        Node::Entry | Node::Exit => true,
    };
    let counter = |c: CounterIndex| c.0 < counters;
    let edge = |e: &crate::EdgeId| (e.0 as usize) < method.edges.len();
    if !method
        .edges
        .iter()
        .all(|e| node(e.from) && node(e.to) && e.counter.is_none_or(counter))
    {
        return Some("an edge");
    }
    if !method
        .throw_points
        .iter()
        .all(|t| block(t.block) && counter(t.counter))
    {
        return Some("a throw point");
    }
    if !method
        .handlers
        .iter()
        .all(|h| block(h.block) && counter(h.counter))
    {
        return Some("a handler");
    }
    if !method.uninitialised.is_ordered() {
        return Some("code before initialisation");
    }
    if !method.comparisons.iter().all(|c| block(c.block)) {
        return Some("a comparison");
    }
    let of_the_block = |b: &BlockPlan| {
        let starts = b.lines.iter().map(|l| l.at);
        starts.clone().is_sorted()
            && starts
                .max()
                .is_none_or(|at| usize::from(at) < b.instructions.len())
    };
    if !method.blocks.iter().all(of_the_block) {
        return Some("a source line");
    }
    let known_loop = |l: &u32| (*l as usize) < method.loops.len();
    let innermost = method
        .blocks
        .iter()
        .filter_map(|b| b.innermost_loop.as_ref());
    if !innermost.chain(&method.removed_loops).all(known_loop) || !method.removed_loops.is_sorted()
    {
        return Some("the loop around a block, or a removed one");
    }
    let listed = method.listed_blocks.as_deref().unwrap_or_default();
    if !listed.is_sorted() || !listed.iter().all(|b| block(*b)) {
        return Some("a listed block");
    }
    let loops = method.loops.iter().enumerate().all(|(index, l)| {
        block(l.header)
            // Outer before inner: who walks up the parents arrives.
            && l.parent.is_none_or(|parent| (parent as usize) < index)
            && l.back_edges.iter().all(edge)
            && l.entry_edges.iter().all(edge)
    });
    (!loops).then_some("a loop")
}
