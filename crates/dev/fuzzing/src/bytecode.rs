//! Mutations of class files that keep their structure, so that a fair share still passes the JVM's verifier.
//!
//! An instruction becomes another of the same length and (mostly) the same types, or other constants, variables, targets
//! and catch ranges; attributes that the verifier does not need are renamed away, flags and versions change. Whether the
//! mutant is a class at all is the JVM's to say: what is asked is that an accepted one is still accepted when instrumented.
//!
//! Source: the mutators of Chen et al. 2016, "Coverage-directed differential testing of JVM implementations", as far as
//! they keep lengths.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ClassFile, Code, Instruction, Instructions, Operand};

use crate::mutation::Mutator;

/// Instructions without operands that may stand for one another: same types in and out.
const ALIKE: &[&[u8]] = &[
    &[
        op::IADD,
        op::ISUB,
        op::IMUL,
        op::IDIV,
        op::IREM,
        op::IAND,
        op::IOR,
        op::IXOR,
        op::ISHL,
        op::ISHR,
    ],
    &[
        op::LADD,
        op::LSUB,
        op::LMUL,
        op::LDIV,
        op::LREM,
        op::LAND,
        op::LOR,
        op::LXOR,
    ],
    &[op::FADD, op::FSUB, op::FMUL, op::FDIV, op::FREM],
    &[op::DADD, op::DSUB, op::DMUL, op::DDIV, op::DREM],
    &[op::INEG, op::I2B, op::I2C, op::I2S, op::NOP],
    &[
        op::ICONST_M1,
        op::ICONST_0,
        op::ICONST_1,
        op::ICONST_2,
        op::ICONST_3,
        op::ICONST_5,
    ],
    &[
        op::ILOAD_0,
        op::ILOAD_1,
        op::ILOAD_2,
        op::ILOAD_3,
        op::ICONST_0,
    ],
    &[
        op::ALOAD_0,
        op::ALOAD_1,
        op::ALOAD_2,
        op::ALOAD_3,
        op::ACONST_NULL,
    ],
    &[
        op::ISTORE_0,
        op::ISTORE_1,
        op::ISTORE_2,
        op::ISTORE_3,
        op::POP,
    ],
    &[
        op::ASTORE_0,
        op::ASTORE_1,
        op::ASTORE_2,
        op::ASTORE_3,
        op::POP,
        op::MONITOREXIT,
    ],
    &[op::IALOAD, op::CALOAD, op::BALOAD, op::SALOAD],
    &[op::POP, op::MONITORENTER, op::MONITOREXIT],
    &[op::RETURN, op::NOP],
    &[op::ATHROW, op::ARETURN],
    &[op::LCMP, op::LCMP],
    &[op::FCMPL, op::FCMPG],
    &[op::DCMPL, op::DCMPG],
    &[op::DUP, op::DUP_X1, op::DUP2, op::SWAP, op::NOP],
];

/// Branches that take the same operands.
const BRANCHES: &[&[u8]] = &[
    &[op::IFEQ, op::IFNE, op::IFLT, op::IFGE, op::IFGT, op::IFLE],
    &[
        op::IF_ICMPEQ,
        op::IF_ICMPNE,
        op::IF_ICMPLT,
        op::IF_ICMPGE,
        op::IF_ICMPGT,
        op::IF_ICMPLE,
    ],
    &[op::IF_ACMPEQ, op::IF_ACMPNE],
    &[op::IFNULL, op::IFNONNULL],
];

/// Bytes of a `Code` attribute before the code: name, length, stack, locals, code length.
const CODE_AT: usize = 14;

/// Mutates a class in 1 to 4 places. None if it has no code that can be decoded.
pub fn mutate(mutator: &mut Mutator, class: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = class.to_vec();
    for _ in 0..=mutator.below(4) {
        bytes = once(mutator, &bytes)?;
    }
    Some(bytes)
}

