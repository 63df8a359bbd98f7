//! Matching: clauses are tried in order; what a pattern binds is pushed once it has matched.

use std::collections::BTreeSet;

use super::decision::{Cost, costs};
use super::{Compiler, Location, Want};
use crate::code::{Constant, Op};
use crate::construct::Construct;
use crate::core::{Clause, Pattern, VarId};
use crate::syntax::Span;

/// The variables a pattern binds.
pub(super) fn variables(pattern: &Pattern, out: &mut BTreeSet<VarId>) {
    match pattern {
        Pattern::Variable(v) => {
            out.insert(*v);
        }
        Pattern::Alias(inner, v) => {
            out.insert(*v);
            variables(inner, out);
        }
        Pattern::Construct {
            arguments: parts, ..
        }
        | Pattern::Exception(_, parts)
        | Pattern::Array(parts)
        | Pattern::Tuple(parts) => {
            parts.iter().for_each(|p| variables(p, out));
        }
        Pattern::Record(fields, _) => fields.iter().for_each(|(_, p)| variables(p, out)),
        Pattern::Or(a, b) => {
            variables(a, out);
            variables(b, out);
        }
        Pattern::Any
        | Pattern::Int(_)
        | Pattern::IntRange(..)
        | Pattern::Float(_)
        | Pattern::String(_) => {}
    }
}

/// Elements of all tuples in a pattern; of alternatives, the first.
fn elements(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Tuple(parts) => parts.len() + parts.iter().map(elements).sum::<usize>(),
        Pattern::Construct {
            arguments: parts, ..
        }
        | Pattern::Array(parts)
        | Pattern::Exception(_, parts) => parts.iter().map(elements).sum(),
        Pattern::Record(fields, _) => {
            fields.len() + fields.iter().map(|(_, p)| elements(p)).sum::<usize>()
        }
        Pattern::Alias(inner, _) | Pattern::Or(inner, _) => elements(inner),
        _ => 0,
    }
}

impl<'p> Compiler<'p> {
    /// Binds a pattern to the value in a slot; raises `Match_failure` when it does not match. A ghost tuple is in registers.
    pub(super) fn bind(&mut self, pattern: &'p Pattern, slot: u32, span: Span, ghost: bool) {
        match pattern {
            Pattern::Any => {}
            Pattern::Variable(v) => {
                self.frame.locations.insert(*v, Location::Slot(slot));
            }
            _ => {
                self.charge(Construct::TupleMatch, elements(pattern));
                self.charge_tests(costs(&[pattern], ghost)[0], pattern);
                self.reserve(pattern);
                let mut failures = Vec::new();
                self.test(pattern, slot, &mut vec![], &mut failures);
                if !failures.is_empty() {
                    let end = self.emit(Op::Jump(0));
                    self.patch_all(failures);
                    let site = self.site(span);
                    self.emit(Op::MatchFailure(site));
                    self.patch(end);
                }
            }
        }
    }

    fn charge_tests(&mut self, cost: Cost, pattern: &Pattern) {
        let (chased, chains) = super::chase::loads(pattern, &self.chased);
        let chased = chased.min(cost.loads);
        self.charge(Construct::BranchTag, cost.branches);
        self.charge(Construct::Switch, cost.switches);
        self.charge(Construct::Load, cost.loads - chased);
        self.charge(Construct::LoadChain, chased);
        for (chain, n) in chains {
            self.charge_chain(chain, Construct::LoadChain, n);
        }
    }

    /// Slots for the variables of a pattern.
    fn reserve(&mut self, pattern: &Pattern) {
        let mut names = BTreeSet::new();
        variables(pattern, &mut names);
        if !names.is_empty() {
            self.emit(Op::Int(0));
        }
        for name in names {
            self.frame
                .locations
                .insert(name, Location::Slot(self.frame.depth));
            self.push();
        }
    }

    /// Clauses over the value on top of the stack, which is dropped at the end.
    /// Without a place for `Match_failure`, what no clause matches is raised again.
    pub(super) fn clauses(
        &mut self,
        clauses: &'p [Clause],
        want: Want,
        span: Option<Span>,
        ghost: bool,
    ) {
        let slot = self.frame.depth - 1;
        let mut ends = Vec::new();
        let (before, mut after) = (self.frame.returning, false);
        let patterns: Vec<&Pattern> = clauses.iter().map(|c| &c.pattern).collect();
        for (clause, cost) in clauses.iter().zip(costs(&patterns, ghost)) {
            let mut failures = Vec::new();
            self.reserve(&clause.pattern);
            self.test(&clause.pattern, slot, &mut vec![], &mut failures);
            if let Some(guard) = &clause.guard {
                self.border();
                failures.extend(self.condition(guard));
            }
            self.border();
            self.charge(Construct::TupleMatch, elements(&clause.pattern));
            self.charge_tests(cost, &clause.pattern);
            self.expr(&clause.body, want);
            after |= std::mem::replace(&mut self.frame.returning, before);
            let bound = self.frame.depth - slot - 1;
            self.emit(Op::Drop(bound + 1));
            ends.push(self.emit(Op::Jump(0)));
            let depth = self.frame.depth;
            self.patch_all(failures);
            self.frame.depth = depth;
            self.drop(bound);
        }
        if let Some(span) = span {
            let site = self.site(span);
            self.emit(Op::MatchFailure(site));
        } else {
            self.emit(Op::Local(slot));
            self.emit(Op::Reraise);
        }
        self.frame.returning |= after;
        self.patch_all(ends);
        self.frame.depth = slot;
    }

