//! What stands behind the body: trampolines, handler stubs and catch-all handlers.
//!
//! None of it is covered by an original exception range; every frame there is a copy of its target's, or knows nothing.

use crate::body::{Body, Entry};
use crate::constructor::Ranges;
use crate::error::MethodError;
use crate::frames::Source;
use crate::placement::{Placement, index_of};
use crate::scope;
use pricetag_classfile::{ExceptionEntry, Label, opcode};
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
            self.count(Some(trampoline.counter))?;
            let target = self.arrival_at(u32::from(trampoline.target));
            self.asm.jump(opcode::GOTO, target);
            self.asm.gap();
        }
        Ok(())
    }

    /// Leads every entry of the exception table through a stub that counts the departure and the arrival. Where the
    /// position local says nothing yet, before a constructor's `this` is initialised, only the arrival is counted.
    pub(crate) fn stubs(
        &mut self,
        placement: &Placement,
        positioned: &Ranges,
    ) -> Result<(), MethodError> {
        let mut stubs = BTreeMap::new();
        for entry in &self.code.exception_table {
            self.firsts.push(self.entries.len());
            for (start, end, has_position) in self.pieces(*entry, positioned) {
                let key = (entry.handler_pc, has_position);
                let handler = if let Some(stub) = stubs.get(&key) {
                    *stub
                } else {
                    self.stub(placement, key)?
                };
                stubs.insert(key, handler);
                let (start, end) = (self.arrival(start), self.arrival(end));
                self.entries.push(Entry {
                    start,
                    end,
                    handler,
                    catch_type: entry.catch_type,
                });
            }
        }
        Ok(())
    }

    fn stub(
        &mut self,
        placement: &Placement,
        (handler, has_position): (u16, bool),
    ) -> Result<Label, MethodError> {
        let found = placement
            .handlers
            .binary_search_by_key(&handler, |handler| handler.0);
        let what = "the plan has no counter for this handler";
        let counter =
            placement.handlers[found.map_err(|_| MethodError::Plan { pc: handler, what })?].1;
        let label = self.asm.here();
        self.want_copy(label, handler)?;
        if has_position {
            self.count_position();
        }
        self.count(Some(counter))?;
        let target = self.arrival_at(u32::from(handler));
        self.asm.jump(opcode::GOTO, target);
        self.asm.gap();
        Ok(label)
    }

    /// Cuts an entry's instructions into those inside and outside `positioned`.
    fn pieces(&self, entry: ExceptionEntry, positioned: &Ranges) -> Vec<(usize, usize, bool)> {
        let index = |pc: u16| index_of(self.instructions, pc).unwrap_or(self.instructions.len());
        let (mut from, end) = (index(entry.start_pc), index(entry.end_pc));
        let mut pieces = Vec::new();
        for (inside, outside) in positioned {
            let (inside, outside) = ((*inside).max(from), (*outside).min(end));
            if inside < outside {
                pieces.extend((from < inside).then_some((from, inside, false)));
                pieces.push((inside, outside, true));
                from = outside;
            }
        }
        pieces.extend((from < end).then_some((from, end, false)));
        pieces
    }

    /// The handler of every exception that leaves the method: counts the departure and throws on.
    pub(crate) fn counting_catch_all(&mut self, covered: &Ranges) -> Result<(), MethodError> {
        if covered.is_empty() {
            return Ok(());
        }
        let handler = self.asm.here();
        self.want(handler, Source::Counting);
        self.count_position();
        self.rethrow()?;
        for (start, end) in covered {
            let (start, end) = (self.arrival(*start), self.arrival(*end));
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

    fn rethrow(&mut self) -> Result<(), MethodError> {
        scope::exit(&mut self.asm, &mut self.shared.constants, self.scopes, true)?;
        self.asm.op(opcode::ATHROW);
        self.asm.gap();
        Ok(())
    }

    /// Keeps the exception table as it is, for methods that are not counted.
    pub(crate) fn keep_entries(&mut self) {
        for entry in &self.code.exception_table {
            self.firsts.push(self.entries.len());
            let (start, end) = (
                self.arrival_at(u32::from(entry.start_pc)),
                self.end_of(*entry),
            );
            let handler = self.arrival_at(u32::from(entry.handler_pc));
            self.entries.push(Entry {
                start,
                end,
                handler,
                catch_type: entry.catch_type,
            });
        }
    }

    fn end_of(&self, entry: ExceptionEntry) -> Label {
        self.arrival(index_of(self.instructions, entry.end_pc).unwrap_or(self.instructions.len()))
    }
}