fn once(mutator: &mut Mutator, class: &[u8]) -> Option<Vec<u8>> {
    let parsed = ClassFile::parse(class).ok()?;
    let pool = parsed.constants();
    let bodies = parsed.methods().iter().filter_map(|method| {
        let code = method.code(pool).ok()??;
        let instructions = code.instructions().ok()?;
        Some((code, instructions))
    });
    let bodies: Vec<_> = bodies.collect();
    if bodies.is_empty() {
        return None;
    }
    let (code, instructions) = mutator.one_of(&bodies);
    let mut bytes = class.to_vec();
    match mutator.below(16) {
        0..=8 => instruction(mutator, &mut bytes, code, instructions),
        9 | 10 => exceptions(mutator, &mut bytes, code, instructions, &parsed),
        11 => limits(mutator, &mut bytes, code),
        12 => version(mutator, &mut bytes),
        13 => attribute(mutator, &mut bytes, code),
        14 => two_alike(mutator, &mut bytes, code, instructions),
        _ => return Some(body(mutator, class, &bodies)),
    }
    Some(bytes)
}

/// The file's bytes from the instruction on.
fn at(code: &Code<'_>, instruction: &Instruction) -> usize {
    code.range.0 + CODE_AT + usize::from(instruction.pc)
}

fn instruction(mutator: &mut Mutator, bytes: &mut [u8], code: &Code<'_>, all: &[Instruction]) {
    let chosen = mutator.one_of(all);
    let start = at(code, chosen);
    let place = &mut bytes[start..start + chosen.length as usize];
    match &chosen.operand {
        Operand::None => {
            let groups: Vec<_> = ALIKE
                .iter()
                .filter(|g| g.contains(&chosen.opcode))
                .collect();
            if !groups.is_empty() {
                let group = mutator.one_of(&groups);
                place[0] = *mutator.one_of(group);
            }
        }
        Operand::Branch(_) => branch(mutator, place, chosen, all),
        Operand::TableSwitch { .. } | Operand::LookupSwitch { .. } => {
            let target = i32::from(mutator.one_of(all).pc) - i32::from(chosen.pc);
            let words = place.len() / 4;
            let word = place.len() - 4 * mutator.below(words).max(1);
            place[word..word + 4].copy_from_slice(&target.to_be_bytes());
        }
        _ => {
            let last = place.len() - 1;
            place[last] = match mutator.below(3) {
                0 => place[last].wrapping_add(1),
                1 => place[last].wrapping_sub(1),
                _ => mutator.below(8) as u8,
            };
        }
    }
}

fn branch(mutator: &mut Mutator, place: &mut [u8], chosen: &Instruction, all: &[Instruction]) {
    let same = BRANCHES.iter().find(|group| group.contains(&chosen.opcode));
    match (mutator.below(4), same) {
        (0, Some(group)) => place[0] = *mutator.one_of(group),
        // Takes as many operands away as the branch: never taken.
        (1, _) if place.len() == 3 => {
            let two = matches!(chosen.opcode, op::IF_ICMPEQ..=op::IF_ACMPNE);
            let drop = match chosen.opcode {
                op::GOTO => op::NOP,
                _ if two => op::POP2,
                _ => op::POP,
            };
            place.copy_from_slice(&[drop, op::NOP, op::NOP]);
        }
        _ => {
            // Another branch's target has a frame; any other instruction has none.
            let targets: Vec<u32> = all.iter().flat_map(Instruction::targets).collect();
            let target = i64::from(*mutator.one_of(&targets));
            let distance = (target - i64::from(chosen.pc)) as i32;
            let width = place.len() - 1;
            place[1..].copy_from_slice(&distance.to_be_bytes()[4 - width..]);
        }
    }
}

