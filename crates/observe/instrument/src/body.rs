//! The body of a method under construction.
//!
//! Layout of the new code:
//! ```text
//! report parameters, enter        (scopes)
//! enter                           (timed; in a constructor behind each call that initialises `this`)
//! fetch the chunk, write the invocation down, reset position (counted); fetch passes, cell and caller; be active (by caller)
//! entry counter
//! body: for every original instruction
//!     arrival:  passes of the loop that begins here; clock (timed); counters of the block's only way in; position; counter of the only way out; exit (scopes)
//!               value of the store to a local variable, copy of that to a field; stride of the array read; call written down
//!     itself:   the instruction; value of the `iinc` or the field; counters of the fall-through, or of the way back to a `jsr`
//! trampolines, handler stubs, catch-all of the counters, catch-all of the scopes
//! ```

use crate::AskedSite;
use crate::callers::Callers;
use crate::error::MethodError;
use crate::frames::Source;
use crate::insert::{Insertion, Place, Side};
use crate::method::{Original, Shared};
use crate::monitors::Monitors;
use crate::placement::Placement;
use crate::runtime::{CALLED, HELPER_CLASS};
use crate::scope;
use crate::timing::Timing;
use crate::values::Take;
use pricetag_classfile::assemble::Keys;
use pricetag_classfile::instruction::{Instructions, Operand};
use pricetag_classfile::{Assembler, ClassFileError, Code, Frames, Label, opcode};
#[cfg(doc)]
use pricetag_probe_plan::TransitionPlan;
use pricetag_probe_plan::{MethodPlan, Pc, StridePlan};

/// An entry of the new exception table, before layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub start: Label,
    pub end: Label,
    pub handler: Label,
    pub catch_type: u16,
}

/// The code under construction.
pub(crate) struct Body<'b, 'c, 'a> {
    pub asm: Assembler,
    pub chunk: u16,
    pub position: Option<u16>,
    pub frames: Option<&'b Frames>,
    pub wanted: Vec<(Label, Source)>,
    pub entries: Vec<Entry>,
    /// For each original entry of the exception table, the first of `entries` that stems from it.
    pub firsts: Vec<usize>,
    /// What keeps the method's monitors balanced; none where it has none.
    pub monitors: Option<Monitors>,
    pub code: &'b Code<'a>,
    pub instructions: &'b Instructions,
    pub plan: Option<&'b MethodPlan>,
    pub placement: Option<&'b Placement>,
    pub scopes: &'b [i32],
    /// Where values are taken, by original offset.
    pub takes: &'b [(u16, Take)],
    /// Where in the chunk the depth of recursion is noted.
    pub depth: Option<u32>,
    /// The local that keeps a caught exception while it is reported.
    pub caught: Option<u16>,
    /// Where strides are counted, ascending.
    pub strides: &'b [StridePlan],
    /// The local that keeps the line that is about to be read.
    pub line: Option<u16>,
    /// What is done about calling methods.
    pub callers: Callers,
    /// The method's number in its class, if its invocations are written down.
    pub called: Option<u16>,
    /// Calls that are written down before they are made.
    pub asked: &'b [AskedSite],
    /// The first of the locals in which arguments are put aside.
    pub aside: u16,
    /// Where inserted code stands that belongs to the instruction at an original offset.
    pub places: Vec<(Label, u16)>,
    /// Instructions that push the number of the class and can be changed afterwards.
    pub numbers: Vec<Label>,
    pub timing: Option<Timing<'b>>,
    /// Where timing begins, as far as written: the next instruction, and the place behind the first reading.
    pub begun: Vec<(usize, Label)>,
    /// Calls put in without counters.
    pub insertions: &'b [Insertion],
    /// Sides of branches that lead through such calls.
    pub sides: Vec<Side<'b>>,
    pub shared: &'b mut Shared<'c, 'a>,
}

