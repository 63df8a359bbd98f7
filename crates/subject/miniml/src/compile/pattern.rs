//! Matching: clauses are tried in order; what a pattern binds is pushed once it has matched.

use std::collections::BTreeSet;

use super::{Compiler, Constant, Location, Op};
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
        | Pattern::Tuple(parts) => {
            parts.iter().for_each(|p| variables(p, out));
        }
        Pattern::Record(fields) => fields.iter().for_each(|(_, p)| variables(p, out)),
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
        | Pattern::Exception(_, parts) => parts.iter().map(elements).sum(),
        Pattern::Record(fields) => {
            fields.len() + fields.iter().map(|(_, p)| elements(p)).sum::<usize>()
        }
        Pattern::Alias(inner, _) | Pattern::Or(inner, _) => elements(inner),
        _ => 0,
    }
}

impl<'p> Compiler<'p> {
    /// Binds a pattern to the value in a slot; raises `Match_failure` when it does not match.
    pub(super) fn bind(&mut self, pattern: &'p Pattern, slot: u32, span: Span) {
        match pattern {
            Pattern::Any => {}
            Pattern::Variable(v) => {
                self.frame.locations.insert(*v, Location::Slot(slot));
            }
            _ => {
                self.charge(Construct::TupleMatch, elements(pattern));
                let first = self.reserve(pattern);
                let mut failures = Vec::new();
                self.test(pattern, slot, &mut vec![], &mut failures);
                if !failures.is_empty() {
                    let end = self.emit(Op::Jump(0));
                    failures.into_iter().for_each(|f| self.patch(f));
                    self.emit(Op::MatchFailure(span.start));
                    self.patch(end);
                }
                debug_assert!(first <= self.frame.depth);
            }
        }
    }

    /// Slots for the variables of a pattern.
    fn reserve(&mut self, pattern: &Pattern) -> u32 {
        let mut names = BTreeSet::new();
        variables(pattern, &mut names);
        let first = self.frame.depth;
        if !names.is_empty() {
            self.emit(Op::Int(0));
        }
        for name in names {
            self.frame
                .locations
                .insert(name, Location::Slot(self.frame.depth));
            self.push();
        }
        first
    }

    /// Clauses over the value on top of the stack, which is dropped at the end.
    /// Without a place for `Match_failure`, what no clause matches is raised again.
    pub(super) fn clauses(&mut self, clauses: &'p [Clause], tail: bool, span: Option<Span>) {
        let slot = self.frame.depth - 1;
        let mut ends = Vec::new();
        for clause in clauses {
            let mut failures = Vec::new();
            self.reserve(&clause.pattern);
            self.test(&clause.pattern, slot, &mut vec![], &mut failures);
            if let Some(guard) = &clause.guard {
                self.border();
                self.expr(guard, false);
                failures.push(self.emit(Op::JumpUnless(0)));
            }
            self.border();
            self.charge(Construct::TupleMatch, elements(&clause.pattern));
            self.expr(&clause.body, tail);
            let bound = self.frame.depth - slot - 1;
            self.emit(Op::Drop(bound + 1));
            ends.push(self.emit(Op::Jump(0)));
            failures.into_iter().for_each(|f| self.patch(f));
            self.border();
            self.drop(bound);
        }
        if let Some(span) = span {
            self.emit(Op::MatchFailure(span.start));
        } else {
            self.emit(Op::Local(slot));
            self.emit(Op::Reraise);
        }
        ends.into_iter().for_each(|e| self.patch(e));
        self.frame.depth = slot;
    }

    /// Leaves the part of the slot's value that a path leads to in `acc`.
    fn load(&mut self, slot: u32, path: &[u32]) {
        self.emit(Op::Local(slot));
        for field in path {
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
            Pattern::Float(x) => self.test_constant(Constant::Float(*x), slot, path, failures),
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
            Pattern::Record(fields) => {
                self.parts(fields.iter().map(|(i, p)| (*i, p)), slot, path, failures);
            }
            Pattern::Or(left, right) => {
                let mut left_failures = Vec::new();
                self.test(left, slot, path, &mut left_failures);
                let end = self.emit(Op::Jump(0));
                left_failures.into_iter().for_each(|f| self.patch(f));
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
