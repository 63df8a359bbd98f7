//! Counters that count in locals while a loop runs, and are *settled*, added to the chunk, where it is left.
//!
//! ```text
//! prologue:              n = 0;
//! counted edge inside:   n++;
//! edge out, handler of something inside, catch-all:
//!                        chunk[counter] += n & 0xffffffff; n = 0;
//! ```
//! A handler settles what is 0, too, if the exception comes from elsewhere. Nothing here throws.

use crate::body::Body;
use crate::error::MethodError;
use pricetag_classfile::{ExceptionEntry, opcode};
use pricetag_probe_plan::{BlockPlan, MethodPlan};

/// A counter in a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Promoted {
    /// The loop it counts in.
    pub of: u32,
    /// Its element of the chunk.
    pub counter: u32,
    /// The local.
    pub local: u16,
}

/// The promoted counters of a method, in locals from `first` on.
pub(crate) fn of_method(plan: &MethodPlan, first: u16) -> Vec<Promoted> {
    let loops = plan.promoted_loops.iter();
    let counters = loops.flat_map(|&of| plan.promoted_counters(of).map(move |c| (of, c.0)));
    let locals = first..=u16::MAX;
    counters
        .zip(locals)
        .map(|((of, counter), local)| Promoted { of, counter, local })
        .collect()
}

impl Body<'_, '_, '_> {
    /// In the prologue.
    pub(crate) fn begin_promoted(&mut self) {
        for promoted in self.promoted {
            self.asm.op(opcode::ICONST_0);
            self.asm.local(opcode::ISTORE, promoted.local);
        }
    }

    /// The local in which a counter counts, if it is promoted.
    pub(crate) fn promoted_local(&self, counter: u32) -> Option<u16> {
        let promoted = self.promoted.iter().find(|p| p.counter == counter);
        promoted.map(|p| p.local)
    }

    /// Where a promoted loop is left.
    pub(crate) fn settle(&mut self, left: Option<u32>) -> Result<(), MethodError> {
        self.settle_those(|p| Some(p.of) == left)
    }

    /// In the stub of a handler.
    pub(crate) fn settle_caught(&mut self, handler: u16) -> Result<(), MethodError> {
        let Some(plan) = self.plan else { return Ok(()) };
        let table = self.code.exception_table.iter();
        let entries: Vec<&ExceptionEntry> = table.filter(|e| e.handler_pc == handler).collect();
        let covers = |block: &BlockPlan| {
            let begins = |e: &&ExceptionEntry| u32::from(e.start_pc) < block.end;
            entries
                .iter()
                .any(|e| begins(e) && block.start.0 < e.end_pc)
        };
        let inside = |of: u32| {
            let mut blocks = plan.blocks.iter().filter(|b| b.innermost_loop == Some(of));
            blocks.any(covers)
        };
        self.settle_those(|p| inside(p.of))
    }

    /// In the catch-all.
    pub(crate) fn settle_all(&mut self) -> Result<(), MethodError> {
        self.settle_those(|_| true)
    }

    fn settle_those(&mut self, wanted: impl Fn(&Promoted) -> bool) -> Result<(), MethodError> {
        for promoted in self.promoted.iter().filter(|p| wanted(p)) {
            self.asm.local(opcode::ALOAD, self.chunk);
            let counter = promoted.counter as i32;
            self.asm.int(counter, &mut self.shared.constants)?;
            self.asm.raw(&[opcode::DUP2, opcode::LALOAD]);
            self.asm.local(opcode::ILOAD, promoted.local);
            // Without its sign; compilers see a mask.
            self.asm.raw(&[
                opcode::I2L,
                opcode::BIPUSH,
                32,
                opcode::LSHL,
                opcode::BIPUSH,
                32,
                opcode::LUSHR,
            ]);
            self.asm
                .raw(&[opcode::LADD, opcode::LASTORE, opcode::ICONST_0]);
            self.asm.local(opcode::ISTORE, promoted.local);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Wiring, rewrite};
    use pricetag_classfile::{ClassFile, Instruction, Operand};
    use pricetag_probe_plan::ClassPlan;

    /// Compiled from the source beside it.
    const CLASS: &[u8] = include_bytes!("../../probe/tests/subjects/Promoted.class");

    /// Of each method with code, how many locals it has and which ones it steps by one.
    fn locals(class: &[u8]) -> Vec<(u16, Vec<u16>)> {
        let class = ClassFile::parse(class).unwrap();
        let methods = class.methods().iter();
        let methods = methods.filter_map(|m| m.code(class.constants()).unwrap());
        let stepped = |i: &Instruction| match i.operand {
            Operand::Iinc { local, delta: 1 } => Some(local),
            _ => None,
        };
        methods
            .map(|code| {
                let instructions = code.instructions().unwrap();
                let stepped = instructions.iter().filter_map(stepped).collect();
                (code.max_locals, stepped)
            })
            .collect()
    }

    fn rewritten(plan: &ClassPlan) -> Vec<u8> {
        let wiring = Wiring {
            class_index: 1,
            scopes: &[],
            caught: false,
            callers: None,
        };
        rewrite(CLASS, Some(plan), &wiring).unwrap().bytes
    }

    #[test]
    fn promoted_counters_are_locals_that_the_method_did_not_have() {
        let mut plan = pricetag_probe::plan(&ClassFile::parse(CLASS).unwrap(), CLASS);
        let added = |plan: &ClassPlan| -> Vec<usize> {
            let (before, after) = (locals(CLASS), locals(&rewritten(plan)));
            let new = before.iter().zip(&after).map(|((had, _), (_, stepped))| {
                stepped.iter().filter(|local| *local >= had).count()
            });
            new.collect()
        };
        // The constructor; one loop of two ways; two loops; none.
        assert_eq!(added(&plan), [0, 2, 2, 0]);
        for method in &mut plan.methods {
            method.promoted_loops.clear();
        }
        assert_eq!(added(&plan), [0; 4]);
    }
}
