//! Probes that take the first values given to variables, and the depth of recursion.
//!
//! Before a store to a local variable the value is copied and passed to `Pricetag.value(value, chunk, element, class)`; behind an
//! `iinc` the variable is loaded for it. The value of a field is copied before the store, too, but passed behind it: the store may run a
//! class initialiser, which assigns first, or throw and assign nothing. The helper compares the variable's element of the chunk, the number of values taken, with their limit;
//! that one comparison is all that is left once they are taken.

use crate::body::Body;
use crate::error::MethodError;
use crate::runtime::HELPER_CLASS;
use pricetag_classfile::{Label, opcode};
use pricetag_probe_plan::{ClassPlan, Pc, ValueKind};

/// What is taken at one instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take {
    /// Where in the chunk it is noted how many values were taken.
    pub element: u32,
    /// What is taken.
    pub kind: ValueKind,
}

/// What is taken in a method: original offset of the instruction and what it assigns, ascending.
pub(crate) fn of_method(plan: &ClassPlan, method: usize) -> Vec<(u16, Take)> {
    let Some(values) = &plan.values else {
        return Vec::new();
    };
    let assignments = values.of_method(method as u16).iter();
    assignments
        .map(|a| {
            let kind = values.variables[a.variable.0 as usize].kind;
            let element = plan.element(a.variable);
            (a.pc.0, Take { element, kind })
        })
        .collect()
}

fn assigns_field(store: u8) -> bool {
    matches!(store, opcode::PUTFIELD | opcode::PUTSTATIC)
}

impl Body<'_, '_, '_> {
    /// What is taken at an instruction.
    fn take_at(&self, index: usize) -> Option<Take> {
        let pc = self.instructions[index].pc;
        let at = self.takes.binary_search_by_key(&pc, |t| t.0).ok()?;
        Some(self.takes[at].1)
    }

    /// Appends the probe before a store to a local variable; before a store to a field only the copy, which the probe behind it takes.
    pub(crate) fn take_before(&mut self, index: usize) -> Result<(), MethodError> {
        let Some(take) = self.take_at(index) else {
            return Ok(());
        };
        let store = self.instructions[index].opcode;
        if store == opcode::IINC {
            return Ok(());
        }
        let start = self.asm.here();
        self.places.push((start, self.instructions[index].pc));
        self.asm.op(match (store, take.kind.is_wide()) {
            (opcode::PUTFIELD, false) => opcode::DUP_X1,
            (opcode::PUTFIELD, true) => opcode::DUP2_X1,
            (_, false) => opcode::DUP,
            (_, true) => opcode::DUP2,
        });
        if assigns_field(store) {
            return Ok(());
        }
        self.pass(index, take)
    }

    /// Appends the probe behind an `iinc`, or behind a store to a field.
    pub(crate) fn take_behind(&mut self, index: usize) -> Result<(), MethodError> {
        use pricetag_classfile::Operand;
        let Some(take) = self.take_at(index) else {
            return Ok(());
        };
        let instruction = &self.instructions[index];
        if let Operand::Iinc { local, .. } = instruction.operand {
            self.asm.local(opcode::ILOAD, local);
        } else if !assigns_field(instruction.opcode) {
            return Ok(());
        }
        self.pass(index, take)
    }

    /// In the prologue, appends the note that one more frame of a recursive method is open; none in a constructor.
    pub(crate) fn descend(&mut self) -> Result<(), MethodError> {
        if let Some(depth) = self.depth.filter(|_| !self.is_uninitialised(Pc(0))) {
            self.element(depth as i32)?;
            let method = self
                .shared
                .constants
                .method(HELPER_CLASS, "depth", "([JI)V")?;
            self.asm.constant(opcode::INVOKESTATIC, method);
        }
        Ok(())
    }

    /// Appends the same where a constructor's object has just been initialised. There a call might overflow the stack, and a branch would need a frame, so:
    /// `c[d]++; x = c[d] - c[d + 1]; c[d + 1] += x & (-x >> 63)`.
    pub(crate) fn descend_initialised(&mut self) -> Result<(), MethodError> {
        let Some(depth) = self.depth else {
            return Ok(());
        };
        let (open, most) = (depth as i32, depth as i32 + 1);
        self.element(open)?;
        self.asm.increment_long();
        self.element(most)?;
        self.element(open)?;
        self.asm.op(opcode::LALOAD);
        self.element(most)?;
        self.asm.raw(&[
            opcode::LALOAD,
            opcode::LSUB,
            opcode::DUP2,
            opcode::LNEG,
            opcode::BIPUSH,
            63,
            opcode::LSHR,
            opcode::LAND,
        ]);
        self.element(most)?;
        self.asm
            .raw(&[opcode::LALOAD, opcode::LADD, opcode::LASTORE]);
        Ok(())
    }

    /// Pushes the chunk and the index of an element.
    fn element(&mut self, at: i32) -> Result<(), MethodError> {
        self.asm.local(opcode::ALOAD, self.chunk);
        self.asm.int(at, &mut self.shared.constants)?;
        Ok(())
    }

    /// Appends the note that one frame less is open.
    pub(crate) fn ascend(&mut self) -> Result<(), MethodError> {
        if let Some(depth) = self.depth {
            self.element(depth as i32)?;
            self.asm.raw(&[
                opcode::DUP2,
                opcode::LALOAD,
                opcode::LCONST_1,
                opcode::LSUB,
                opcode::LASTORE,
            ]);
        }
        Ok(())
    }

    /// With a copy of the value on the stack, widens it and calls the helper.
    fn pass(&mut self, index: usize, take: Take) -> Result<(), MethodError> {
        let (widen, name, descriptor) = match take.kind {
            ValueKind::Long => (None, "value", "(J[JII)V"),
            ValueKind::Float => (Some(opcode::F2D), "value", "(D[JII)V"),
            ValueKind::Double => (None, "value", "(D[JII)V"),
            kind if kind.is_reference() => (None, "length", "(Ljava/lang/Object;[JII)V"),
            _ => (Some(opcode::I2L), "value", "(J[JII)V"),
        };
        if let Some(widen) = widen {
            self.asm.op(widen);
        }
        self.asm.local(opcode::ALOAD, self.chunk);
        self.asm
            .int(take.element as i32, &mut self.shared.constants)?;
        self.push_class_index()?;
        let constants = &mut self.shared.constants;
        let call: Label = self.asm.here();
        self.places.push((call, self.instructions[index].pc));
        let method = constants.method(HELPER_CLASS, name, descriptor)?;
        self.asm.constant(opcode::INVOKESTATIC, method);
        Ok(())
    }
}
