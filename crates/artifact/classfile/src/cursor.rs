//! A bounds-checked reading position.

use crate::ClassFileError;

/// Reads big-endian numbers and slices; errors name the offset from the start of the class file.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
}

impl<'a> Cursor<'a> {
    /// Reads `bytes`, which start at offset `base` of the class file.
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Offset of the next byte from the start of the class file.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(crate) fn take(
        &mut self,
        length: usize,
        what: &'static str,
    ) -> Result<&'a [u8], ClassFileError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let slice = rest.get(..length).ok_or(ClassFileError::Truncated {
            offset: self.offset(),
            what,
        })?;
        self.at += length;
        Ok(slice)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, ClassFileError> {
        Ok(self.take(1, what)?[0])
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, ClassFileError> {
        let b = self.take(2, what)?;
        Ok(u16::from_be_bytes([b[0], b[1]]))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, ClassFileError> {
        let b = self.take(4, what)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub(crate) fn malformed(&self, what: &'static str) -> ClassFileError {
        ClassFileError::Malformed {
            offset: self.offset(),
            what,
        }
    }
}
