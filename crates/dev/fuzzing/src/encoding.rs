//! Instructions back to bytes: the inverse of the class reader's decoder, written from the specification alone.
//!
//! Source: *The Java Virtual Machine Specification, Java SE 25*, §6.5. It is the check of the decoder, so it shares no
//! table with it. Bytes that mean nothing (padding of switches, the zeros behind `invokeinterface` and `invokedynamic`)
//! are taken from the original.

use pricetag_classfile::{Instruction, Operand};

const LDC: u8 = 18;
const BIPUSH: u8 = 16;
const WIDE: u8 = 196;
const GOTO_W: u8 = 200;
const JSR_W: u8 = 201;

/// The bytes of `instructions`, which were decoded from `original`.
///
/// # Panics
/// If the instructions are not contiguous.
pub fn encode(instructions: &[Instruction], original: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(original.len());
    for instruction in instructions {
        assert_eq!(
            out.len(),
            usize::from(instruction.pc),
            "instructions are contiguous"
        );
        one(instruction, original, &mut out);
    }
    out
}

fn one(instruction: &Instruction, original: &[u8], out: &mut Vec<u8>) {
    let opcode = instruction.opcode;
    let start = i64::from(instruction.pc);
    let far = |target: u32| ((i64::from(target) - start) as i32).to_be_bytes();
    if instruction.wide {
        out.push(WIDE);
    }
    out.push(opcode);
    match &instruction.operand {
        Operand::None => {}
        Operand::Local(local) if instruction.wide => out.extend(local.to_be_bytes()),
        Operand::Local(local) => out.push(*local as u8),
        Operand::Iinc { local, delta } if instruction.wide => {
            out.extend(local.to_be_bytes());
            out.extend(delta.to_be_bytes());
        }
        Operand::Iinc { local, delta } => out.extend([*local as u8, *delta as u8]),
        Operand::Immediate(value) if opcode == BIPUSH => out.push(*value as u8),
        Operand::Immediate(value) => out.extend((*value as i16).to_be_bytes()),
        Operand::Constant(index) if opcode == LDC => out.push(*index as u8),
        Operand::Constant(index) => out.extend(index.to_be_bytes()),
        Operand::Branch(target) if matches!(opcode, GOTO_W | JSR_W) => out.extend(far(*target)),
        Operand::Branch(target) => out.extend(&far(*target)[2..]),
        Operand::TableSwitch {
            default,
            low,
            targets,
        } => {
            pad(original, out);
            out.extend(far(*default));
            out.extend(low.to_be_bytes());
            out.extend((i64::from(*low) + targets.len() as i64 - 1).to_be_bytes()[4..].iter());
            out.extend(targets.iter().flat_map(|target| far(*target)));
        }
        Operand::LookupSwitch { default, pairs } => {
            pad(original, out);
            out.extend(far(*default));
            out.extend((pairs.len() as u32).to_be_bytes());
            for (key, target) in pairs {
                out.extend(key.to_be_bytes());
                out.extend(far(*target));
            }
        }
        Operand::InvokeInterface { index, count } => {
            out.extend(index.to_be_bytes());
            out.push(*count);
            copy(original, 1, out);
        }
        Operand::InvokeDynamic(index) => {
            out.extend(index.to_be_bytes());
            copy(original, 2, out);
        }
        Operand::NewArray(kind) => out.push(*kind),
        Operand::MultiNewArray { index, dimensions } => {
            out.extend(index.to_be_bytes());
            out.push(*dimensions);
        }
    }
}

fn pad(original: &[u8], out: &mut Vec<u8>) {
    copy(original, out.len().next_multiple_of(4) - out.len(), out);
}

fn copy(original: &[u8], count: usize, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend(original.get(at..at + count).unwrap_or_default());
}
