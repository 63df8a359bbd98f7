//! Numbers that a method's code compares with: `if (size > 200000)`, `i < 64`.
//!
//! Krogmann, Kuperberg & Reussner (TSE 2010) offer such numbers to their search for formulas. Within one block the stack is
//! followed as in [`crate::operands`], so that the number may stand on either side of the comparison, with any computation on the other.
//!
//! Comparisons are those by order. Left out are tests for equality and the labels of a `switch`: they name things (characters,
//! states, hash codes) more often than sizes, and a cost has cases by order. Left out are 0, 1 and −1 as well, which stand everywhere.
//!
//! Limits: a number that comes out of a local, a field that is no compile-time constant, or another block is not seen.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ConstantPool, Instruction};
use pricetag_probe_plan::Literal;

use crate::cfg::Cfg;
use crate::operands::{Slot, Stack};
use crate::stack::effect;

/// The comparisons of a method with a number, by index of the instruction, ascending.
pub fn compared_literals(cfg: &Cfg, constants: &ConstantPool<'_>) -> Vec<(usize, Literal)> {
    let mut found = Vec::new();
    let mut stack = Stack::default();
    for block in &cfg.blocks {
        let here = &cfg.instructions[block.instructions.clone()];
        let Some(first) = here.iter().position(pushes_number) else {
            continue;
        };
        if !here[first..].iter().any(|i| compares(i.opcode)) {
            continue;
        }
        stack.clear();
        for (i, instruction) in here.iter().enumerate().skip(first) {
            let next = here.get(i + 1).map(|next| next.opcode);
            if let Some(literal) = compared(instruction.opcode, next, &stack) {
                found.push((block.instructions.start + i, literal));
            }
            // What has no effect on the stack is refused elsewhere, if anything in the method depends on it.
            let Ok(effect) = effect(instruction, constants) else {
                break;
            };
            stack.step(instruction, effect, constants);
        }
    }
    found
}

/// Whether an instruction pushes a number other than the small ones that say nothing.
fn pushes_number(here: &Instruction) -> bool {
    matches!(here.opcode, op::ICONST_2..=op::ICONST_5 | op::FCONST_2 | op::BIPUSH..=op::LDC2_W)
}

fn compares(opcode: u8) -> bool {
    matches!(opcode, op::LCMP..=op::DCMPG | op::IF_ICMPLT..=op::IF_ICMPLE)
}

/// The number on one side of a comparison by order; `next` is the instruction behind it.
fn compared(opcode: u8, next: Option<u8>, stack: &Stack) -> Option<Literal> {
    let second = match opcode {
        op::IF_ICMPLT..=op::IF_ICMPLE | op::FCMPL | op::FCMPG => 1,
        op::LCMP | op::DCMPL | op::DCMPG => 2,
        _ => return None,
    };
    if opcode <= op::DCMPG && matches!(next, Some(op::IFEQ | op::IFNE)) {
        return None;
    }
    let (one, other) = (number(stack.peek(0)), number(stack.peek(second)));
    // Two numbers are compared in code that no compiler leaves.
    let literal = one.xor(other)?;
    let value = literal.value();
    (value.is_finite() && value.abs() != 1.0 && value != 0.0).then_some(literal)
}

fn number(slot: Slot) -> Option<Literal> {
    match slot {
        Slot::Int(n) => Some(Literal::Integer(n.into())),
        Slot::Long(n) => Some(Literal::Integer(n)),
        Slot::Real(bits) => Some(Literal::Real(bits)),
        Slot::Unknown | Slot::Text | Slot::Local(_) | Slot::Array { .. } => None,
    }
}
