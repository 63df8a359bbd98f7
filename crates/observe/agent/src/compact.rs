//! What a thread has counted, kept small: when an invocation begins for as long as it goes on, and when it ends until the trace has it. Both may be so on all threads at once.
//!
//! By class, ascending: its index, the number of elements of its chunk up to the last that is not 0, and these; all in LEB128 (seven bits a byte, lowest first). Classes
//! with nothing but 0 are left out.

use crate::classes::ClassIndex;

/// Chunks of a thread, encoded.
#[derive(Debug, Default)]
pub struct Compact(Vec<u8>);

impl Compact {
    /// Adds the chunk of a class, which is behind those added before, or its beginning.
    pub fn push(&mut self, class: ClassIndex, chunk: &[i64]) {
        let Some(last) = chunk.iter().rposition(|&count| count != 0) else {
            return;
        };
        self.number(u64::from(class.0));
        self.number(last as u64 + 1);
        for count in &chunk[..=last] {
            self.number(*count as u64);
        }
    }

    /// Gives back the room for more.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Reads from the first class on.
    pub fn read(&self) -> Reader<'_> {
        Reader {
            bytes: &self.0,
            at: 0,
        }
    }

    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// Reads chunks.
#[derive(Debug)]
pub struct Reader<'c> {
    bytes: &'c [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next class, and its chunk without the zeros at the end in place of what `chunk` held.
    pub fn next(&mut self, chunk: &mut Vec<i64>) -> Option<ClassIndex> {
        chunk.clear();
        if self.at == self.bytes.len() {
            return None;
        }
        let class = ClassIndex(self.number() as u32);
        let length = self.number();
        chunk.extend((0..length).map(|_| self.number() as i64));
        Some(class)
    }

    fn number(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.bytes[self.at];
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_come_back() {
        let all = [
            (ClassIndex(0), vec![0, 1, 127, 128, 0, 0]),
            (ClassIndex(3), vec![0, 0]),
            (ClassIndex(300), vec![i64::MAX, -1, i64::MIN]),
        ];
        let mut compact = Compact::default();
        for (class, counters) in &all {
            compact.push(*class, counters);
        }
        let (mut reader, mut chunk) = (compact.read(), vec![7]);
        assert_eq!(reader.next(&mut chunk), Some(ClassIndex(0)));
        assert_eq!(chunk, [0, 1, 127, 128]);
        assert_eq!(reader.next(&mut chunk), Some(ClassIndex(300)));
        assert_eq!(chunk, [i64::MAX, -1, i64::MIN]);
        assert_eq!(reader.next(&mut chunk), None);
        assert_eq!(Compact::default().read().next(&mut chunk), None);
    }
}
