//! Where instructions went, and the attributes of `Code` that say so.

use crate::ClassFileError;
use crate::annotation::{self, Moves};
use crate::class::Attribute;
use crate::code::Code;
use crate::cursor::Cursor;
use crate::pool::ConstantPool;

/// Marks an offset at which no instruction starts.
pub const NOWHERE: u32 = u32::MAX;

/// The move of a method's instructions. Both tables are indexed by the original offset and have one more entry for the
/// end of the code; offsets inside an instruction hold [`NOWHERE`].
#[derive(Clone, Debug)]
pub struct Relocation {
    /// Where a jump to the instruction lands: before what was inserted in front of it.
    pub arrivals: Vec<u32>,
    /// Where the instruction itself is.
    pub instructions: Vec<u32>,
    /// New index of the first entry that each entry of the exception table became.
    pub exceptions: Vec<u16>,
}

fn at(table: &[u32], pc: usize) -> Option<u16> {
    table
        .get(pc)
        .filter(|new| **new != NOWHERE)
        .map(|new| *new as u16)
}

impl Relocation {
    /// Where a jump to the instruction at `pc` lands; none if there is no such instruction.
    pub fn arrival(&self, pc: u16) -> Option<u16> {
        at(&self.arrivals, usize::from(pc))
    }
}

impl Moves for Relocation {
    fn instruction(&self, pc: u16) -> Option<u16> {
        at(&self.instructions, usize::from(pc))
    }

    fn range(&self, start: u16, length: u16) -> Option<(u16, u16)> {
        let from = at(&self.arrivals, usize::from(start))?;
        let to = at(&self.arrivals, usize::from(start) + usize::from(length))?;
        Some((from, to.saturating_sub(from)))
    }

    fn exception(&self, index: u16) -> Option<u16> {
        self.exceptions.get(usize::from(index)).copied()
    }
}

/// Writes the attribute table of a moved `Code`: lines, variables and type annotations moved, `stack_map` (index of the
/// attribute's name and its contents) instead of the old frames, everything else as it was.
///
/// Entries of line and variable tables that belong to no instruction are dropped: no JVM could use them either.
pub fn code_attributes(
    code: &Code<'_>,
    constants: &ConstantPool<'_>,
    relocation: &Relocation,
    stack_map: Option<(u16, Vec<u8>)>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let count_at = out.len();
    let mut count = 0_u16;
    out.extend([0, 0]);
    for attribute in code.attributes.iter() {
        let name = constants.utf8_bytes(attribute.name_index)?;
        if name == b"StackMapTable" {
            continue;
        }
        let start = begin(attribute.name_index, out);
        match name {
            b"LineNumberTable" => lines(&attribute, relocation, out)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                variables(&attribute, relocation, out)?;
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => out.extend(
                annotation::relocate(attribute.bytes, attribute.offset, relocation)?,
            ),
            _ => out.extend(attribute.bytes),
        }
        end(start, out);
        count += 1;
    }
    if let Some((name, contents)) = stack_map {
        let start = begin(name, out);
        out.extend(contents);
        end(start, out);
        count += 1;
    }
    out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
    Ok(())
}

/// Begins an attribute; where its contents start.
fn begin(name: u16, out: &mut Vec<u8>) -> usize {
    out.extend(name.to_be_bytes());
    out.extend([0; 4]);
    out.len()
}

/// Fills in the length of an attribute whose contents start there.
fn end(start: usize, out: &mut [u8]) {
    let length = (out.len() - start) as u32;
    out[start - 4..start].copy_from_slice(&length.to_be_bytes());
}

/// Moves a `LineNumberTable`. What was inserted before the first instruction belongs to its line.
fn lines(
    attribute: &Attribute<'_>,
    relocation: &Relocation,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let what = "a line number";
    let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
    let count = cursor.u16(what)?;
    let count_at = out.len();
    out.extend([0, 0]);
    for _ in 0..count {
        let (pc, line) = (cursor.u16(what)?, cursor.u16(what)?);
        let moved = if pc == 0 {
            Some(0)
        } else {
            relocation.arrival(pc)
        };
        if let Some(pc) = moved {
            out.extend(pc.to_be_bytes());
            out.extend(line.to_be_bytes());
        }
    }
    fill_in_count(4, &mut out[count_at..]);
    Ok(())
}

/// Moves a `LocalVariableTable` or `LocalVariableTypeTable`.
fn variables(
    attribute: &Attribute<'_>,
    relocation: &Relocation,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let what = "a local variable";
    let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
    let count = cursor.u16(what)?;
    let count_at = out.len();
    out.extend([0, 0]);
    for _ in 0..count {
        let (start, length) = (cursor.u16(what)?, cursor.u16(what)?);
        let rest = cursor.take(6, what)?;
        if let Some((start, length)) = relocation.range(start, length) {
            out.extend(start.to_be_bytes());
            out.extend(length.to_be_bytes());
            out.extend(rest);
        }
    }
    fill_in_count(10, &mut out[count_at..]);
    Ok(())
}

/// Fills in the count in front of entries of `size` bytes.
fn fill_in_count(size: usize, table: &mut [u8]) {
    let count = (table.len() - 2) / size;
    table[..2].copy_from_slice(&(count as u16).to_be_bytes());
}
