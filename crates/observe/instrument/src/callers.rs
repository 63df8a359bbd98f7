//! Which counted method is active on a thread, and passes of loops by the method that called theirs.
//!
//! A field of `java.lang.Thread` holds the number of the innermost active counted method. A method that may run other code keeps the number it finds, which is its
//! caller's, sets its own, and sets the other back wherever it is left; a handler sets its own again, since frames above may have been cut off. A method with loops
//! fetches the passes that belong to class and caller, and counts each pass of a header there, besides the counters of its plan:
//!
//! ```text
//! prologue:  passes = Pricetag.passes(class);                                                  // with loops
//!            thread = Thread.currentThread(); caller = thread.$pricetagCaller; … thread.$pricetagCaller = me;
//! header:    passes[loop]++;                                                                   // whoever arrives
//! handler:   thread.$pricetagCaller = me;
//! leaving:   thread.$pricetagCaller = caller;
//! ```
//! Calls stand in the prologue alone, before anything is set or counted: there is no throw point more. What is thrown in a constructor before its `this` is initialised
//! passes a handler of its own, which only sets the number back; the JVM permits such a handler if it throws on (JVMS 4.10.1.6).
//!
//! Limits: loops with several ways in have no header that sees every pass; they are not split.

use crate::body::{Body, Entry};
use crate::error::MethodError;
use crate::frames::Source;
use crate::method::{Probes, Shared};
use crate::runtime::{HELPER_CLASS, THREAD, THREAD_CALLER_FIELD};
use pricetag_classfile::instruction::Instruction;
use pricetag_classfile::{ClassFileError, Label, Operand, VerificationType, opcode};
use pricetag_probe_plan::MethodPlan;

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
    /// The local with the thread; its caller's number is in the next one.
    thread: u16,
}

/// Passes of its loops.
#[derive(Clone, Copy, Debug)]
struct Passes {
    /// The local with them.
    local: u16,
    /// Number of the first loop.
    first: u32,
}

