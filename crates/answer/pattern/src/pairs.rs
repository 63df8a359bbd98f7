//! Pairs of numbers, numbered in the order of their first appearance.
//!
//! Open addressing with linear probing over indices: the pairs themselves stand in one vector, so that their numbers and what hangs on them survive growth.

/// No pair.
const EMPTY: u32 = u32::MAX;

/// A set of pairs.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    slots: Vec<u32>,
    keys: Vec<u64>,
    most: usize,
}

impl Pairs {
    /// At most `most` pairs.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            slots: vec![EMPTY; 1 << 10],
            keys: Vec::new(),
            most,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The pair of a number.
    pub(crate) fn pair(&self, index: u32) -> (u32, u32) {
        let key = self.keys[index as usize];
        ((key >> 32) as u32, key as u32)
    }

    /// The number of a pair, new if it has none yet; none if there is no room for more.
    #[inline]
    pub(crate) fn insert(&mut self, a: u32, b: u32) -> Option<u32> {
        let key = u64::from(a) << 32 | u64::from(b);
        let mask = self.slots.len() - 1;
        let mut slot = hash(key) as usize & mask;
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                break;
            }
            if self.keys[index as usize] == key {
                return Some(index);
            }
            slot = (slot + 1) & mask;
        }
        if self.keys.len() >= self.most {
            return None;
        }
        let index = self.keys.len() as u32;
        self.keys.push(key);
        self.slots[slot] = index;
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(index)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        self.slots = vec![EMPTY; mask + 1];
        for (index, &key) in (0..).zip(&self.keys) {
            let mut slot = hash(key) as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = index;
        }
    }
}

fn hash(key: u64) -> u64 {
    let mixed = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_their_numbers() {
        let mut pairs = Pairs::new(5000);
        for i in 0..5000 {
            assert_eq!(pairs.insert(i % 70, i), Some(i));
        }
        assert_eq!(pairs.insert(1, 1), Some(1));
        assert_eq!(pairs.insert(0, 1), None);
        assert_eq!(pairs.pair(4999), (4999 % 70, 4999));
        assert_eq!(pairs.len(), 5000);
    }
}
