//! Bytecode instructions, decoded (JVMS §4.9, §6.5).

use std::ops::Deref;

use crate::ClassFileError;
use crate::opcode::{self, Shape};

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it starts.
    pub pc: u16,
    /// Its length in bytes, with prefix and padding.
    pub length: u32,
    /// Its opcode; the widened one behind a `wide` prefix.
    pub opcode: u8,
    /// Whether it has a `wide` prefix.
    pub wide: bool,
    /// What follows the opcode.
    pub operand: Operand,
}

impl Instruction {
    /// One past its last byte.
    pub fn end(&self) -> u32 {
        u32::from(self.pc) + self.length
    }

    /// Whether it has targets.
    pub fn jumps(&self) -> bool {
        matches!(
            self.operand,
            Operand::Branch(_) | Operand::TableSwitch { .. } | Operand::LookupSwitch { .. }
        )
    }

    /// The local whose `int` it pushes.
    pub fn loaded_int(&self) -> Option<u16> {
        match (self.opcode, &self.operand) {
            (opcode::ILOAD, Operand::Local(n)) => Some(*n),
            (opcode::ILOAD_0..=opcode::ILOAD_3, _) => {
                Some(u16::from(self.opcode - opcode::ILOAD_0))
            }
            _ => None,
        }
    }

    /// The local that it stores to from the stack, and whether it takes two slots.
    pub fn stored_local(&self) -> Option<(u16, bool)> {
        let numbered = |first: u8| u16::from((self.opcode - first) % 4);
        match (self.opcode, &self.operand) {
            (opcode::LSTORE | opcode::DSTORE, Operand::Local(n)) => Some((*n, true)),
            (opcode::ISTORE..=opcode::ASTORE, Operand::Local(n)) => Some((*n, false)),
            (opcode::LSTORE_0..=opcode::LSTORE_3, _) => Some((numbered(opcode::LSTORE_0), true)),
            (opcode::DSTORE_0..=opcode::DSTORE_3, _) => Some((numbered(opcode::DSTORE_0), true)),
            (opcode::ISTORE_0..=opcode::ASTORE_3, _) => Some((numbered(opcode::ISTORE_0), false)),
            _ => None,
        }
    }

    /// Every place it may jump to, in the order of the instruction, with repeats; a switch's default comes first.
    pub fn targets(&self) -> impl Iterator<Item = u32> + '_ {
        let (first, table, pairs): (Option<u32>, &[u32], &[(i32, u32)]) = match &self.operand {
            Operand::Branch(target) => (Some(*target), &[], &[]),
            Operand::TableSwitch {
                default, targets, ..
            } => (Some(*default), targets, &[]),
            Operand::LookupSwitch { default, pairs } => (Some(*default), &[], pairs),
            _ => (None, &[], &[]),
        };
        first
            .into_iter()
            .chain(table.iter().copied())
            .chain(pairs.iter().map(|pair| pair.1))
    }
}

/// What follows an opcode. Jump targets are absolute and starts of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing; the opcode says it all (also `iload_0` and its like).
    None,
    /// A local variable.
    Local(u16),
    /// `iinc`.
    Iinc {
        /// The variable.
        local: u16,
        /// What is added.
        delta: i16,
    },
    /// The number of `bipush` and `sipush`.
    Immediate(i32),
    /// A constant: of `ldc` and its like, a field, method or class.
    Constant(u16),
    /// The target of a branch.
    Branch(u32),
    /// `tableswitch`.
    TableSwitch {
        /// Where other values go.
        default: u32,
        /// The first value; the others follow without gap.
        low: i32,
        /// Where they go.
        targets: Vec<u32>,
    },
    /// `lookupswitch`.
    LookupSwitch {
        /// Where other values go.
        default: u32,
        /// Values and where they go, in order of the instruction.
        pairs: Vec<(i32, u32)>,
    },
    /// `invokeinterface`.
    InvokeInterface {
        /// The method.
        index: u16,
        /// Stack slots of receiver and arguments.
        count: u8,
    },
    /// `invokedynamic`.
    InvokeDynamic(u16),
    /// The element type of `newarray`.
    NewArray(u8),
    /// `multianewarray`.
    MultiNewArray {
        /// The array type.
        index: u16,
        /// How many dimensions are allocated.
        dimensions: u8,
    },
}

/// Decoded code: the instructions in order, and which of them starts where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    list: Vec<Instruction>,
    /// By offset, the index of the instruction that starts there, or [`Self::NONE`].
    starts: Vec<u16>,
}

impl Instructions {
    /// Marks offsets inside an instruction; no method has that many instructions.
    const NONE: u16 = u16::MAX;

    /// The index of the instruction that starts at `pc`.
    pub fn index_of(&self, pc: u32) -> Option<usize> {
        let index = *self.starts.get(pc as usize)?;
        (index != Self::NONE).then_some(usize::from(index))
    }
}

impl Deref for Instructions {
    type Target = [Instruction];

    fn deref(&self) -> &[Instruction] {
        &self.list
    }
}