impl Callers {
    /// What is wanted of a method, with its locals from `local` on. One that can neither call nor throw need not be known.
    pub(crate) fn of(probes: &Probes<'_>, has_positions: bool, local: u16) -> Self {
        let (Some(plan), Some(number)) = (probes.counted, probes.caller) else {
            return Self::default();
        };
        let split = plan.loops.iter().any(|l| l.reducible);
        let passes = split.then_some(Passes {
            local,
            first: probes.first_loop,
        });
        let active = (has_positions || plan.this_initialised_at.is_some()).then_some(Active {
            number,
            thread: local.saturating_add(u16::from(split)),
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
        let mut types = Vec::new();
        if self.passes.is_some() {
            types.push(VerificationType::Object(shared.runtime()?.long_array));
        }
        if self.active.is_some() {
            types.push(VerificationType::Object(shared.constants.class(THREAD)?));
            types.push(VerificationType::Integer);
        }
        Ok(types)
    }
}

impl Body<'_, '_, '_> {
    /// In the prologue, fetches passes, thread and caller.
    pub(crate) fn find_caller(&mut self) -> Result<(), MethodError> {
        if let Some(passes) = self.callers.passes {
            let constants = &mut self.shared.constants;
            self.asm.int(self.shared.class_index as i32, constants)?;
            let fetch = constants.method(HELPER_CLASS, "passes", "(I)[J")?;
            self.asm.constant(opcode::INVOKESTATIC, fetch);
            self.asm.local(opcode::ASTORE, passes.local);
        }
        if let Some(Active { thread, .. }) = self.callers.active {
            let constants = &mut self.shared.constants;
            let current = constants.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?;
            let field = constants.field(THREAD, THREAD_CALLER_FIELD, "I")?;
            self.asm.constant(opcode::INVOKESTATIC, current);
            self.asm.local(opcode::ASTORE, thread);
            self.asm.local(opcode::ALOAD, thread);
            self.asm.constant(opcode::GETFIELD, field);
            self.asm.local(opcode::ISTORE, thread + 1);
        }
        Ok(())
    }

    /// Makes this method the active one.
    pub(crate) fn be_active(&mut self) -> Result<(), MethodError> {
        if let Some(Active { number, thread }) = self.callers.active {
            self.asm.local(opcode::ALOAD, thread);
            self.asm.int(number as i32, &mut self.shared.constants)?;
            self.set_active()?;
        }
        Ok(())
    }

    /// Makes the caller the active one again.
    pub(crate) fn leave_to_caller(&mut self) -> Result<(), MethodError> {
        if let Some(Active { thread, .. }) = self.callers.active {
            self.asm.local(opcode::ALOAD, thread);
            self.asm.local(opcode::ILOAD, thread + 1);
            self.set_active()?;
        }
        Ok(())
    }

    /// With thread and number on the stack.
    fn set_active(&mut self) -> Result<(), MethodError> {
        let constants = &mut self.shared.constants;
        let field = constants.field(THREAD, THREAD_CALLER_FIELD, "I")?;
        self.asm.constant(opcode::PUTFIELD, field);
        Ok(())
    }

    /// Where the header of loops begins, counts a pass of them.
    pub(crate) fn count_passes(&mut self, index: usize) -> Result<(), MethodError> {
        let (Some(plan), Some(passes)) = (self.plan, self.callers.passes) else {
            return Ok(());
        };
        let pc = self.instructions[index].pc;
        let begins = |l: &&pricetag_probe_plan::LoopPlan| {
            let header = plan.blocks.get(l.header.0 as usize);
            l.reducible && header.is_some_and(|header| header.start.0 == pc)
        };
        for (number, _) in (passes.first..).zip(&plan.loops).filter(|(_, l)| begins(l)) {
            self.asm.local(opcode::ALOAD, passes.local);
            self.asm.int(number as i32, &mut self.shared.constants)?;
            self.asm.increment_long();
        }
        Ok(())
    }

    /// Notes where a constructor's `this` is initialised: right behind that instruction.
    pub(crate) fn note_initialised(&mut self, index: usize) {
        let pc = self.instructions[index].pc;
        let initialised = self.plan.and_then(|plan| plan.this_initialised_at);
        if self.callers.active.is_some() && initialised.is_some_and(|at| at.0 == pc) {
            self.initialised = Some((index, self.asm.here()));
        }
    }

    /// The handler of what is thrown in a constructor, from `start` on, before its `this` is initialised.
    pub(crate) fn uninitialised_catch_all(
        &mut self,
        plan: &MethodPlan,
        start: Label,
    ) -> Result<(), MethodError> {
        let (Some(pc), Some(_)) = (plan.this_initialised_at, self.callers.active) else {
            return Ok(());
        };
        let overwritten = MethodError::Plan {
            pc: pc.0,
            what: "the constructor does not keep its object in its first local until it is initialised",
        };
        let Some((index, end)) = self.initialised else {
            return Err(overwritten);
        };
        let framed = self.frames.is_none_or(|frames| {
            let mut before = frames.iter().filter(|frame| frame.pc <= pc.0);
            before.all(|frame| frame.locals.first() == Some(&VerificationType::UninitializedThis))
        });
        if !framed || self.instructions[..index].iter().any(overwrites_first) {
            return Err(overwritten);
        }
        let handler = self.asm.here();
        self.want(handler, Source::Uninitialised);
        self.leave_to_caller()?;
        self.asm.op(opcode::ATHROW);
        self.asm.gap();
        self.entries.push(Entry {
            start,
            end,
            handler,
            catch_type: 0,
        });
        Ok(())
    }
}

/// Whether an instruction stores to the first local.
fn overwrites_first(instruction: &Instruction) -> bool {
    use opcode::{ASTORE, ASTORE_0, DSTORE_0, FSTORE_0, ISTORE, ISTORE_0, LSTORE_0};
    match (instruction.opcode, &instruction.operand) {
        (ISTORE_0 | LSTORE_0 | FSTORE_0 | DSTORE_0 | ASTORE_0, _) => true,
        (store, Operand::Local(0)) => (ISTORE..=ASTORE).contains(&store),
        _ => false,
    }
}
