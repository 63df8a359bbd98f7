//! Which primitive variables a class assigns, and where.
//!
//! A local variable is what the `LocalVariableTable` calls one: a name, a slot and a range of code, which begins behind the first store.
//! Without the table it is a slot holding one kind of number. Parameters are variables too, as far as the method stores to them.
//!
//! No assignment is planned before a constructor has initialised `this`, nor in methods that are not counted.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ClassFile, Code, ConstantPool, Instruction, LocalVariable, Operand};
use pricetag_probe_plan::{
    AssignmentPlan, MethodOutcome, MethodPlan, Pc, ValueKind, ValuesPlan, VariableIndex,
    VariablePlace, VariablePlan,
};

use crate::{ChosenLoop, Values, recursion};

/// The plan under construction.
pub(crate) struct Variables {
    plan: ValuesPlan,
    /// What one method assigns, until it is known which of it is kept.
    pending: Vec<(Pc, Key, VariablePlan)>,
    known: BTreeMap<Key, VariableIndex>,
}

/// What makes assignments those of one variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// Method, slot, kind, and first and last place where the variable lives (all without debug tables).
    Local(u16, u16, ValueKind, (u16, u16)),
    /// Owner, name, descriptor.
    Field(String, String, String),
}

impl Variables {
    /// Without assignments.
    pub(crate) fn of(class: &ClassFile<'_>, values: Values) -> Self {
        let constants = class.constants();
        let fields = class.fields().iter();
        Self {
            plan: ValuesPlan {
                lengths: values.lengths,
                depths: values.depths,
                fields: fields
                    .map(|f| (f.name(constants), f.descriptor(constants)))
                    .collect(),
                ..ValuesPlan::default()
            },
            pending: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// The instructions of a method that assign variables, none if its probes are removed. Code that makes no sense assigns nothing.
    pub(crate) fn assignments(
        &mut self,
        class: &ClassFile<'_>,
        method: usize,
        removed: bool,
    ) -> BTreeSet<Pc> {
        self.pending.clear();
        let constants = class.constants();
        let Ok(Some(code)) = class.methods()[method].code(constants) else {
            return BTreeSet::new();
        };
        let Ok(instructions) = code.instructions() else {
            return BTreeSet::new();
        };
        let debug = Tables {
            method: method as u16,
            lengths: self.plan.lengths,
            variables: code.local_variables(constants).unwrap_or_default(),
            lines: lines(&code, constants),
        };
        if removed {
            self.plan.removed.push(method as u16);
            let fields = instructions
                .iter()
                .filter_map(|i| debug.field(i, constants));
            let places = fields.map(|(_, variable)| variable.place);
            self.plan.unseen.extend(places);
            return BTreeSet::new();
        }
        let calls = instructions.iter().filter(|i| op::is_jsr(i.opcode));
        let subroutines: BTreeSet<u32> = calls.flat_map(Instruction::targets).collect();
        for here in &instructions {
            let found = match here.opcode {
                // A return address, whatever debug tables say.
                _ if subroutines.contains(&u32::from(here.pc)) => None,
                op::PUTFIELD | op::PUTSTATIC => debug.field(here, constants),
                _ => debug.local(here),
            };
            if let Some((key, variable)) = found {
                self.pending.push((Pc(here.pc), key, variable));
            }
        }
        self.pending.iter().map(|(pc, ..)| *pc).collect()
    }

    /// Takes none of the values just found.
    pub(crate) fn give_up(&mut self) {
        let places = self
            .pending
            .drain(..)
            .map(|(_, _, variable)| variable.place);
        let fields = places.filter(|place| matches!(place, VariablePlace::Field { .. }));
        self.plan.unseen.extend(fields);
    }

    /// Keeps those of the assignments just found that the method's plan has become throw points of. A variable that is assigned in a loop without
    /// values is left out, since what is seen of it need not be its first values; its assignments stay throw points.
    pub(crate) fn keep(&mut self, method: usize, plan: &MethodPlan, no_loop: ChosenLoop<'_>) {
        if plan.outcome != MethodOutcome::Counted {
            self.give_up();
            return;
        }
        self.leave_out(method, plan, no_loop);
        let points: BTreeSet<Pc> = plan.throw_points.iter().map(|p| p.pc).collect();
        for (pc, key, variable) in self.pending.drain(..) {
            // Before `this` is initialised nothing is taken.
            if !points.contains(&pc) || plan.uninitialised.contains(pc) {
                continue;
            }
            let next = VariableIndex(self.plan.variables.len() as u32);
            let index = *self.known.entry(key).or_insert(next);
            if index == next {
                self.plan.variables.push(variable);
            }
            self.plan.assignments.push(AssignmentPlan {
                method: method as u16,
                pc,
                variable: index,
            });
        }
    }

    /// Drops the variables that are assigned in a loop without values.
    fn leave_out(&mut self, method: usize, plan: &MethodPlan, no_loop: ChosenLoop<'_>) {
        let removed = |l: &u32| no_loop(&plan.name, &plan.descriptor, plan.loop_header(*l));
        let loops: Vec<u32> = (0..plan.loops.len() as u32).filter(removed).collect();
        if loops.is_empty() {
            return;
        }
        let numbered = loops.iter().map(|l| (method as u16, *l));
        self.plan.removed_loops.extend(numbered);
        let inside = |pc: Pc| {
            let at = plan.locate(pc).and_then(|(b, _)| plan.loop_of_block(b));
            at.is_some_and(|l| loops.contains(&l))
        };
        let assigned = self.pending.iter().filter(|(pc, ..)| inside(*pc));
        let gone: BTreeSet<Key> = assigned.map(|(_, key, _)| key.clone()).collect();
        let pending = std::mem::take(&mut self.pending);
        let (dropped, kept) = pending
            .into_iter()
            .partition(|(_, key, _)| gone.contains(key));
        self.pending = dropped;
        self.give_up();
        self.pending = kept;
    }

    /// The plan, once all methods are planned.
    pub(crate) fn into_plan(mut self, class: &str, methods: &[MethodPlan]) -> ValuesPlan {
        self.plan.recursive = recursion::recursive(class, methods, self.plan.depths);
        self.plan
    }
}

fn lines(code: &Code<'_>, constants: &ConstantPool<'_>) -> Vec<(u16, u16)> {
    code.line_numbers(constants).unwrap_or_default()
}

/// What is known of a method's variables.
struct Tables {
    method: u16,
    lengths: bool,
    variables: Vec<LocalVariable>,
    lines: Vec<(u16, u16)>,
}

impl Tables {
    fn field(
        &self,
        here: &Instruction,
        constants: &ConstantPool<'_>,
    ) -> Option<(Key, VariablePlan)> {
        let Operand::Constant(index) = here.operand else {
            return None;
        };
        if !matches!(here.opcode, op::PUTFIELD | op::PUTSTATIC) {
            return None;
        }
        let field = constants.member_ref(index).ok()?;
        let kind = ValueKind::of(&field.descriptor, self.lengths)?;
        let place = VariablePlace::Field {
            owner: field.owner.clone(),
            name: field.name.clone(),
            descriptor: field.descriptor.clone(),
        };
        let key = Key::Field(field.owner, field.name, field.descriptor);
        Some((key, VariablePlan { place, kind }))
    }

    fn local(&self, here: &Instruction) -> Option<(Key, VariablePlan)> {
        let (slot, stored) = stored(here)?;
        let end = here.end() as u16;
        let found = self.variables.iter().find(|v| {
            v.slot == slot
                && v.start <= end
                && u32::from(end) < u32::from(v.start) + u32::from(v.length)
        });
        let kind = match found {
            Some(variable) => ValueKind::of(&variable.descriptor, self.lengths)?,
            None => stored?,
        };
        // A table that contradicts the code is not believed.
        let agrees = match here.opcode {
            op::ASTORE | op::ASTORE_0..=op::ASTORE_3 => kind.is_reference(),
            _ => stored.is_some_and(|s| s == kind || (s == ValueKind::Int && is_small(kind))),
        };
        if !agrees {
            return None;
        }
        let range = found.map_or((0, u16::MAX), |v| (v.start, v.length));
        let line = self.lines.partition_point(|l| l.0 <= here.pc);
        let place = VariablePlace::Local {
            method: self.method,
            name: found.map(|v| v.name.clone()),
            slot,
            line: line.checked_sub(1).map(|at| self.lines[at].1),
        };
        Some((
            Key::Local(self.method, slot, kind, range),
            VariablePlan { place, kind },
        ))
    }
}

fn is_small(kind: ValueKind) -> bool {
    matches!(
        kind,
        ValueKind::Boolean | ValueKind::Byte | ValueKind::Char | ValueKind::Short
    )
}

/// The slot that an instruction stores to, and what the opcode says about it; nothing for references.
fn stored(here: &Instruction) -> Option<(u16, Option<ValueKind>)> {
    let (first, slot) = match (here.opcode, &here.operand) {
        (op::IINC, Operand::Iinc { local, .. }) => return Some((*local, Some(ValueKind::Int))),
        (op::ISTORE..=op::ASTORE, Operand::Local(slot)) => (here.opcode - op::ISTORE, *slot),
        (op::ISTORE_0..=op::ASTORE_3, _) => {
            let number = here.opcode - op::ISTORE_0;
            (number / 4, u16::from(number % 4))
        }
        _ => return None,
    };
    let kind = match first {
        0 => Some(ValueKind::Int),
        1 => Some(ValueKind::Long),
        2 => Some(ValueKind::Float),
        3 => Some(ValueKind::Double),
        _ => None,
    };
    Some((slot, kind))
}
