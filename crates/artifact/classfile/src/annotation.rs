//! Type annotations inside code: the offsets they hold, moved (JVMS §4.7.20); and which annotations a member has (§4.7.16).

use crate::ClassFileError;
use crate::class::Attribute;
use crate::cursor::Cursor;
use crate::pool::ConstantPool;

/// How offsets and exception-table indexes change.
pub trait Moves {
    /// Where an instruction went.
    fn instruction(&self, pc: u16) -> Option<u16>;
    /// Where the range `start .. start + length` of a local variable went, as start and length.
    fn range(&self, start: u16, length: u16) -> Option<(u16, u16)>;
    /// The new index of an entry of the exception table.
    fn exception(&self, index: u16) -> Option<u16>;
}

/// Copies the contents of a `Runtime(In)VisibleTypeAnnotations` attribute of a `Code` attribute with its offsets moved.
///
/// `offset` is where the contents stand in the class file, for messages.
pub fn relocate(
    bytes: &[u8],
    offset: usize,
    moves: &impl Moves,
) -> Result<Vec<u8>, ClassFileError> {
    let mut out = bytes.to_vec();
    let mut walk = Walk {
        cursor: Cursor::new(bytes, offset),
        offset,
        out: &mut out,
    };
    let count = walk.cursor.u16(WHAT)?;
    for _ in 0..count {
        walk.target(moves)?;
        let path = walk.cursor.u8(WHAT)?;
        walk.cursor.take(usize::from(path) * 2, WHAT)?;
        walk.annotation(0)?;
    }
    Ok(out)
}

/// Descriptors of the annotations in a `Runtime(In)VisibleAnnotations` attribute, such as `Lorg/junit/Test;`.
pub fn types(
    attribute: &Attribute<'_>,
    constants: &ConstantPool<'_>,
) -> Result<Vec<String>, ClassFileError> {
    let mut unchanged = Vec::new();
    let mut walk = Walk {
        cursor: Cursor::new(attribute.bytes, attribute.offset),
        offset: attribute.offset,
        out: &mut unchanged,
    };
    let mut types = Vec::new();
    for _ in 0..walk.cursor.u16(WHAT)? {
        let mut ahead = walk.cursor;
        types.push(constants.utf8(ahead.u16(WHAT)?)?);
        walk.annotation(0)?;
    }
    Ok(types)
}

const WHAT: &str = "an annotation";
/// Annotations nested deeper are refused; the JVM's own parser recurses too.
const MAX_DEPTH: u32 = 64;

struct Walk<'a, 'o> {
    cursor: Cursor<'a>,
    offset: usize,
    out: &'o mut Vec<u8>,
}

impl Walk<'_, '_> {
    /// Reads a number and writes what `moved` makes of it in its place.
    fn replace(&mut self, moved: impl Fn(u16) -> Option<u16>) -> Result<(), ClassFileError> {
        let at = self.cursor.offset() - self.offset;
        let unknown = self.cursor.malformed("type annotation of no instruction");
        let new = moved(self.cursor.u16(WHAT)?).ok_or(unknown)?;
        self.out[at..at + 2].copy_from_slice(&new.to_be_bytes());
        Ok(())
    }

    fn target(&mut self, moves: &impl Moves) -> Result<(), ClassFileError> {
        match self.cursor.u8(WHAT)? {
            0x00 | 0x01 | 0x16 => self.cursor.u8(WHAT).map(drop),
            0x10..=0x12 | 0x17 => self.cursor.u16(WHAT).map(drop),
            0x13..=0x15 => Ok(()),
            0x40 | 0x41 => {
                for _ in 0..self.cursor.u16(WHAT)? {
                    let at = self.cursor.offset() - self.offset;
                    let unknown = self.cursor.malformed("type annotation of no instructions");
                    let (start, length) = (self.cursor.u16(WHAT)?, self.cursor.u16(WHAT)?);
                    self.cursor.u16(WHAT)?;
                    let (start, length) = moves.range(start, length).ok_or(unknown)?;
                    self.out[at..at + 2].copy_from_slice(&start.to_be_bytes());
                    self.out[at + 2..at + 4].copy_from_slice(&length.to_be_bytes());
                }
                Ok(())
            }
            0x42 => self.replace(|index| moves.exception(index)),
            0x43..=0x46 => self.replace(|pc| moves.instruction(pc)),
            0x47..=0x4B => {
                self.replace(|pc| moves.instruction(pc))?;
                self.cursor.u8(WHAT).map(drop)
            }
            _ => Err(self.cursor.malformed("unknown target of a type annotation")),
        }
    }

    fn annotation(&mut self, depth: u32) -> Result<(), ClassFileError> {
        self.cursor.u16(WHAT)?;
        for _ in 0..self.cursor.u16(WHAT)? {
            self.cursor.u16(WHAT)?;
            self.value(depth + 1)?;
        }
        Ok(())
    }

    fn value(&mut self, depth: u32) -> Result<(), ClassFileError> {
        if depth > MAX_DEPTH {
            return Err(self.cursor.malformed("annotations nested too deep"));
        }
        match self.cursor.u8(WHAT)? {
            b'e' => self.cursor.u32(WHAT).map(drop),
            b'@' => self.annotation(depth),
            b'[' => {
                for _ in 0..self.cursor.u16(WHAT)? {
                    self.value(depth + 1)?;
                }
                Ok(())
            }
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
                self.cursor.u16(WHAT).map(drop)
            }
            _ => Err(self.cursor.malformed("unknown value of an annotation")),
        }
    }
}
