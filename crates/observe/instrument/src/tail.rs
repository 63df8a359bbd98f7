//! What stands behind the body: trampolines, handler stubs and catch-all handlers.
//!
//! None of it is covered by an original exception range, save where monitors may be held (`monitors`); every frame there is a copy of its target's, or knows nothing.

use crate::body::{Body, Entry};
use crate::error::MethodError;
use crate::frames::Source;
use crate::initialised;
use crate::placement::Placement;
use crate::scope;
use pricetag_classfile::{ExceptionEntry, Label, opcode};
use pricetag_probe_plan::{MethodPlan, Pc};
use std::collections::BTreeMap;

impl Body<'_, '_, '_> {
    /// Code on edges that have no place of their own: count, jump on.
    pub(crate) fn trampolines(&mut self, placement: &Placement) -> Result<(), MethodError> {
        for (number, trampoline) in placement.trampolines.iter().enumerate() {
            let Some(label) = self.asm.numbered(self.first_trampoline() + number) else {
                continue;
            };
            self.asm.bind(label);
            self.want_copy(label, trampoline.target)?;
            self.count(trampoline.counter)?;
            self.taken(trampoline.taken)?;
            self.note_aside(label, trampoline.target);
            let target = self.arrival_at(u32::from(trampoline.target));
            self.asm.jump(opcode::GOTO, target);
            self.asm.gap();
        }
        Ok(())
    }

    /// Leads every entry of the exception table through a stub that counts the departure and the arrival. A handler
    /// that the plan does not know covers no reachable instruction; it is left alone.
    pub(crate) fn stubs(&mut self, placement: &Placement) -> Result<(), MethodError> {
        let mut stubs = BTreeMap::new();
        for entry in &self.code.exception_table {
            let known = placement
                .handlers
                .binary_search_by_key(&entry.handler_pc, |h| h.0);
            let handler = match (known, stubs.get(&entry.handler_pc)) {
                (_, Some(stub)) => *stub,
                (Ok(handler), None) => self.stub(placement.handlers[handler])?,
                (Err(_), None) => self.arrival_at(u32::from(entry.handler_pc)),
            };
            stubs.insert(entry.handler_pc, handler);
            self.add_entry(*entry, handler);
        }
        let known = |handler: u16| placement.handlers.iter().any(|h| h.0 == handler);
        self.cover_asides(known)
    }

    fn stub(&mut self, (handler, counter): (u16, u32)) -> Result<Label, MethodError> {
        let label = self.asm.here();
        self.want_copy(label, handler)?;
        // What is thrown before `this` is initialised has no position.
        if !self.is_uninitialised(Pc(handler)) {
            self.count_position();
        }
        self.count(Some(counter))?;
        self.be_active(Pc(handler))?;
        self.note_aside(label, handler);
        let target = self.arrival_at(u32::from(handler));
        self.report_caught(handler, counter, target)?;
        self.asm.jump(opcode::GOTO, target);
        self.asm.gap();
        Ok(label)
    }

    fn add_entry(&mut self, entry: ExceptionEntry, handler: Label) {
        self.firsts.push(self.entries.len());
        let (start, end) = (self.border(entry.start_pc), self.border(entry.end_pc));
        self.entries.push(Entry {
            start,
            end,
            handler,
            catch_type: entry.catch_type,
        });
    }

    /// The handler of every exception that leaves the method: counts the departure and throws on.
    pub(crate) fn counting_catch_all(&mut self, plan: &MethodPlan) -> Result<(), MethodError> {
        if self.position.is_none() {
            return Ok(());
        }
        let parts = initialised::parts(plan, self.instructions, self.frames)?;
        if parts.is_empty() {
            return Ok(());
        }
        let handler = self.asm.here();
        self.want(handler, Source::Counting);
        self.count_position();
        self.ascend()?;
        self.leave_to_caller();
        self.rethrow()?;
        for part in parts {
            let (start, end) = (self.arrival(part.start), self.arrival(part.end));
            self.entries.push(Entry {
                start,
                end,
                handler,
                catch_type: 0,
            });
        }
        Ok(())
    }

    /// The handler of every exception that leaves a scope otherwise.
    pub(crate) fn scope_catch_all(&mut self, start: Label, end: Label) -> Result<(), MethodError> {
        if self.scopes.is_empty() {
            return Ok(());
        }
        let handler = self.asm.here();
        self.want(handler, Source::Bare);
        self.entries.push(Entry {
            start,
            end,
            handler,
            catch_type: 0,
        });
        self.rethrow()
    }

    /// The handler of every exception that leaves a timed method.
    pub(crate) fn timing_catch_all(&mut self) -> Result<(), MethodError> {
        let Some(timing) = self.timing.as_ref().filter(|_| !self.begun.is_empty()) else {
            return Ok(());
        };
        let parts = initialised::parts(timing.plan, self.instructions, self.frames)?;
        let handler = self.asm.here();
        self.want(handler, Source::Bare);
        for part in parts {
            let begun = self.begun.iter().find(|(first, _)| *first == part.start);
            let start = begun.map_or_else(|| self.arrival(part.start), |(_, label)| *label);
            let end = self.arrival(part.end);
            self.entries.push(Entry {
                start,
                end,
                handler,
                catch_type: 0,
            });
        }
        self.leave_timing()?;
        self.asm.op(opcode::ATHROW);
        self.asm.gap();
        Ok(())
    }

    fn rethrow(&mut self) -> Result<(), MethodError> {
        scope::exit(&mut self.asm, &mut self.shared.constants, self.scopes, true)?;
        self.asm.op(opcode::ATHROW);
        self.asm.gap();
        Ok(())
    }

    /// Keeps the exception table as it is, for methods that are not counted.
    pub(crate) fn keep_entries(&mut self) {
        for entry in &self.code.exception_table {
            let handler = self.arrival_at(u32::from(entry.handler_pc));
            self.add_entry(*entry, handler);
        }
    }
}
