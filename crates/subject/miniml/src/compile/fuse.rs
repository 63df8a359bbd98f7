//! Instructions that often follow each other become one, so that the machine looks for the next less often (superinstructions: Proebsting 1995).
//!
//! The one takes the place of the first; the others stay where they are, since control may come in between. So no address changes, neither that of a
//! jump nor those that liveness and branch prediction go by.

use crate::code::Op;

/// Fuses the instructions from `start` on, which are complete.
pub(super) fn fuse(ops: &mut [Op], start: usize) {
    for pc in start..ops.len() {
        if let Some(fused) = fused(ops, pc) {
            ops[pc] = fused;
        }
    }
}

/// The instruction that does what those from `pc` on do.
fn fused(ops: &[Op], pc: usize) -> Option<Op> {
    let next = *ops.get(pc + 1)?;
    match (ops[pc], next) {
        (Op::LocalPush(a), Op::Local(b)) => Some(Op::LocalPushLocal(a, b)),
        (Op::LocalPush(a), Op::LocalPush(b)) => Some(Op::LocalPushTwice(a, b)),
        (Op::Push, Op::Local(slot)) => Some(Op::PushLocal(slot)),
        (Op::Int(n), Op::Push) => {
            let pushes = ops[pc + 1..].iter().take_while(|op| **op == Op::Push);
            Some(Op::IntPush(n, pushes.count() as u32))
        }
        (Op::Local(slot), Op::Count(id)) => Some(Op::LocalCount(slot, id)),
        (Op::Global(global), Op::Count(id)) => Some(Op::GlobalCount(global, id)),
        (Op::LocalField(slot, field), Op::SetSlot(to)) => Some(Op::FieldToSlot(
            slot.try_into().ok()?,
            field.try_into().ok()?,
            to,
        )),
        (Op::Local(slot), Op::JumpNotInt(n, to)) => {
            Some(Op::LocalJumpNotInt(slot.try_into().ok()?, n, to))
        }
        (Op::Local(slot), Op::JumpNotTag(tag, to)) => {
            Some(Op::LocalJumpNotTag(tag, slot.try_into().ok()?, to))
        }
        (Op::Local(slot), Op::Call(n)) => Some(Op::LocalCall(slot, n)),
        // What a function returns from, it need not tidy.
        (Op::Drop(_), end) | (end @ Op::Jump(_), _) if returns(ops, end) => Some(Op::Return),
        _ => None,
    }
}

/// Whether nothing is done but to return.
fn returns(ops: &[Op], op: Op) -> bool {
    match op {
        Op::Return => true,
        Op::Jump(to) => ops.get(to as usize) == Some(&Op::Return),
        _ => false,
    }
}
