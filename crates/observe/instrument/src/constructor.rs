//! Which instructions of a constructor run after `this` is initialised.
//!
//! Only those may lie under the catch-all handler, whose frame has no uninitialised `this`. The stack map frames say at every
//! jump target whether `this` is initialised; between two frames control is linear, and the plan marks every instruction
//! before initialisation that may throw, the initialising call included, by an edge of kind `Continue`.
//!
//! Limit: class files before version 50 have no frames. There the ranges are cut at every jump and begin at the first throw
//! point after one.

use crate::error::MethodError;
use crate::placement::{Marks, index_of};
use pricetag_classfile::instruction::Instruction;
use pricetag_classfile::{Frame, Frames, VerificationType, opcode};

/// Ranges of instruction indexes, end exclusive, ascending.
pub(crate) type Ranges = Vec<(usize, usize)>;

/// Finds the instructions at which `this` is certainly initialised.
pub(crate) fn initialised(
    instructions: &[Instruction],
    marks: &[Marks],
    frames: Option<&Frames>,
) -> Result<Ranges, MethodError> {
    let mut ranges = Ranges::new();
    for (from, to, initialised) in segments(instructions, frames) {
        let last = (from..to).rev().find(|i| marks[*i].continues);
        let first_point = (from..to).find(|i| marks[*i].position.is_some());
        let range = match (initialised, last, first_point) {
            (Some(true), None, _) => Some((from, to)),
            (Some(true), Some(at), _) => return Err(contradiction(&instructions[at])),
            (_, Some(at), Some(point)) if point <= at => {
                return Err(contradiction(&instructions[point]));
            }
            (Some(false), Some(at), Some(_)) => Some((at + 1, to)),
            (Some(false), None, Some(point)) => return Err(contradiction(&instructions[point])),
            (None, _, Some(point)) => Some((point, to)),
            (_, _, None) => None,
        };
        match (range, ranges.last_mut()) {
            (Some((from, to)), Some(previous)) if previous.1 == from => previous.1 = to,
            (Some(range), _) => ranges.push(range),
            (None, _) => {}
        }
    }
    Ok(ranges)
}

fn contradiction(at: &Instruction) -> MethodError {
    MethodError::Plan {
        pc: at.pc,
        what: "plan and frames disagree on whether the constructor's object is initialised",
    }
}

/// Cuts the code into linear stretches and tells for each whether `this` is initialised at its start, if that is known.
fn segments(
    instructions: &[Instruction],
    frames: Option<&Frames>,
) -> Vec<(usize, usize, Option<bool>)> {
    let mut starts = vec![(0, Some(false))];
    let mut start = |index: usize, known: Option<bool>| match starts.last_mut() {
        Some(last) if last.0 == index => last.1 = known,
        _ => starts.push((index, known)),
    };
    if let Some(frames) = frames {
        for frame in frames.iter() {
            if let Some(index) = index_of(instructions, frame.pc) {
                start(index, Some(has_initialised_this(&frame)));
            }
        }
    } else {
        let mut cuts: Vec<usize> = Vec::new();
        for (index, instruction) in instructions.iter().enumerate() {
            cuts.extend(
                instruction
                    .targets()
                    .filter_map(|pc| index_of(instructions, pc as u16)),
            );
            if !opcode::falls_through(instruction.opcode) && index + 1 < instructions.len() {
                cuts.push(index + 1);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        for index in cuts {
            start(index, None);
        }
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|start| start.0)
        .chain([instructions.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((from, known), to)| (*from, to, *known))
        .collect()
}

fn has_initialised_this(frame: &Frame<'_>) -> bool {
    !frame
        .locals
        .iter()
        .chain(frame.stack)
        .any(|kind| *kind == VerificationType::UninitializedThis)
}
