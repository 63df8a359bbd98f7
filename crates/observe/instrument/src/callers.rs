//! Which counted method is active on a thread, and passes of loops and invocations by the method that called.
//!
//! Every thread has a *cell*, a `long[]` with the number of its innermost active counted method. A method that may run other code keeps the number it finds, which is its
//! caller's, sets its own, and sets the other back wherever it is left; a handler sets its own again, since frames above may have been cut off. A method with loops, or every one if invocations are counted,
//! fetches the passes that belong to class and caller, and counts each pass of a header there, or its own invocation, besides the counters of its plan:
//!
//! ```text
//! prologue:  passes = Pricetag.passes(class);                                                  // with loops or invocations
//!            cell = Pricetag.cell(); caller = (int) cell[0]; … passes[loops + method]++; cell[0] = me;
//! header:    passes[loop]++;                                                                   // whoever arrives
//! handler:   cell[0] = me;
//! leaving:   cell[0] = caller;
//! ```
//! Calls stand in the prologue alone, before anything is set or counted: there is no throw point more. An array, since a class loader of the
//! program might be asked for the class of anything else. No handler can cover a constructor until its `this` is initialised (HotSpot
//! wants one frame for before and behind the call of the superclass's), so what is thrown there leaves the number behind. Hence up to there, and in handlers of the program's own in front of it, the number is negative: who finds it so
//! has to look at the stack, which the native does.
//!
//! Limits: loops with several ways in have no header that sees every pass; they are not split. Nor are those whose probes are removed.

use crate::body::Body;
use crate::error::MethodError;
use crate::initialised::initialises;
use crate::method::{Probes, Shared};
use crate::runtime::HELPER_CLASS;
use pricetag_classfile::{ClassFileError, VerificationType, opcode};
use pricetag_probe_plan::{LoopPlan, MethodPlan, Pc};

/// What a method does about callers; nothing by default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Callers {
    active: Option<Active>,
    passes: Option<Passes>,
}

/// A method that is to be known as a caller.
#[derive(Clone, Copy, Debug)]
struct Active {
    number: u32,
    /// The local with the cell; its caller's number is in the next one.
    cell: u16,
}

/// Passes of its loops.
#[derive(Clone, Copy, Debug)]
struct Passes {
    /// The local with them.
    local: u16,
    /// Number of the first loop, if there are any.
    first: Option<u32>,
    /// Number of the method behind the loops.
    invocation: Option<u32>,
}

impl Callers {
    /// What is wanted of a method, with its locals from `local` on. One that can neither call nor throw need not be known.
    pub(crate) fn of(probes: &Probes<'_>, has_positions: bool, local: u16) -> Self {
        let (Some(plan), Some(number)) = (probes.counted, probes.caller) else {
            return Self::default();
        };
        let loops = (0..).zip(&plan.loops).any(|l| is_split(plan, l));
        let first = probes.first_loop.filter(|_| loops);
        let split = first.is_some() || probes.invocation.is_some();
        let passes = split.then_some(Passes {
            local,
            first,
            invocation: probes.invocation,
        });
        let active = (has_positions || !plan.uninitialised.is_empty()).then_some(Active {
            number,
            cell: local.saturating_add(u16::from(split)),
        });
        Self { active, passes }
    }

    /// Locals that it takes.
    pub(crate) fn slots(self) -> u16 {
        u16::from(self.passes.is_some()) + self.active.map_or(0, |_| 2)
    }

    /// Their types.
    pub(crate) fn types(
        self,
        shared: &mut Shared<'_, '_>,
    ) -> Result<Vec<VerificationType>, ClassFileError> {
        let array = VerificationType::Object(shared.runtime()?.long_array);
        let mut types = Vec::new();
        types.extend(self.passes.map(|_| array));
        if self.active.is_some() {
            types.extend([array, VerificationType::Integer]);
        }
        Ok(types)
    }
}

/// Whether the passes of a loop are counted by caller.
fn is_split(plan: &MethodPlan, (number, l): (u32, &LoopPlan)) -> bool {
    l.reducible && !plan.is_removed(Some(number))
}

