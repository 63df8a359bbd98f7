//! Clock readings at the head of every block and where a method is left: timing single blocks.
//!
//! After Lata 2016, section 2.1.1 and 4.1.2 ("Timing Basic Blocks"), which argues that such times say little; they are
//! kept as the baseline to compare a cost model with. The code calls `Pricetag.mark(class, what)`, where `what` is the
//! number of a block in its class, [`BLOCK_ENTER`] or [`BLOCK_LEAVE`]; arithmetic is left to the callee, so that a method
//! needs no locals and its frames stay as they were.
//!
//! Deviation: the head of a block is the tail of the one before, and an exception ends a block as well. Limits: in a constructor, an
//! object may not be handled before `super()` or `this()` has returned, so the clock starts behind each such call; blocks before
//! them are not timed.

use crate::body::Body;
use crate::error::{MethodError, RewriteError};
use crate::initialised::initialises;
use crate::method::{self, Probes, Shared};
use crate::runtime::HELPER_CLASS;
use crate::{Edits, Rewritten, RewrittenMethod, check};
use pricetag_classfile::{ClassFile, Instructions, opcode};
use pricetag_probe_plan::{ClassPlan, MethodOutcome, MethodPlan};

/// Passed to `mark` when a method is entered.
pub const BLOCK_ENTER: i32 = -1;
/// Passed to `mark` when a method is left, by a return or an exception.
pub const BLOCK_LEAVE: i32 = -2;

/// Where the clock is read in one method.
#[derive(Clone, Debug)]
pub(crate) struct Timing<'p> {
    pub plan: &'p MethodPlan,
    /// Parallel to the instructions: the number in its class of the block that starts there.
    blocks: Vec<Option<u32>>,
    /// Indices of the instructions in front of which timing begins: the first, or those behind the calls that initialise a constructor's object, with the block of that call. Ascending.
    begins: Vec<(usize, Option<u32>)>,
}

impl<'p> Timing<'p> {
    /// From a method's plan and the number of its first block in the class.
    pub(crate) fn of(
        (plan, first): (&'p MethodPlan, u32),
        instructions: &Instructions,
    ) -> Result<Self, MethodError> {
        let find = |pc: u16| {
            let what = "plan has an instruction where none starts";
            instructions
                .index_of(u32::from(pc))
                .ok_or(MethodError::Plan { pc, what })
        };
        let mut timing = Self {
            plan,
            blocks: vec![None; instructions.len()],
            begins: Vec::new(),
        };
        if plan.uninitialised.is_empty() {
            timing.begins.push((0, None));
        }
        for (number, block) in (first..).zip(&plan.blocks) {
            if !plan.uninitialised.contains(block.start) {
                timing.blocks[find(block.start.0)?] = Some(number);
                continue;
            }
            for here in &block.instructions {
                let index = find(here.pc.0)?;
                if initialises(plan, instructions, index) {
                    timing.begins.push((index + 1, Some(number)));
                }
            }
        }
        Ok(timing)
    }
}

/// Puts a clock around every block of the methods that `chosen` picks. Blocks are numbered through the class, in the order of the
/// plan's methods, those that are not timed included.
///
/// # Errors
/// If the class cannot be read, or the plan was made for another class.
pub fn rewrite_timed(
    class: &[u8],
    plan: &ClassPlan,
    class_index: u32,
    chosen: &dyn Fn(&MethodPlan) -> bool,
) -> Result<Rewritten, RewriteError> {
    let class = ClassFile::parse(class)?;
    check(&class, Some(plan))?;
    let mut shared = Shared::new(&class, class_index);
    let mut outcome = Rewritten::default();
    let (mut edits, mut first) = (Edits::default(), 0);
    for (index, method) in plan.methods.iter().enumerate() {
        let probes = Probes {
            timed: Some((method, first)),
            ..Probes::default()
        };
        first += method.blocks.len() as u32;
        if method.outcome != MethodOutcome::Counted || !chosen(method) {
            continue;
        }
        match method::rewrite(&mut shared, index, probes) {
            Ok(changed) => outcome.methods.push(RewrittenMethod {
                index: index as u16,
                pcs: edits.add(changed),
            }),
            Err(error) => outcome.left.push((index as u16, error.to_string())),
        }
    }
    (outcome.bytes, outcome.class_index_at) = edits.apply(&shared);
    Ok(outcome)
}

impl Body<'_, '_, '_> {
    /// Appends the beginning of timing if that is in front of the instruction at an index.
    pub(crate) fn begin_timing(&mut self, next: usize) -> Result<(), MethodError> {
        let Some(timing) = &self.timing else {
            return Ok(());
        };
        let Some((_, block)) = timing.begins.iter().find(|(index, _)| *index == next) else {
            return Ok(());
        };
        let block = *block;
        self.mark(BLOCK_ENTER)?;
        // An exception of that call, such as a stack overflow, must not end what did not begin.
        self.begun.push((next, self.asm.here()));
        block.map_or(Ok(()), |block| self.mark(block as i32))
    }

    /// Appends the head of a block, if one starts at this instruction.
    pub(crate) fn mark_block(&mut self, instruction: usize) -> Result<(), MethodError> {
        let block = self
            .timing
            .as_ref()
            .and_then(|timing| timing.blocks[instruction]);
        block.map_or(Ok(()), |block| self.mark(block as i32))
    }

    /// Appends the end of timing, if the method is timed.
    pub(crate) fn leave_timing(&mut self) -> Result<(), MethodError> {
        if self.timing.is_some() {
            self.mark(BLOCK_LEAVE)?;
        }
        Ok(())
    }

    fn mark(&mut self, what: i32) -> Result<(), MethodError> {
        self.push_class_index()?;
        self.asm.int(what, &mut self.shared.constants)?;
        let mark = self
            .shared
            .constants
            .method(HELPER_CLASS, "mark", "(II)V")?;
        self.asm.constant(opcode::INVOKESTATIC, mark);
        Ok(())
    }
}
