//! The stack map of a rewritten method: every frame moved, padded and given the new locals.

use crate::error::MethodError;
use pricetag_classfile::annotation::Moves;
use pricetag_classfile::frame::FrameWriter;
use pricetag_classfile::relocate::Relocation;
use pricetag_classfile::{Frames, VerificationType};

/// What a new frame looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Like the original frame of that index.
    Original(usize),
    /// Like the original frame of that index, a handler's, with its exception in one more local and a `Throwable` on the stack.
    Kept(usize),
    /// A handler of everything that uses the new locals: nothing known of the old ones, a `Throwable` on the stack.
    Counting,
    /// A handler of everything that uses no locals.
    Bare,
}

/// What all frames of a method have in common.
#[derive(Clone, Debug)]
pub(crate) struct Padding {
    /// Slots of the original locals.
    pub slots: u16,
    /// Types of the locals behind them.
    pub added: Vec<VerificationType>,
    /// The class `Throwable`.
    pub throwable: u16,
}

/// Writes the stack map; none without frames. `initial` are the locals at the method's entry, if they are known.
pub(crate) fn write(
    mut wanted: Vec<(u32, Source)>,
    frames: &Frames,
    initial: Option<Vec<VerificationType>>,
    padding: &Padding,
    relocation: &Relocation,
) -> Result<Option<Vec<u8>>, MethodError> {
    wanted.sort_unstable_by_key(|(pc, _)| *pc);
    let mut writer = FrameWriter::new(initial, wanted.len());
    let (mut locals, mut stack) = (Vec::new(), Vec::new());
    for (pc, source) in wanted {
        locals.clear();
        stack.clear();
        match source {
            Source::Original(index) => {
                let Some(frame) = frames.get(index) else {
                    continue;
                };
                move_types(frame.locals, relocation, frame.pc, &mut locals)?;
                move_types(frame.stack, relocation, frame.pc, &mut stack)?;
                pad(&mut locals, padding, frame.pc)?;
            }
            Source::Kept(index) => {
                let Some(frame) = frames.get(index) else {
                    continue;
                };
                move_types(frame.locals, relocation, frame.pc, &mut locals)?;
                pad(&mut locals, padding, frame.pc)?;
                locals.extend(frame.stack.first());
                stack.push(VerificationType::Object(padding.throwable));
            }
            Source::Counting => {
                pad(&mut locals, padding, 0)?;
                stack.push(VerificationType::Object(padding.throwable));
            }
            Source::Bare => stack.push(VerificationType::Object(padding.throwable)),
        }
        writer.push(pc as u16, &locals, &stack);
    }
    Ok(writer.finish())
}

/// Copies types; what an uninitialised object's `new` is called by moves with the instruction.
fn move_types(
    from: &[VerificationType],
    relocation: &Relocation,
    at: u16,
    to: &mut Vec<VerificationType>,
) -> Result<(), MethodError> {
    for kind in from {
        to.push(match *kind {
            VerificationType::Uninitialized(pc) => {
                let missing = MethodError::Plan {
                    pc: at,
                    what: "stack map frame names a `new` that is none",
                };
                VerificationType::Uninitialized(relocation.instruction(pc).ok_or(missing)?)
            }
            other => other,
        });
    }
    Ok(())
}

fn pad(locals: &mut Vec<VerificationType>, padding: &Padding, at: u16) -> Result<(), MethodError> {
    if padding.added.is_empty() {
        return Ok(());
    }
    let used: u32 = locals.iter().map(|kind| u32::from(kind.slots())).sum();
    let missing = u32::from(padding.slots).checked_sub(used);
    let too_many = MethodError::Plan {
        pc: at,
        what: "stack map frame has more locals than the method",
    };
    locals.extend(std::iter::repeat_n(
        VerificationType::Top,
        missing.ok_or(too_many)? as usize,
    ));
    locals.extend_from_slice(&padding.added);
    Ok(())
}
