//! Where handlers of everything may stand: not before a constructor has initialised its object, since HotSpot's verifier compares a handler's frame with those before and
//! behind the call that does it.

use crate::error::MethodError;
use pricetag_classfile::{Frames, Instructions, VerificationType, opcode};
use pricetag_probe_plan::{MethodPlan, Pc};
use std::ops::Range;

/// The parts of a method's instructions, by index, in which `this` is initialised; everything in a method that is no constructor.
pub(crate) fn parts(
    plan: &MethodPlan,
    instructions: &Instructions,
    frames: Option<&Frames>,
) -> Result<Vec<Range<usize>>, MethodError> {
    let mut parts = Vec::with_capacity(plan.uninitialised.ranges().len() + 1);
    let mut first = 0;
    for range in plan.uninitialised.ranges() {
        let (start, end) = (u32::from(range.start.0), range.end);
        parts.push(first..find(instructions, start)?);
        first = find(instructions, end)?;
    }
    parts.push(first..instructions.len());
    parts.retain(|part| !part.is_empty());
    check(plan, frames)?;
    Ok(parts)
}

/// Index of the instruction at `pc`, or how many there are for the end of the code.
fn find(instructions: &Instructions, pc: u32) -> Result<usize, MethodError> {
    let ends = instructions.last().is_some_and(|last| last.end() == pc);
    let index = if ends {
        Some(instructions.len())
    } else {
        instructions.index_of(pc)
    };
    index.ok_or(MethodError::Plan {
        pc: pc as u16,
        what: "plan has an instruction where none starts",
    })
}

/// Refuses a plan that takes `this` for initialised where a frame says otherwise.
fn check(plan: &MethodPlan, frames: Option<&Frames>) -> Result<(), MethodError> {
    if plan.uninitialised.is_empty() {
        return Ok(());
    }
    for frame in frames.iter().flat_map(|frames| frames.iter()) {
        if !plan.uninitialised.contains(Pc(frame.pc))
            && frame.locals.contains(&VerificationType::UninitializedThis)
        {
            return Err(MethodError::Plan {
                pc: frame.pc,
                what: "the constructor's object is not initialised here",
            });
        }
    }
    Ok(())
}

/// Whether the instruction at an index initialises `this`.
pub(crate) fn initialises(plan: &MethodPlan, instructions: &Instructions, index: usize) -> bool {
    let instruction = &instructions[index];
    instruction.opcode == opcode::INVOKESPECIAL && plan.uninitialised.ends_at(instruction.end())
}
