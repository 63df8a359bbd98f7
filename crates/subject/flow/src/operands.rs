//! Divisions and array accesses that surely succeed, because the block itself has put their operands on the stack.
//!
//! Within one block the stack is followed with a few kinds of values: constants, and arrays that were just made with a
//! constant length. A reference to an array always leads to the same array, and its length and element type never change,
//! so nothing that happens in between matters. Sure to succeed are
//! - division by a constant other than 0;
//! - `arraylength` of such an array, and loads and stores at a constant index within its length; stores of references
//!   only into an `Object[]`, of string constants into a `String[]`, or of rows into an array of primitive arrays.
//!
//! This makes array initialisers free, which are long: without it large tables would not fit into a method any more.
//! Limit: nothing is known of locals, or across blocks.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ConstantPool, Instruction, Operand, pool::tag};

use crate::cfg::Cfg;
use crate::stack::{Effect, Effects, shuffle};

/// What is known of a stack slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Unknown,
    Int(i32),
    /// Upper slot of a `long` constant.
    Long(i64),
    /// A `float` constant, or the upper slot of a `double`: the bits of the `double`.
    Real(u64),
    /// A string constant.
    Text,
    /// What an `int` local held when it was pushed.
    Local(u16),
    /// An array.
    Array {
        length: u32,
        element: Element,
    },
}

/// What an array takes without a check that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A primitive type, by its code in `newarray`.
    Primitive(u8),
    /// Any reference.
    Object,
    /// String constants.
    String,
    /// Arrays of a primitive type.
    PrimitiveArray(u8),
    /// Nothing that is known here.
    Other,
}

/// For each instruction of the method, whether it is a division or an array access that surely does not throw.
pub fn sure_successes(cfg: &Cfg, effects: &Effects, constants: &ConstantPool<'_>) -> Vec<bool> {
    let mut sure = vec![false; cfg.instructions.len()];
    let mut stack = Stack::default();
    for block in &cfg.blocks {
        let here = &cfg.instructions[block.instructions.clone()];
        if !here.iter().any(|i| may_be_sure(i.opcode)) {
            continue;
        }
        stack.clear();
        for i in block.instructions.clone() {
            let instruction = &cfg.instructions[i];
            sure[i] = stack.surely_serves(instruction.opcode);
            stack.step(instruction, effects.at(i), constants);
        }
    }
    sure
}

/// Whether [`sure_successes`] may find an instruction of this kind sure.
pub const fn may_be_sure(opcode: u8) -> bool {
    matches!(
        opcode,
        op::IDIV
            | op::IREM
            | op::LDIV
            | op::LREM
            | op::ARRAYLENGTH
            | op::IALOAD..=op::SALOAD
            | op::IASTORE..=op::SASTORE
    )
}

/// The slots that the block has pushed; below them is what others pushed, of which nothing is known.
#[derive(Default)]
pub(crate) struct Stack(Vec<Slot>);

impl Stack {
    fn pop(&mut self) -> Slot {
        self.0.pop().unwrap_or(Slot::Unknown)
    }

    /// Forgets everything: another block begins.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The slot `below` the top; 0 is the top.
    pub(crate) fn peek(&self, below: usize) -> Slot {
        let at = self.0.len().checked_sub(below + 1);
        at.map_or(Slot::Unknown, |at| self.0[at])
    }

    fn surely_serves(&self, opcode: u8) -> bool {
        match opcode {
            op::IDIV | op::IREM => matches!(self.peek(0), Slot::Int(n) if n != 0),
            op::LDIV | op::LREM => matches!(self.peek(0), Slot::Long(n) if n != 0),
            op::ARRAYLENGTH => matches!(self.peek(0), Slot::Array { .. }),
            op::IALOAD..=op::SALOAD => self.array_at(0).is_some(),
            op::LASTORE | op::DASTORE => self.array_at(2).is_some(),
            op::AASTORE => match self.array_at(1) {
                Some(Element::Object) => true,
                Some(Element::String) => self.peek(0) == Slot::Text,
                Some(Element::PrimitiveArray(row)) => {
                    matches!(self.peek(0), Slot::Array { element: Element::Primitive(e), .. } if e == row)
                }
                _ => false,
            },
            op::IASTORE..=op::SASTORE => self.array_at(1).is_some(),
            _ => false,
        }
    }

