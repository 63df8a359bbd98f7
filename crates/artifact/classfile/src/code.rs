//! The `Code` attribute of a method, read in place (JVMS §4.7.3).

use crate::ClassFileError;
use crate::class::{Attribute, Attributes};
use crate::cursor::Cursor;
use crate::frame::{self, Frames, VerificationType};
use crate::instruction::{self, Instructions};
use crate::pool::ConstantPool;

/// The code of a method.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// Words of operand stack.
    pub max_stack: u16,
    /// Slots of local variables, parameters included.
    pub max_locals: u16,
    /// The instructions.
    pub bytes: &'a [u8],
    /// Which exceptions go where; the first entry that fits wins.
    pub exception_table: Vec<ExceptionEntry>,
    /// Attributes of the code: lines, variables, frames.
    pub attributes: Attributes<'a>,
    /// Index of the name of the `Code` attribute.
    pub name_index: u16,
    /// Where the whole attribute stands in the class file, with name and length.
    pub range: (usize, usize),
}

/// An entry of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionEntry {
    /// First covered byte.
    pub start_pc: u16,
    /// One past the last covered byte.
    pub end_pc: u16,
    /// Where control goes.
    pub handler_pc: u16,
    /// Index of the caught class; 0 for any.
    pub catch_type: u16,
}

/// An entry of the `LocalVariableTable`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// Where the variable has a value from.
    pub start: u16,
    /// For so many bytes.
    pub length: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its slot.
    pub slot: u16,
}

impl<'a> Code<'a> {
    /// Reads a `Code` attribute.
    pub fn parse(
        attribute: &Attribute<'a>,
        constants: &ConstantPool<'_>,
    ) -> Result<Self, ClassFileError> {
        let what = "a Code attribute";
        let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
        let max_stack = cursor.u16(what)?;
        let max_locals = cursor.u16(what)?;
        let length = cursor.u32(what)?;
        let bytes = cursor.take(length as usize, what)?;
        let count = cursor.u16(what)?;
        // No more than there are bytes for.
        let mut exception_table =
            Vec::with_capacity(usize::from(count).min(attribute.bytes.len() / 8));
        for _ in 0..count {
            exception_table.push(ExceptionEntry {
                start_pc: cursor.u16(what)?,
                end_pc: cursor.u16(what)?,
                handler_pc: cursor.u16(what)?,
                catch_type: cursor.u16(what)?,
            });
        }
        let attributes = Attributes::parse(&mut cursor, constants)?;
        if !cursor.is_at_end() {
            return Err(cursor.malformed("bytes behind the code"));
        }
        let range = attribute.range();
        let range = (range.start, range.end);
        Ok(Self {
            max_stack,
            max_locals,
            bytes,
            exception_table,
            attributes,
            name_index: attribute.name_index,
            range,
        })
    }

    /// Decodes the instructions. The exception table is checked too: its borders are instruction starts.
    pub fn instructions(&self) -> Result<Instructions, ClassFileError> {
        let instructions = instruction::decode(self.bytes)?;
        for entry in &self.exception_table {
            let is_start = |pc: u16| instructions.index_of(u32::from(pc)).is_some();
            let is_end = usize::from(entry.end_pc) == self.bytes.len() || is_start(entry.end_pc);
            if entry.start_pc >= entry.end_pc
                || !is_start(entry.start_pc)
                || !is_start(entry.handler_pc)
                || !is_end
            {
                let what = "exception table entry that covers no instructions";
                return Err(ClassFileError::Bytecode {
                    pc: u32::from(entry.start_pc),
                    what,
                });
            }
        }
        Ok(instructions)
    }

    /// Which line each instruction stems from: `(pc, line)` ascending by `pc`, all `LineNumberTable`s together.
    pub fn line_numbers(
        &self,
        constants: &ConstantPool<'_>,
    ) -> Result<Vec<(u16, u16)>, ClassFileError> {
        let mut lines = Vec::new();
        for attribute in self.attributes.iter() {
            if constants.utf8_bytes(attribute.name_index)? == b"LineNumberTable" {
                let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
                lines.reserve_exact(attribute.bytes.len() / 4);
                for _ in 0..cursor.u16("a line number")? {
                    lines.push((cursor.u16("a line number")?, cursor.u16("a line number")?));
                }
            }
        }
        if !lines.is_sorted_by_key(|(pc, _)| *pc) {
            lines.sort_by_key(|(pc, _)| *pc);
        }
        Ok(lines)
    }

    /// Names of local variables: all `LocalVariableTable`s together, ascending by slot and start; none in code without debug tables.
    pub fn local_variables(
        &self,
        constants: &ConstantPool<'_>,
    ) -> Result<Vec<LocalVariable>, ClassFileError> {
        let what = "a local variable";
        let mut variables = Vec::new();
        for attribute in self.attributes.iter() {
            if constants.utf8_bytes(attribute.name_index)? == b"LocalVariableTable" {
                let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
                for _ in 0..cursor.u16(what)? {
                    variables.push(LocalVariable {
                        start: cursor.u16(what)?,
                        length: cursor.u16(what)?,
                        name: constants.utf8(cursor.u16(what)?)?,
                        descriptor: constants.utf8(cursor.u16(what)?)?,
                        slot: cursor.u16(what)?,
                    });
                }
            }
        }
        variables.sort_by_key(|v| (v.slot, v.start));
        Ok(variables)
    }

    /// The frames of the `StackMapTable`, in full; none without one. `initial` are the locals at the method's entry,
    /// see [`frame::initial_locals`].
    pub fn frames(
        &self,
        constants: &ConstantPool<'_>,
        initial: &[VerificationType],
    ) -> Result<Frames, ClassFileError> {
        match self.attributes.find(constants, "StackMapTable") {
            Some(attribute) => frame::decode(&attribute, initial, self.bytes.len()),
            None => Ok(Frames::default()),
        }
    }
}