impl Body<'_, '_, '_> {
    /// Makes this method the active one, from before the instruction at `pc` on: for the time being where a constructor's `this` is not initialised.
    pub(crate) fn be_active(&mut self, pc: Pc) -> Result<(), MethodError> {
        self.announce(if self.is_uninitialised(pc) { -1 } else { 1 })
    }

    /// In the prologue, fetches passes, cell and caller.
    pub(crate) fn find_caller(&mut self) -> Result<(), MethodError> {
        if let Some(passes) = self.callers.passes {
            self.push_class_index()?;
            let constants = &mut self.shared.constants;
            let fetch = constants.method(HELPER_CLASS, "passes", "(I)[J")?;
            self.asm.constant(opcode::INVOKESTATIC, fetch);
            self.asm.local(opcode::ASTORE, passes.local);
        }
        if let Some(Active { cell, .. }) = self.callers.active {
            let fetch = self.shared.constants.method(HELPER_CLASS, "cell", "()[J")?;
            self.asm.constant(opcode::INVOKESTATIC, fetch);
            self.asm.local(opcode::ASTORE, cell);
            self.asm.local(opcode::ALOAD, cell);
            self.asm
                .raw(&[opcode::ICONST_0, opcode::LALOAD, opcode::L2I]);
            self.asm.local(opcode::ISTORE, cell + 1);
        }
        Ok(())
    }

    /// In the prologue, behind all calls, counts the invocation for the caller.
    pub(crate) fn count_invocation(&mut self) -> Result<(), MethodError> {
        let found = self.callers.passes;
        if let Some((passes, number)) = found.and_then(|passes| Some((passes, passes.invocation?)))
        {
            self.asm.local(opcode::ALOAD, passes.local);
            self.asm.int(number as i32, &mut self.shared.constants)?;
            self.asm.increment_long();
        }
        Ok(())
    }

    fn announce(&mut self, sign: i32) -> Result<(), MethodError> {
        if let Some(Active { number, cell }) = self.callers.active {
            self.asm.local(opcode::ALOAD, cell);
            self.asm.op(opcode::ICONST_0);
            let constants = &mut self.shared.constants;
            self.asm.int(sign.wrapping_mul(number as i32), constants)?;
            self.asm.raw(&[opcode::I2L, opcode::LASTORE]);
        }
        Ok(())
    }

    /// Makes the caller the active one again.
    pub(crate) fn leave_to_caller(&mut self) {
        if let Some(Active { cell, .. }) = self.callers.active {
            self.asm.local(opcode::ALOAD, cell);
            self.asm.op(opcode::ICONST_0);
            self.asm.local(opcode::ILOAD, cell + 1);
            self.asm.raw(&[opcode::I2L, opcode::LASTORE]);
        }
    }

    /// Where the header of loops begins, counts a pass of them.
    pub(crate) fn count_passes(&mut self, index: usize) -> Result<(), MethodError> {
        let (Some(plan), Some(passes)) = (self.plan, self.callers.passes) else {
            return Ok(());
        };
        let pc = self.instructions[index].pc;
        let Some(first) = passes.first else {
            return Ok(());
        };
        let begins = |(number, l): (u32, &LoopPlan)| {
            let header = plan.blocks.get(l.header.0 as usize);
            is_split(plan, (number, l)) && header.is_some_and(|header| header.start.0 == pc)
        };
        for (number, _) in (0..).zip(&plan.loops).filter(|l| begins(*l)) {
            let number = first + number;
            self.asm.local(opcode::ALOAD, passes.local);
            self.asm.int(number as i32, &mut self.shared.constants)?;
            self.asm.increment_long();
        }
        Ok(())
    }

    /// Behind an instruction that initialises a constructor's `this`, is the active method for sure, and counts as open.
    pub(crate) fn be_initialised(&mut self, index: usize) -> Result<(), MethodError> {
        let here = |plan| initialises(plan, self.instructions, index);
        if self.plan.is_some_and(here) {
            self.descend_initialised()?;
            self.announce(1)?;
        }
        Ok(())
    }
}
