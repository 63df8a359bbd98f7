//! Arrays, and bytes that change. An array of floats is one block of floats without boxes, as a record of floats is.

use super::heap::{self, FLAT, Word, int, word};
use super::{Interrupt, Machine};
use crate::core::Operator;

/// Arrays of more elements than this cannot be made.
const LONGEST: i64 = (1 << 54) - 1;

impl Machine<'_> {
    fn index_error(&mut self) -> Interrupt {
        self.raise("Invalid_argument", Some("index out of bounds"))
    }

    /// What an array holds of a value: a float without its box, if it is one of floats.
    fn element(&mut self, flat: bool, value: Word) -> Word {
        if flat {
            self.heap.float(self.heap.as_float(value))
        } else {
            value
        }
    }

    /// A block of these elements is the array, for which native code allocates room in the minor heap if it is small.
    fn set_array(&mut self, flat: bool, parts: &[Word], base: usize) -> Result<(), Interrupt> {
        let tag = if flat { FLAT } else { 0 };
        self.acc = self.heap.block_of(tag, parts.len(), int(0));
        for (i, part) in parts.iter().enumerate() {
            self.heap.set(self.acc, i, *part);
        }
        self.account(parts.len(), base)
    }

    /// Words that the runtime copies in native code.
    pub(super) fn copied(&mut self, words: u64) {
        if self.bounds.native {
            self.missed[self.region as usize].copied += words;
        }
    }

    /// What a copy into another block takes beside its source: from where, the target, to where, how much.
    fn pop_blit(&mut self) -> (i64, Word, i64, i64) {
        (
            word(self.pop()),
            self.pop(),
            word(self.pop()),
            word(self.pop()),
        )
    }

    fn account(&mut self, size: usize, base: usize) -> Result<(), Interrupt> {
        if self.bounds.native {
            self.copied(size as u64);
            if size > 0 && size as u64 <= heap::LARGEST_YOUNG {
                self.allocate(8 * (size as u64 + 1), base)?;
            }
        }
        Ok(())
    }

    fn parts(&self, array: Word, from: usize, length: usize) -> Vec<Word> {
        (from..from + length)
            .map(|i| self.heap.field(array, i))
            .collect()
    }

    /// A part of an array, if it is inside.
    fn range(&self, array: Word, from: i64, length: i64) -> Option<(usize, usize)> {
        let (from, length) = (usize::try_from(from).ok()?, usize::try_from(length).ok()?);
        (from.checked_add(length)? <= self.heap.size(array)).then_some((from, length))
    }

    pub(super) fn operate_array(
        &mut self,
        operator: Operator,
        base: usize,
    ) -> Result<(), Interrupt> {
        use Operator as O;
        match operator {
            O::ArrayLength => self.acc = int(self.heap.size(self.acc) as i64),
            O::ArrayGet | O::ArrayUnsafeGet => {
                let i = word(self.pop());
                if i < 0 || i as u64 >= self.heap.size(self.acc) as u64 {
                    return Err(self.index_error());
                }
                self.acc = self.heap.field(self.acc, i as usize);
            }
            O::ArraySet | O::ArrayUnsafeSet => {
                self.room(2)?;
                let (i, value) = (word(self.pop()), self.pop());
                if i < 0 || i as u64 >= self.heap.size(self.acc) as u64 {
                    return Err(self.index_error());
                }
                let flat = self.heap.tag(self.acc) == FLAT;
                let value = if flat && !self.heap.has_tag(value, heap::RAW_FLOAT) {
                    self.element(true, value)
                } else {
                    value
                };
                self.heap.assign(self.acc, i as usize, value);
                self.acc = int(0);
            }
            O::ArrayMake => {
                let n = word(self.acc);
                if !(0..=LONGEST).contains(&n) || n as u64 * 8 > self.bounds.memory {
                    return Err(self.raise("Invalid_argument", Some("Array.make")));
                }
                let n = n as usize;
                self.room(n + 3)?;
                let value = self.pop();
                let flat = self.heap.has_tag(value, heap::FLOAT)
                    || self.heap.has_tag(value, heap::RAW_FLOAT);
                let value = self.element(flat && n > 0, value);
                let tag = if flat && n > 0 { FLAT } else { 0 };
                self.acc = self.heap.block_of(tag, n, value);
                self.account(n, base)?;
            }
            O::ArraySub => {
                let (from, length) = (word(self.pop()), word(self.pop()));
                let Some((from, length)) = self.range(self.acc, from, length) else {
                    return Err(self.raise("Invalid_argument", Some("Array.sub")));
                };
                self.room(length + 1)?;
                let flat = self.heap.tag(self.acc) == FLAT;
                let parts = self.parts(self.acc, from, length);
                self.set_array(flat, &parts, base)?;
            }
            O::ArrayAppend => {
                let size = self.heap.size(self.acc)
                    + self.heap.size(self.stack.last().copied().unwrap_or(0));
                self.room(size + 1)?;
                let other = self.pop();
                let mut parts = self.parts(self.acc, 0, self.heap.size(self.acc));
                parts.extend(self.parts(other, 0, self.heap.size(other)));
                let flat = self.heap.tag(self.acc) == FLAT || self.heap.tag(other) == FLAT;
                self.set_array(flat, &parts, base)?;
            }
            O::ArrayConcat => {
                let (mut parts, mut flat) = (vec![], false);
                self.room(self.length_of_all(self.acc) + 1)?;
                let mut list = self.acc;
                while list & 1 == 0 {
                    let array = self.heap.field(list, 0);
                    flat |= self.heap.tag(array) == FLAT;
                    parts.extend(self.parts(array, 0, self.heap.size(array)));
                    list = self.heap.field(list, 1);
                }
                self.set_array(flat, &parts, base)?;
            }
            O::ArrayBlit => {
                let source = self.acc;
                let (from, target, to, length) = self.pop_blit();
                let ranges = self
                    .range(source, from, length)
                    .zip(self.range(target, to, length));
                let Some(((from, length), (to, _))) = ranges else {
                    return Err(self.raise("Invalid_argument", Some("Array.blit")));
                };
                let parts = self.parts(source, from, length);
                for (i, part) in parts.into_iter().enumerate() {
                    self.heap.assign(target, to + i, part);
                }
                self.copied(length as u64);
                self.acc = int(0);
            }
            _ => {
                self.room(2)?;
                let array = self.acc;
                let (from, length, value) = (word(self.pop()), word(self.pop()), self.pop());
                let Some((from, length)) = self.range(array, from, length) else {
                    return Err(self.raise("Invalid_argument", Some("Array.fill")));
                };
                let flat = self.heap.tag(array) == FLAT;
                let value = self.element(flat, value);
                for i in from..from + length {
                    self.heap.assign(array, i, value);
                }
                self.copied(length as u64);
                self.acc = int(0);
            }
        }
        Ok(())
    }

    fn length_of_all(&self, mut list: Word) -> usize {
        let mut all = 0;
        while list & 1 == 0 {
            all += self.heap.size(self.heap.field(list, 0));
            list = self.heap.field(list, 1);
        }
        all
    }

    /// A part of bytes, if it is inside.
    fn byte_range(&self, w: Word, from: i64, length: i64) -> Option<(usize, usize)> {
        let (from, length) = (usize::try_from(from).ok()?, usize::try_from(length).ok()?);
        (from.checked_add(length)? <= self.heap.field(w, 0) as usize).then_some((from, length))
    }

    pub(super) fn operate_bytes(
        &mut self,
        operator: Operator,
        base: usize,
    ) -> Result<(), Interrupt> {
        use Operator as O;
        match operator {
            O::BytesCreate => {
                let n = word(self.acc);
                if n < 0 || n as u64 > self.bounds.memory {
                    return Err(self.raise("Invalid_argument", Some("Bytes.create")));
                }
                self.new_string(&vec![0; n as usize], base)?;
            }
            O::BytesCopy => {
                let text = self.text(self.acc);
                self.set_string(&text, base)?;
            }
            O::BytesUnsafeGet => {
                let i = word(self.pop());
                if self.byte_range(self.acc, i, 1).is_none() {
                    return Err(self.index_error());
                }
                self.acc = int(i64::from(self.heap.byte(self.acc, i as usize)));
            }
            O::BytesSet | O::BytesUnsafeSet => {
                let (i, byte) = (word(self.pop()), word(self.pop()));
                if self.byte_range(self.acc, i, 1).is_none() {
                    return Err(self.index_error());
                }
                self.heap.set_byte(self.acc, i as usize, byte as u8);
                self.acc = int(0);
            }
            O::BytesBlit => {
                let source = self.acc;
                let (from, target, to, length) = self.pop_blit();
                let ranges = self
                    .byte_range(source, from, length)
                    .zip(self.byte_range(target, to, length));
                let Some(((from, length), (to, _))) = ranges else {
                    return Err(
                        self.raise("Invalid_argument", Some("String.blit / Bytes.blit_string"))
                    );
                };
                let text = self.text(source);
                for (i, byte) in text[from..from + length].iter().enumerate() {
                    self.heap.set_byte(target, to + i, *byte);
                }
                self.copied(length as u64 / 8 + 1);
                self.acc = int(0);
            }
            _ => {
                let target = self.acc;
                let (from, length, byte) = (word(self.pop()), word(self.pop()), word(self.pop()));
                let Some((from, length)) = self.byte_range(target, from, length) else {
                    return Err(self.raise("Invalid_argument", Some("String.fill / Bytes.fill")));
                };
                for i in from..from + length {
                    self.heap.set_byte(target, i, byte as u8);
                }
                self.copied(length as u64 / 8 + 1);
                self.acc = int(0);
            }
        }
        Ok(())
    }
}
