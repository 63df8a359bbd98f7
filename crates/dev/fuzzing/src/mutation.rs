//! Blind mutations of bytes, seeded: flips, interesting numbers, copies, cuts and splices.
//!
//! Source of the operators: M. Zalewski, American Fuzzy Lop, "Technical details", stacked ("havoc") stage.
//! Deviation: no coverage steers them; that is what `fuzz/` is for.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Numbers at which readers of lengths, indices and offsets go wrong.
const INTERESTING: [u32; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

/// A seeded source of mutations.
#[derive(Debug)]
pub struct Mutator {
    random: Pcg64Mcg,
}

impl Mutator {
    /// The same seed gives the same mutations.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Pcg64Mcg::seed_from_u64(seed),
        }
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            0
        } else {
            self.random.random_range(0..end)
        }
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are none.
    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Some bytes made of `seeds`: one of them, changed in 1 to 16 places, of at most `limit` bytes.
    ///
    /// # Panics
    /// If there is no seed.
    pub fn mutate(&mut self, seeds: &[Vec<u8>], limit: usize) -> Vec<u8> {
        let mut bytes = self.one_of(seeds).clone();
        for _ in 0..1 << self.below(5) {
            self.change(&mut bytes, seeds);
        }
        bytes.truncate(limit);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(bytes.len());
        match self.below(10) {
            0 | 1 => self.put(bytes, at, |old, bit| old ^ (1 << (bit % 8))),
            2 => self.put(bytes, at, |_, new| new),
            3 => self.put(bytes, at, |old, step| {
                old.wrapping_add(step % 9).wrapping_sub(4)
            }),
            4 | 5 => self.number(bytes, at),
            6 => {
                let end = at + self.below((bytes.len() - at).min(32) + 1);
                bytes.drain(at..end);
            }
            7 => {
                let end = at + self.below((bytes.len() - at).min(32) + 1);
                let copy = bytes[at..end].to_vec();
                let to = self.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            8 => self.overwrite(bytes, at),
            _ => {
                let other = self.one_of(seeds);
                let from = self.below(other.len());
                let length = self.below((other.len() - from).min(64) + 1);
                bytes.splice(at..at, other[from..from + length].iter().copied());
            }
        }
    }

    fn put(&mut self, bytes: &mut [u8], at: usize, new: impl FnOnce(u8, u8) -> u8) {
        let random = self.below(256) as u8;
        if let Some(byte) = bytes.get_mut(at) {
            *byte = new(*byte, random);
        }
    }

    /// A number of one, two or four bytes, in either order.
    fn number(&mut self, bytes: &mut [u8], at: usize) {
        let number = *self.one_of(&INTERESTING);
        let width = *self.one_of(&[1_usize, 2, 4]);
        let (big, little) = (number.to_be_bytes(), number.to_le_bytes());
        let digits = if self.below(2) == 0 {
            &big[4 - width..]
        } else {
            &little[..width]
        };
        if let Some(place) = bytes.get_mut(at..at + width) {
            place.copy_from_slice(digits);
        }
    }

    /// A copy of another part of the same bytes.
    fn overwrite(&mut self, bytes: &mut [u8], at: usize) {
        let length = self.below((bytes.len() - at).min(16) + 1);
        let from = self.below(bytes.len() - length + 1);
        bytes.copy_within(from..from + length, at);
    }
}