impl IntoIterator for Instructions {
    type Item = Instruction;
    type IntoIter = std::vec::IntoIter<Instruction>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'i> IntoIterator for &'i Instructions {
    type Item = &'i Instruction;
    type IntoIter = std::slice::Iter<'i, Instruction>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// Decodes a method's code. Every jump target is the start of an instruction.
pub fn decode(code: &[u8]) -> Result<Instructions, ClassFileError> {
    if code.is_empty() || code.len() > usize::from(u16::MAX) {
        return Err(ClassFileError::Bytecode {
            pc: code.len() as u32,
            what: "code of impossible length",
        });
    }
    let mut instructions = Instructions {
        list: Vec::with_capacity(code.len() * 5 / 8 + 1),
        starts: vec![Instructions::NONE; code.len()],
    };
    let mut at = 0;
    while at < code.len() {
        let start = at;
        let instruction = Decoder { code, start, at }.instruction()?;
        instructions.starts[at] = instructions.list.len() as u16;
        at += instruction.length as usize;
        instructions.list.push(instruction);
    }
    for instruction in instructions.iter().filter(|i| i.jumps()) {
        if instruction
            .targets()
            .any(|target| instructions.index_of(target).is_none())
        {
            return Err(ClassFileError::Bytecode {
                pc: u32::from(instruction.pc),
                what: "jump to no instruction",
            });
        }
    }
    Ok(instructions)
}

struct Decoder<'a> {
    code: &'a [u8],
    start: usize,
    at: usize,
}

impl Decoder<'_> {
    fn error(&self, what: &'static str) -> ClassFileError {
        ClassFileError::Bytecode {
            pc: self.start as u32,
            what,
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ClassFileError> {
        let bytes = self
            .code
            .get(self.at..)
            .and_then(|rest| rest.first_chunk::<N>());
        let bytes = *bytes.ok_or_else(|| self.error("instruction cut short"))?;
        self.at += N;
        Ok(bytes)
    }

    fn u8(&mut self) -> Result<u8, ClassFileError> {
        self.array().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, ClassFileError> {
        self.array().map(u16::from_be_bytes)
    }

    fn i32(&mut self) -> Result<i32, ClassFileError> {
        self.array().map(i32::from_be_bytes)
    }

    fn target(&self, distance: i32) -> Result<u32, ClassFileError> {
        u32::try_from(self.start as i64 + i64::from(distance))
            .map_err(|_| self.error("jump before the method's start"))
    }

    #[inline]
    fn instruction(mut self) -> Result<Instruction, ClassFileError> {
        let mut opcode = self.u8()?;
        let wide = opcode == opcode::WIDE;
        if wide {
            opcode = self.u8()?;
        }
        let operand = match (opcode::shape(opcode), wide) {
            (Shape::Plain, false) => Operand::None,
            (Shape::Local, true) => Operand::Local(self.u16()?),
            (Shape::Iinc, true) => Operand::Iinc {
                local: self.u16()?,
                delta: self.u16()? as i16,
            },
            (_, true) => return Err(self.error("wide before an instruction that has no wide form")),
            (Shape::Local, _) => Operand::Local(u16::from(self.u8()?)),
            (Shape::Iinc, _) => Operand::Iinc {
                local: u16::from(self.u8()?),
                delta: i16::from(self.u8()? as i8),
            },
            (Shape::Byte, _) => Operand::Immediate(i32::from(self.u8()? as i8)),
            (Shape::Short, _) => Operand::Immediate(i32::from(self.u16()? as i16)),
            (Shape::Constant, _) => Operand::Constant(u16::from(self.u8()?)),
            (Shape::WideConstant, _) => Operand::Constant(self.u16()?),
            (Shape::Branch, _) => {
                let distance = self.u16()? as i16;
                Operand::Branch(self.target(i32::from(distance))?)
            }
            (Shape::WideBranch, _) => {
                let distance = self.i32()?;
                Operand::Branch(self.target(distance)?)
            }
            (Shape::TableSwitch, _) => self.table_switch()?,
            (Shape::LookupSwitch, _) => self.lookup_switch()?,
            (Shape::InvokeInterface, _) => {
                let (index, count) = (self.u16()?, self.u8()?);
                self.u8()?;
                Operand::InvokeInterface { index, count }
            }
            (Shape::InvokeDynamic, _) => {
                let index = self.u16()?;
                self.u16()?;
                Operand::InvokeDynamic(index)
            }
            (Shape::NewArray, _) => Operand::NewArray(self.u8()?),
            (Shape::MultiNewArray, _) => Operand::MultiNewArray {
                index: self.u16()?,
                dimensions: self.u8()?,
            },
            (Shape::Wide | Shape::Unknown, _) => return Err(self.error("unknown opcode")),
        };
        Ok(Instruction {
            pc: self.start as u16,
            length: (self.at - self.start) as u32,
            opcode,
            wide,
            operand,
        })
    }

    /// Skips the padding of a switch and reads its default.
    fn switch_default(&mut self) -> Result<u32, ClassFileError> {
        self.at = self.at.next_multiple_of(4);
        let distance = self.i32()?;
        self.target(distance)
    }

    /// Refuses tables that are longer than what is left of the code, before anything is allocated for them.
    fn check_entries(&self, entries: i64, size: usize) -> Result<usize, ClassFileError> {
        let fits = usize::try_from(entries)
            .ok()
            .filter(|n| *n <= (self.code.len() - self.at.min(self.code.len())) / size);
        fits.ok_or_else(|| self.error("switch of impossible size"))
    }

    fn table_switch(&mut self) -> Result<Operand, ClassFileError> {
        let default = self.switch_default()?;
        let (low, high) = (self.i32()?, self.i32()?);
        let entries = self.check_entries(i64::from(high) - i64::from(low) + 1, 4)?;
        let mut targets = Vec::with_capacity(entries);
        for _ in 0..entries {
            let distance = self.i32()?;
            targets.push(self.target(distance)?);
        }
        Ok(Operand::TableSwitch {
            default,
            low,
            targets,
        })
    }

    fn lookup_switch(&mut self) -> Result<Operand, ClassFileError> {
        let default = self.switch_default()?;
        let count = self.i32()?;
        let entries = self.check_entries(i64::from(count), 8)?;
        let mut pairs = Vec::with_capacity(entries);
        for _ in 0..entries {
            let (value, distance) = (self.i32()?, self.i32()?);
            pairs.push((value, self.target(distance)?));
        }
        Ok(Operand::LookupSwitch { default, pairs })
    }
}
