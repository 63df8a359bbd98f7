//! Blocks on a heap that is collected by copying (Cheney 1970).

use std::cmp::Ordering;

/// An OCaml word.
pub(crate) type Word = u64;

pub(super) const PARTIAL: u8 = 246;
pub(super) const CLOSURE: u8 = 247;
const STRING: u8 = 252;
const FLOAT: u8 = 253;

/// The word of an integer: 63 bits.
pub(crate) fn int(n: i64) -> Word {
    ((n as u64) << 1) | 1
}

/// The integer of a word.
pub(crate) fn word(w: Word) -> i64 {
    w as i64 >> 1
}

/// A header is odd: size, tag, 1. The header of a block that has moved is even: its new place.
#[derive(Debug)]
pub(crate) struct Heap {
    words: Vec<Word>,
    threshold: usize,
}

impl Default for Heap {
    fn default() -> Self {
        Self {
            words: vec![],
            threshold: 1 << 18,
        }
    }
}

impl Heap {
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    pub(super) fn is_full(&self, words: usize) -> bool {
        self.words.len() + words > self.threshold
    }

    fn open(&mut self, tag: u8, size: usize) -> Word {
        let at = self.words.len() as u64;
        self.words
            .push((size as u64) << 9 | u64::from(tag) << 1 | 1);
        at << 1
    }

    fn header(&self, w: Word) -> Word {
        self.words[(w >> 1) as usize]
    }

    pub(super) fn size(&self, w: Word) -> usize {
        (self.header(w) >> 9) as usize
    }

    fn tag(&self, w: Word) -> u8 {
        (self.header(w) >> 1) as u8
    }

    pub(super) fn has_tag(&self, w: Word, tag: u8) -> bool {
        w & 1 == 0 && self.tag(w) == tag
    }

    pub(super) fn field(&self, w: Word, i: usize) -> Word {
        self.words[(w >> 1) as usize + 1 + i]
    }

    pub(super) fn set(&mut self, w: Word, i: usize, value: Word) {
        self.words[(w >> 1) as usize + 1 + i] = value;
    }

    /// A block of a first field and others in reverse.
    pub(super) fn block_reversed(&mut self, tag: u8, first: Word, others: &[Word]) -> Word {
        let w = self.open(tag, others.len() + 1);
        self.words.push(first);
        self.words.extend(others.iter().rev());
        w
    }

    pub(super) fn block_forward(&mut self, tag: u8, first: Word, others: &[Word]) -> Word {
        let w = self.open(tag, others.len() + 1);
        self.words.push(first);
        self.words.extend(others);
        w
    }

    pub(super) fn copy(&mut self, w: Word) -> Word {
        let from = (w >> 1) as usize;
        let at = self.words.len() as u64;
        self.words.extend_from_within(from..=from + self.size(w));
        at << 1
    }

    pub(super) fn float(&mut self, x: f64) -> Word {
        let w = self.open(FLOAT, 1);
        self.words.push(x.to_bits());
        w
    }

    pub(super) fn as_float(&self, w: Word) -> f64 {
        f64::from_bits(self.field(w, 0))
    }

    /// A string: its length, then its bytes, eight to a word.
    pub(super) fn string(&mut self, bytes: &[u8]) -> Word {
        let w = self.open(STRING, 1 + bytes.len().div_ceil(8));
        self.words.push(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.words.push(u64::from_be_bytes(eight));
        }
        w
    }

    pub(super) fn bytes(&self, w: Word) -> Vec<u8> {
        let length = self.field(w, 0) as usize;
        let mut bytes: Vec<u8> = (1..self.size(w))
            .flat_map(|i| self.field(w, i).to_be_bytes())
            .collect();
        bytes.truncate(length);
        bytes
    }

    /// Moves what the roots reach, and sets the next threshold.
    pub(super) fn collect<const N: usize>(&mut self, roots: [&mut [Word]; N], wanted: usize) {
        let mut to = Vec::with_capacity(self.words.len() / 2);
        for root in roots {
            for w in root {
                *w = self.moved(*w, &mut to);
            }
        }
        let mut at = 0;
        while at < to.len() {
            let (size, tag) = ((to[at] >> 9) as usize, (to[at] >> 1) as u8);
            if tag != STRING && tag != FLOAT {
                for i in at + 1..=at + size {
                    to[i] = self.moved(to[i], &mut to);
                }
            }
            at += size + 1;
        }
        self.words = to;
        self.threshold = (2 * (self.words.len() + wanted)).max(1 << 18);
    }

    fn moved(&mut self, w: Word, to: &mut Vec<Word>) -> Word {
        if w & 1 == 1 {
            return w;
        }
        let header = self.header(w);
        if header & 1 == 0 {
            return header;
        }
        let from = (w >> 1) as usize;
        let new = (to.len() as u64) << 1;
        to.extend_from_slice(&self.words[from..=from + (header >> 9) as usize]);
        self.words[from] = new;
        new
    }

    /// OCaml's structural order; nothing where a NaN is met, an error where a function is.
    pub(super) fn compare(&self, a: Word, b: Word) -> Result<Option<Ordering>, ()> {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            let order = match (a & 1, b & 1) {
                (1, 1) => (a as i64).cmp(&(b as i64)),
                (1, _) => Ordering::Less,
                (_, 1) => Ordering::Greater,
                _ => match (self.tag(a), self.tag(b)) {
                    (CLOSURE | PARTIAL, _) | (_, CLOSURE | PARTIAL) => return Err(()),
                    (FLOAT, FLOAT) => match self.as_float(a).partial_cmp(&self.as_float(b)) {
                        Some(order) => order,
                        None => return Ok(None),
                    },
                    (STRING, STRING) => self.bytes(a).cmp(&self.bytes(b)),
                    (s, t) => {
                        let order = s.cmp(&t).then(self.size(a).cmp(&self.size(b)));
                        if order.is_eq() {
                            todo.extend(
                                (0..self.size(a))
                                    .rev()
                                    .map(|i| (self.field(a, i), self.field(b, i))),
                            );
                        }
                        order
                    }
                },
            };
            if order.is_ne() {
                return Ok(Some(order));
            }
        }
        Ok(Some(Ordering::Equal))
    }
}
