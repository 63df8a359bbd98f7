//! Pairs of numbers, numbered in the order of their first appearance.
//!
//! Open addressing with linear probing; a slot holds the pair and its number, so that a look-up touches one place. The pairs stand in a vector besides,
//! so that their numbers and what hangs on them survive growth.

/// No pair.
const EMPTY: Slot = Slot {
    key: 0,
    index: u32::MAX,
};

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    index: u32,
}

/// A set of pairs.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    slots: Vec<Slot>,
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
        let mut at = hash(key) as usize & mask;
        loop {
            let slot = self.slots[at & mask];
            if slot.index == EMPTY.index {
                break;
            }
            if slot.key == key {
                return Some(slot.index);
            }
            at += 1;
        }
        self.add(key, at & mask)
    }

    #[inline(never)]
    fn add(&mut self, key: u64, at: usize) -> Option<u32> {
        if self.keys.len() >= self.most {
            return None;
        }
        let index = self.keys.len() as u32;
        self.keys.push(key);
        self.slots[at] = Slot { key, index };
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(index)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![EMPTY; mask + 1];
        for (index, &key) in (0..).zip(&self.keys) {
            let mut at = hash(key) as usize & mask;
            while self.slots[at].index != EMPTY.index {
                at = (at + 1) & mask;
            }
            self.slots[at] = Slot { key, index };
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
