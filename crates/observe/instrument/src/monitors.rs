//! Counting in methods that hold monitors, so that the JVM still compiles them.
//!
//! HotSpot compiles a method only if every instruction that might throw while a monitor is held is covered by a handler of everything, and every
//! handler is always reached with the same monitors (`GenerateOopMap::do_exception_edge`; JVMS §2.11.10, structured locking). To it, the array access of
//! a counter might throw. So in methods with `monitorenter`
//! - what is inserted behind an instruction belongs to the exception ranges of the next one: behind a `monitorenter` the monitor is held, behind a
//!   `monitorexit` it is not;
//! - trampolines and stubs are covered by the ranges that cover the instruction they lead to. What is reported there by a call has a handler of its own.
//!
//! Nothing of this ever throws, and types agree: a range that covers an instruction accepts the locals that its frame promises.

use crate::body::{Body, Entry};
use crate::error::MethodError;
use pricetag_classfile::instruction::Instruction;
use pricetag_classfile::{ExceptionEntry, Label, opcode};
use std::collections::BTreeMap;

/// Of a method with `monitorenter`: places found while its body is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Monitors {
    /// For the original offset behind an instruction, where its copy ends.
    borders: BTreeMap<u16, Label>,
    asides: Vec<Aside>,
}

/// Counters outside the body.
#[derive(Clone, Copy, Debug)]
struct Aside {
    start: Label,
    end: Label,
    /// Original offset of the instruction they lead to.
    to: u16,
}

impl Monitors {
    /// None without `monitorenter`.
    pub(crate) fn of(instructions: &[Instruction]) -> Option<Self> {
        let enters = |i: &Instruction| i.opcode == opcode::MONITORENTER;
        instructions.iter().any(enters).then(Self::default)
    }
}

impl Body<'_, '_, '_> {
    /// Behind the copy of an instruction, before what is inserted there.
    pub(crate) fn note_border(&mut self, index: usize) {
        if let Some(monitors) = &mut self.monitors {
            let instruction = &self.instructions[index];
            if opcode::goes_on_behind(instruction.opcode) {
                let border = self.asm.here();
                monitors.borders.insert(instruction.end() as u16, border);
            }
        }
    }

    /// Where an exception range that has a bound at `pc` begins or ends.
    pub(crate) fn border(&self, pc: u16) -> Label {
        let noted = self.monitors.as_ref().and_then(|m| m.borders.get(&pc));
        noted.map_or_else(|| self.arrival_at(u32::from(pc)), |border| *border)
    }

    /// Behind counters outside the body that lead to the instruction at `to`.
    pub(crate) fn note_aside(&mut self, start: Label, to: u16) {
        if let Some(monitors) = &mut self.monitors {
            let end = self.asm.here();
            monitors.asides.push(Aside { start, end, to });
        }
    }

    /// Covers what was noted. `known` tells the handlers that the plan knows; others cover nothing that runs.
    pub(crate) fn cover_asides(&mut self, known: impl Fn(u16) -> bool) -> Result<(), MethodError> {
        let asides = self
            .monitors
            .as_mut()
            .map(|m| std::mem::take(&mut m.asides));
        let mut pads = BTreeMap::new();
        for aside in asides.unwrap_or_default() {
            let table = self.code.exception_table.iter();
            let covers = |e: &&ExceptionEntry| {
                (e.start_pc..e.end_pc).contains(&aside.to) && known(e.handler_pc)
            };
            for entry in table.filter(covers) {
                let handler = match pads.get(&entry.handler_pc) {
                    Some(pad) => *pad,
                    None => self.pad(entry.handler_pc)?,
                };
                pads.insert(entry.handler_pc, handler);
                self.entries.push(Entry {
                    start: aside.start,
                    end: aside.end,
                    handler,
                    catch_type: entry.catch_type,
                });
            }
        }
        Ok(())
    }

    /// A way to a handler past its stub. The first-tier compiler gives up a method in which a stub is its own handler, as those that release a
    /// monitor would be.
    fn pad(&mut self, handler: u16) -> Result<Label, MethodError> {
        let label = self.asm.here();
        self.want_copy(label, handler)?;
        let target = self.arrival_at(u32::from(handler));
        self.asm.jump(opcode::GOTO, target);
        self.asm.gap();
        Ok(label)
    }
}