    /// Leaves the part of the slot's value that a path leads to in `acc`.
    fn load(&mut self, slot: u32, path: &[u32]) {
        let Some((first, rest)) = path.split_first() else {
            self.emit(Op::Local(slot));
            return;
        };
        self.emit(Op::LocalField(slot, *first));
        for field in rest {
            self.emit(Op::Field(*field));
        }
    }

    fn store(&mut self, variable: VarId) {
        if let Some(Location::Slot(slot)) = self.frame.locations.get(&variable).copied() {
            self.emit(Op::SetSlot(slot));
        }
    }

    fn test(
        &mut self,
        pattern: &'p Pattern,
        slot: u32,
        path: &mut Vec<u32>,
        failures: &mut Vec<usize>,
    ) {
        match pattern {
            Pattern::Any => {}
            Pattern::Variable(v) => {
                self.load(slot, path);
                self.store(*v);
            }
            Pattern::Alias(inner, v) => {
                self.test(inner, slot, path, failures);
                self.load(slot, path);
                self.store(*v);
            }
            Pattern::Int(n) => {
                self.load(slot, path);
                failures.push(if let Ok(n) = i32::try_from(*n) {
                    self.emit(Op::JumpNotInt(n, 0))
                } else {
                    let c = self.constant(Constant::Int(*n));
                    self.emit(Op::JumpNotConstant(c, 0))
                });
            }
            Pattern::IntRange(a, b) => {
                self.load(slot, path);
                failures.push(self.emit(Op::JumpNotRange(*a as i16, *b as i16, 0)));
            }
            Pattern::Float(x) => {
                self.test_constant(Constant::Float(x.to_bits()), slot, path, failures);
            }
            Pattern::String(s) => {
                self.test_constant(Constant::String(s.clone()), slot, path, failures);
            }
            Pattern::Construct {
                tag,
                sole,
                arguments,
            } => {
                if !sole {
                    self.load(slot, path);
                    failures.push(self.emit(Op::JumpNotTag(*tag, 0)));
                }
                self.parts(arguments.iter().enumerate(), slot, path, failures);
            }
            Pattern::Exception(id, arguments) => {
                self.load(slot, path);
                self.emit(Op::Field(0));
                failures.push(self.emit(Op::JumpNotInt(*id as i32, 0)));
                self.parts(
                    arguments.iter().enumerate().map(|(i, p)| (i + 1, p)),
                    slot,
                    path,
                    failures,
                );
            }
            Pattern::Tuple(parts) => self.parts(parts.iter().enumerate(), slot, path, failures),
            Pattern::Array(parts) => {
                self.load(slot, path);
                failures.push(self.emit(Op::JumpNotSize(parts.len() as u32, 0)));
                self.parts(parts.iter().enumerate(), slot, path, failures);
            }
            Pattern::Record(fields, flat) => {
                if *flat && self.is_native() {
                    fields.iter().for_each(|(_, p)| variables(p, &mut self.raw));
                }
                self.parts(fields.iter().map(|(i, p)| (*i, p)), slot, path, failures);
            }
            Pattern::Or(left, right) => {
                let mut left_failures = Vec::new();
                self.test(left, slot, path, &mut left_failures);
                let end = self.emit(Op::Jump(0));
                self.patch_all(left_failures);
                self.test(right, slot, path, failures);
                self.patch(end);
            }
        }
    }

    fn test_constant(
        &mut self,
        constant: Constant,
        slot: u32,
        path: &[u32],
        failures: &mut Vec<usize>,
    ) {
        let c = self.constant(constant);
        self.load(slot, path);
        failures.push(self.emit(Op::JumpNotConstant(c, 0)));
    }

    fn parts(
        &mut self,
        parts: impl Iterator<Item = (usize, &'p Pattern)>,
        slot: u32,
        path: &mut Vec<u32>,
        failures: &mut Vec<usize>,
    ) {
        for (i, part) in parts {
            path.push(i as u32);
            self.test(part, slot, path, failures);
            path.pop();
        }
    }
}
