//! Whether looking for repeated checks ([`crate::repeats`]) may find any: most small methods have none, and the walk over the
//! dominator tree is a large part of planning.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{Instruction, Operand};

use crate::cfg::Cfg;

/// By what kind of access a constant was resolved; `putfield` checks more than `getfield`, hence not one bit for all.
pub(crate) const fn access(opcode: u8) -> u8 {
    match opcode {
        op::GETSTATIC => 1,
        op::PUTSTATIC => 2,
        op::GETFIELD => 4,
        op::PUTFIELD => 8,
        _ => 16,
    }
}

/// Whether one of `candidates`, indices of instructions, may be found sure: enough instructions check something, and not each
/// candidate is the only access through its constant.
pub fn may_repeat(cfg: &Cfg, candidates: &[usize]) -> bool {
    let reachable = || {
        let blocks = cfg.blocks.iter();
        blocks.flat_map(|b| &cfg.instructions[b.instructions.clone()])
    };
    let mut candidates = candidates.iter().map(|&i| &cfg.instructions[i]);
    let Some(first) = candidates.find(|i| profits(i.opcode)) else {
        return false;
    };
    if reachable().filter(|i| profits(i.opcode)).nth(1).is_none() {
        return false;
    }
    let mut resolved = None;
    let mut may_repeat = |here: &Instruction| {
        let Some(own) = resolution(here) else {
            return true;
        };
        let resolved = resolved.get_or_insert_with(|| {
            let mut all: Vec<_> = reachable().filter_map(resolution).collect();
            all.sort_unstable();
            all
        });
        let at = resolved.partition_point(|other| *other < own);
        resolved.get(at + 1) == Some(&own)
    };
    may_repeat(first) || candidates.any(|i| profits(i.opcode) && may_repeat(i))
}

/// The constant that an instruction resolves, and by what kind of access.
fn resolution(here: &Instruction) -> Option<(u16, u8)> {
    let resolves = matches!(
        here.opcode,
        op::LDC..=op::LDC2_W
            | op::GETSTATIC..=op::PUTFIELD
            | op::NEW
            | op::ANEWARRAY
            | op::CHECKCAST
            | op::INSTANCEOF
    );
    match here.operand {
        Operand::Constant(index) if resolves => Some((index, access(here.opcode))),
        _ => None,
    }
}

/// Whether an instruction of this kind may be found sure here.
const fn profits(opcode: u8) -> bool {
    matches!(
        opcode,
        op::LDC
            | op::LDC_W
            | op::LDC2_W
            | op::IALOAD..=op::SALOAD
            | op::IASTORE..=op::SASTORE
            | op::IDIV
            | op::LDIV
            | op::IREM
            | op::LREM
            | op::GETSTATIC..=op::PUTFIELD
            | op::ARRAYLENGTH
            | op::CHECKCAST
            | op::INSTANCEOF
    )
}