    /// The element type of the array under the index that is `below` the top, if the index is within its length.
    fn array_at(&self, below: usize) -> Option<Element> {
        match (self.peek(below), self.peek(below + 1)) {
            (Slot::Int(index), Slot::Array { length, element }) => u32::try_from(index)
                .is_ok_and(|i| i < length)
                .then_some(element),
            _ => None,
        }
    }

    pub(crate) fn step(
        &mut self,
        here: &Instruction,
        effect: Effect,
        constants: &ConstantPool<'_>,
    ) {
        let top = self.peek(0);
        if (op::DUP..=op::SWAP).contains(&here.opcode) {
            let mut popped = [Slot::Unknown; 4];
            for slot in popped[..effect.pops as usize].iter_mut().rev() {
                *slot = self.pop();
            }
            let order = shuffle(here.opcode).iter();
            self.0.extend(order.map(|&i| popped[i]));
            return;
        }
        let rest = self.0.len().saturating_sub(effect.pops as usize);
        self.0.truncate(rest);
        for _ in 1..effect.pushes {
            self.0.push(Slot::Unknown);
        }
        if effect.pushes > 0 {
            self.0.push(result(here, top, constants));
        }
    }
}

/// What an instruction leaves on top of the stack, given what was there.
fn result(here: &Instruction, top: Slot, constants: &ConstantPool<'_>) -> Slot {
    let array = |element| match top {
        Slot::Int(length) => {
            u32::try_from(length).map_or(Slot::Unknown, |length| Slot::Array { length, element })
        }
        _ => Slot::Unknown,
    };
    match (here.opcode, &here.operand) {
        (op::ICONST_M1..=op::ICONST_5, _) => {
            Slot::Int(i32::from(here.opcode) - i32::from(op::ICONST_0))
        }
        (op::BIPUSH | op::SIPUSH, Operand::Immediate(n)) => Slot::Int(*n),
        (op::LCONST_0 | op::LCONST_1, _) => {
            Slot::Long(i64::from(here.opcode) - i64::from(op::LCONST_0))
        }
        (op::FCONST_0..=op::FCONST_2, _) => {
            Slot::Real(f64::from(here.opcode - op::FCONST_0).to_bits())
        }
        (op::LDC | op::LDC_W | op::LDC2_W, Operand::Constant(index)) => constant(*index, constants),
        (op::ILOAD | op::ILOAD_0..=op::ILOAD_3, _) => {
            here.loaded_int().map_or(Slot::Unknown, Slot::Local)
        }
        (op::NEWARRAY, Operand::NewArray(code)) => array(Element::Primitive(*code)),
        (op::ANEWARRAY, Operand::Constant(index)) => {
            array(match constants.class_name_bytes(*index) {
                Ok(b"java/lang/Object") => Element::Object,
                Ok(b"java/lang/String") => Element::String,
                Ok([b'[', row]) => {
                    primitive_code(*row).map_or(Element::Other, Element::PrimitiveArray)
                }
                _ => Element::Other,
            })
        }
        _ => Slot::Unknown,
    }
}

/// The code in `newarray` of a primitive type's descriptor (JVMS table 6.5.newarray-A).
fn primitive_code(descriptor: u8) -> Option<u8> {
    let at = b"ZCFDBSIJ".iter().position(|d| *d == descriptor)?;
    Some(at as u8 + 4)
}

fn constant(index: u16, constants: &ConstantPool<'_>) -> Slot {
    use pricetag_classfile::Constant;
    if constants.tag(index) == Some(tag::STRING) {
        return Slot::Text;
    }
    match constants.loadable(index) {
        Ok(Constant::Integer(n)) => Slot::Int(n),
        Ok(Constant::Long(n)) => Slot::Long(n),
        Ok(Constant::Float(x)) => Slot::Real(f64::from(x).to_bits()),
        Ok(Constant::Double(x)) => Slot::Real(x.to_bits()),
        _ => Slot::Unknown,
    }
}