impl Body<'_, '_, '_> {
    /// Appends everything.
    pub(crate) fn write(&mut self, original: &Original<'_>) -> Result<(), MethodError> {
        scope::enter(
            &mut self.asm,
            &mut self.shared.constants,
            original.access,
            &original.descriptor,
            self.scopes,
        )?;
        self.begin_timing(0)?;
        self.insert(Place::Entry)?;
        let entered = self.asm.here();
        if let Some(placement) = self.placement {
            self.prologue(placement, original.has_receiver())?;
        }
        self.want_original_frames()?;
        for index in 0..self.instructions.len() {
            self.instruction(index)?;
        }
        let end = self.arrival(self.instructions.len());
        self.asm.bind(end);
        let (Some(placement), Some(plan)) = (self.placement, self.plan) else {
            self.sides()?;
            self.keep_entries();
            self.timing_catch_all()?;
            return self.scope_catch_all(entered, end);
        };
        self.trampolines(placement)?;
        self.stubs(placement)?;
        self.counting_catch_all(plan)?;
        self.scope_catch_all(entered, end)
    }

    /// Where a jump to an instruction lands; the end of the body for the number of instructions.
    pub(crate) fn arrival(&self, index: usize) -> Label {
        self.asm
            .numbered(2 * index)
            .unwrap_or_else(|| unreachable!("two labels were made per instruction"))
    }

    /// The arrival at the instruction at `pc`, which is known to start one, or the end of the body.
    pub(crate) fn arrival_at(&self, pc: u32) -> Label {
        self.arrival(
            self.instructions
                .index_of(pc)
                .unwrap_or(self.instructions.len()),
        )
    }

    /// Pushes the number of the class, in three bytes whatever it is, as long as it is below [`SHARED_CLASSES`](crate::SHARED_CLASSES).
    pub(crate) fn push_class_index(&mut self) -> Result<(), ClassFileError> {
        let index = self.shared.class_index;
        match i16::try_from(index) {
            Ok(short) => {
                self.numbers.push(self.asm.here());
                let [high, low] = short.to_be_bytes();
                self.asm.raw(&[opcode::SIPUSH, high, low]);
                Ok(())
            }
            Err(_) => self.asm.int(index as i32, &mut self.shared.constants),
        }
    }

    fn prologue(&mut self, placement: &Placement, receiver: bool) -> Result<(), MethodError> {
        self.push_class_index()?;
        let fetch = self.shared.runtime()?.chunk;
        self.asm.constant(opcode::INVOKESTATIC, fetch);
        self.asm.local(opcode::ASTORE, self.chunk);
        self.write_down(receiver)?;
        self.find_caller()?;
        if let Some(position) = self.position {
            let first = placement.first_position as i32;
            self.asm.int(first, &mut self.shared.constants)?;
            self.asm.local(opcode::ISTORE, position);
        }
        self.descend()?;
        self.count_invocation()?;
        self.be_active(Pc(0))?;
        self.count(placement.entry)
    }

    /// Adds the invocation to what the thread has invoked, behind the fetch of the chunk, which gives a thread its number.
    fn write_down(&mut self, receiver: bool) -> Result<(), MethodError> {
        let Some(method) = self.called else {
            return Ok(());
        };
        if receiver {
            self.asm.local(opcode::ALOAD, 0);
        } else {
            self.asm.op(opcode::ACONST_NULL);
        }
        self.push_class_index()?;
        let constants = &mut self.shared.constants;
        self.asm.int(i32::from(method), constants)?;
        let called = constants.method(HELPER_CLASS, "called", CALLED)?;
        self.asm.constant(opcode::INVOKESTATIC, called);
        Ok(())
    }

    fn want_original_frames(&mut self) -> Result<(), MethodError> {
        let Some(frames) = self.frames else {
            return Ok(());
        };
        for (number, frame) in frames.iter().enumerate() {
            let what = "stack map frame where no instruction starts";
            let index = self
                .instructions
                .index_of(u32::from(frame.pc))
                .ok_or(MethodError::Plan { pc: frame.pc, what })?;
            self.wanted
                .push((self.arrival(index), Source::Original(number)));
        }
        Ok(())
    }

    /// Whether a constructor has yet to initialise `this` when the instruction at `pc` begins.
    pub(crate) fn is_uninitialised(&self, pc: Pc) -> bool {
        self.plan
            .is_some_and(|plan| plan.uninitialised.contains(pc))
    }

    /// Wants a copy of the original frame at `pc` at `label`.
    pub(crate) fn want_copy(&mut self, label: Label, pc: u16) -> Result<(), MethodError> {
        if let Some(frames) = self.frames {
            let number = frames.find(pc).ok_or(MethodError::MissingFrame { pc })?;
            self.wanted.push((label, Source::Original(number)));
        }
        Ok(())
    }

    pub(crate) fn want(&mut self, label: Label, source: Source) {
        if self.frames.is_some() {
            self.wanted.push((label, source));
        }
    }

    /// Adds one to a counter: `chunk[counter]++`.
    pub(crate) fn count(&mut self, counter: Option<u32>) -> Result<(), MethodError> {
        if let Some(counter) = counter {
            self.asm.local(opcode::ALOAD, self.chunk);
            self.asm.int(counter as i32, &mut self.shared.constants)?;
            self.asm.increment_long();
        }
        Ok(())
    }

    /// Notes that a branch was taken: its count becomes odd, by one more if it was even (see [`TransitionPlan`]).
    pub(crate) fn taken(&mut self, transitions: Option<u32>) -> Result<(), MethodError> {
        self.outcome(transitions, &[opcode::LCONST_1, opcode::LOR])
    }

    /// Notes that a branch was not taken: its count becomes even, by one more if it was odd.
    fn not_taken(&mut self, transitions: Option<u32>) -> Result<(), MethodError> {
        let even = (-2_i8).to_be_bytes()[0];
        let round_up = [
            opcode::LCONST_1,
            opcode::LADD,
            opcode::BIPUSH,
            even,
            opcode::I2L,
            opcode::LAND,
        ];
        self.outcome(transitions, &round_up)
    }

    /// `chunk[counter] = update(chunk[counter])`; `update` takes no more than two words of stack.
    fn outcome(&mut self, counter: Option<u32>, update: &[u8]) -> Result<(), MethodError> {
        if let Some(counter) = counter {
            self.asm.local(opcode::ALOAD, self.chunk);
            self.asm.int(counter as i32, &mut self.shared.constants)?;
            self.asm.raw(&[opcode::DUP2, opcode::LALOAD]);
            self.asm.raw(update);
            self.asm.op(opcode::LASTORE);
        }
        Ok(())
    }

    /// Adds one to the counter found in the position local: `chunk[p]++`.
    pub(crate) fn count_position(&mut self) {
        if let Some(position) = self.position {
            self.asm.local(opcode::ALOAD, self.chunk);
            self.asm.local(opcode::ILOAD, position);
            self.asm.increment_long();
        }
    }

    fn instruction(&mut self, index: usize) -> Result<(), MethodError> {
        let instruction = &self.instructions[index];
        let marks = self
            .placement
            .map(|placement| placement.marks[index])
            .unwrap_or_default();
        let arrival = self.arrival(index);
        self.asm.bind(arrival);
        self.insert(Place::Before(instruction.pc))?;
        self.count_passes(index)?;
        self.mark_block(index)?;
        self.count(marks.arrival)?;
        self.taken(marks.taken)?;
        if let (Some(counter), Some(position)) = (marks.position, self.position) {
            self.asm.int(counter as i32, &mut self.shared.constants)?;
            self.asm.local(opcode::ISTORE, position);
        }
        self.count(marks.own)?;
        if opcode::is_return(instruction.opcode) {
            self.ascend()?;
            self.leave_to_caller();
            self.leave_timing()?;
            scope::exit(
                &mut self.asm,
                &mut self.shared.constants,
                self.scopes,
                false,
            )?;
        }
        self.take_before(index)?;
        self.ask(index)?;
        self.count_stride(index)?;
        if let Some(itself) = self.asm.numbered(2 * index + 1) {
            self.asm.bind(itself);
        }
        self.copy(index);
        self.note_border(index);
        self.be_initialised(index)?;
        self.take_behind(index)?;
        if let Some(ret) = marks.returned_by {
            self.places.push((self.asm.here(), ret));
        }
        self.count(marks.after)?;
        self.not_taken(marks.not_taken)?;
        self.insert(Place::NotTaken(instruction.pc))?;
        self.begin_timing(index + 1)?;
        if !opcode::goes_on_behind(instruction.opcode) {
            self.asm.gap();
        }
        Ok(())
    }

    /// Appends the instruction itself, its jumps led through trampolines.
    fn copy(&mut self, index: usize) {
        let instruction = &self.instructions[index];
        let side = match &instruction.operand {
            Operand::Branch(pc) => self.side(instruction.pc, *pc),
            _ => None,
        };
        let target = |slot: u32, pc: u32| {
            self.trampoline(index, slot)
                .unwrap_or_else(|| self.arrival_at(pc))
        };
        match &instruction.operand {
            Operand::Branch(pc) => {
                let target = side.unwrap_or_else(|| target(0, *pc));
                self.asm.jump(instruction.opcode, target);
            }
            Operand::TableSwitch {
                default,
                low,
                targets,
            } => {
                let cases = (1..)
                    .zip(targets)
                    .map(|(slot, pc)| target(slot, *pc))
                    .collect();
                let default = target(0, *default);
                self.asm.switch(Keys::From(*low), default, cases);
            }
            Operand::LookupSwitch { default, pairs } => {
                let cases = (1..)
                    .zip(pairs)
                    .map(|(slot, pair)| target(slot, pair.1))
                    .collect();
                let default = target(0, *default);
                self.asm.switch(
                    Keys::Each(pairs.iter().map(|pair| pair.0).collect()),
                    default,
                    cases,
                );
            }
            _ => self
                .asm
                .raw(&self.code.bytes[usize::from(instruction.pc)..instruction.end() as usize]),
        }
    }

    /// The label of a trampoline: they follow the labels of the instructions, in order.
    fn trampoline(&self, instruction: usize, slot: u32) -> Option<Label> {
        let trampolines = &self.placement?.trampolines;
        let key = (instruction as u32, slot);
        let number = trampolines
            .binary_search_by_key(&key, |t| (t.instruction, t.slot))
            .ok()?;
        self.asm.numbered(self.first_trampoline() + number)
    }

    /// Number of the label of the first trampoline.
    pub(crate) fn first_trampoline(&self) -> usize {
        2 * self.instructions.len() + 1
    }
}