/// An entry of the exception table: its range, its handler, its type, or its order.
fn exceptions(
    mutator: &mut Mutator,
    bytes: &mut [u8],
    code: &Code<'_>,
    all: &[Instruction],
    class: &ClassFile<'_>,
) {
    if code.exception_table.is_empty() {
        return;
    }
    let table = code.range.0 + CODE_AT + code.bytes.len() + 2;
    let entry = |index: usize| table + 8 * index..table + 8 * index + 8;
    let count = code.exception_table.len();
    let one = entry(mutator.below(count));
    let other = entry(mutator.below(count));
    let mut put = |at: usize, value: u16| bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
    match mutator.below(6) {
        0 => put(one.start, mutator.one_of(all).pc),
        1 => put(one.start + 2, mutator.one_of(all).end() as u16),
        2 => put(one.start + 4, mutator.one_of(all).pc),
        3 => {
            let classes: Vec<u16> = class
                .constants()
                .tags()
                .filter(|t| t.1 == 7)
                .map(|t| t.0)
                .collect();
            let kind = if classes.is_empty() || mutator.below(2) == 0 {
                0
            } else {
                *mutator.one_of(&classes)
            };
            put(one.start + 6, kind);
        }
        4 => bytes.copy_within(one, other.start),
        _ => {
            let first = bytes[one.clone()].to_vec();
            bytes.copy_within(other.clone(), one.start);
            bytes[other].copy_from_slice(&first);
        }
    }
}

/// More stack or more variables than needed, up to the most there can be.
fn limits(mutator: &mut Mutator, bytes: &mut [u8], code: &Code<'_>) {
    let field = code.range.0 + 6 + 2 * mutator.below(2);
    let old = u16::from_be_bytes([bytes[field], bytes[field + 1]]);
    let new = *mutator.one_of(&[
        old.saturating_add(1),
        255,
        256,
        65_530,
        u16::MAX,
        old.saturating_sub(1),
    ]);
    bytes[field..field + 2].copy_from_slice(&new.to_be_bytes());
}

/// Versions with and without frames.
fn version(mutator: &mut Mutator, bytes: &mut [u8]) {
    let major = *mutator.one_of(&[45_u16, 46, 48, 49, 50, 51, 52, 55, 61]);
    bytes[6..8].copy_from_slice(&major.to_be_bytes());
}

/// An attribute of the code takes the name of the code itself, and is thereby unknown in that place; or one of its
/// bytes changes.
fn attribute(mutator: &mut Mutator, bytes: &mut [u8], code: &Code<'_>) {
    let attributes: Vec<_> = code.attributes.iter().collect();
    if attributes.is_empty() {
        return;
    }
    let range = mutator.one_of(&attributes).range();
    if mutator.below(2) == 0 {
        bytes[range.start..range.start + 2].copy_from_slice(&code.name_index.to_be_bytes());
    } else if range.len() > 8 {
        let at = range.start + 8 + mutator.below(range.len() - 8);
        bytes[at] = mutator.below(16) as u8;
    }
}

/// Two instructions of the same length change places.
fn two_alike(mutator: &mut Mutator, bytes: &mut [u8], code: &Code<'_>, all: &[Instruction]) {
    let first = mutator.one_of(all);
    let others: Vec<_> = all
        .iter()
        .filter(|i| i.length == first.length && i.targets().next().is_none())
        .collect();
    if others.is_empty() || first.targets().next().is_some() {
        return;
    }
    let second = mutator.one_of(&others);
    let length = first.length as usize;
    for step in 0..length {
        bytes.swap(at(code, first) + step, at(code, second) + step);
    }
}

/// The body of one method in place of another's: right where their descriptors agree.
fn body(mutator: &mut Mutator, class: &[u8], bodies: &[(Code<'_>, Instructions)]) -> Vec<u8> {
    let (from, to) = (&mutator.one_of(bodies).0, &mutator.one_of(bodies).0);
    let mut bytes = class[..to.range.0].to_vec();
    bytes.extend(&class[from.range.0..from.range.1]);
    bytes.extend(&class[to.range.1..]);
    bytes
}
