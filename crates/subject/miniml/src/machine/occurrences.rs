//! How often each segment ran in each recursive definition: room for the pairs that occur, and no others.
//!
//! Functions that are in no recursive definition work for whoever calls them, so any pair may occur, but nearly all segments run in one definition
//! only. Each remembers the last one and the place of its count there, as a call site remembers the class it saw last (Deutsch and Schiffman,
//! *Efficient implementation of the Smalltalk-80 system*, POPL 1984); only when that changes the place is looked up. What was touched since counts
//! were last taken is listed, so that taking them costs what ran and not what there is.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A count.
#[derive(Clone, Copy, Debug)]
struct Cell {
    times: u64,
    region: u32,
    segment: u32,
}

/// What a segment remembers: a recursive definition and the place of its count there.
#[derive(Clone, Copy, Debug)]
struct Last {
    region: u32,
    place: u32,
}

/// No recursive definition has this number.
const NONE: u32 = u32::MAX;

/// Spreads a pair of numbers over a word.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, n: u64) {
        let mixed = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

#[derive(Debug)]
pub(crate) struct Occurrences {
    last: Vec<Last>,
    places: HashMap<u64, u32, BuildHasherDefault<Spread>>,
    cells: Vec<Cell>,
    /// Places of counts that are not zero.
    touched: Vec<u32>,
}

impl Occurrences {
    pub(super) fn new(segments: usize) -> Self {
        let last = Last {
            region: NONE,
            place: 0,
        };
        Self {
            last: vec![last; segments],
            places: HashMap::default(),
            cells: vec![],
            touched: vec![],
        }
    }

    /// A segment runs in a recursive definition; whether that took new room, now and then.
    #[inline]
    pub(super) fn add(&mut self, region: u32, segment: u32) -> bool {
        let last = self.last[segment as usize];
        let (place, grown) = if last.region == region {
            (last.place, false)
        } else {
            self.look_up(region, segment)
        };
        let cell = &mut self.cells[place as usize];
        if cell.times == 0 {
            self.touched.push(place);
        }
        cell.times += 1;
        grown
    }

    #[cold]
    fn look_up(&mut self, region: u32, segment: u32) -> (u32, bool) {
        let next = self.cells.len() as u32;
        let key = u64::from(region) << 32 | u64::from(segment);
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.cells.push(Cell {
                times: 0,
                region,
                segment,
            });
        }
        self.last[segment as usize] = Last { region, place };
        (place, place == next && next.is_multiple_of(1 << 12))
    }

    /// Recursive definition, segment and number of all that ran since the last call, in that order.
    pub(crate) fn take(&mut self) -> Vec<(u32, u32, u64)> {
        let cells = &mut self.cells;
        let take = |place: u32| {
            let cell = &mut cells[place as usize];
            (cell.region, cell.segment, std::mem::take(&mut cell.times))
        };
        let mut all: Vec<_> = self.touched.drain(..).map(take).collect();
        all.sort_unstable();
        all
    }

    /// Words of memory it takes.
    pub(super) fn words(&self) -> usize {
        let pair = size_of::<(u64, u32)>() + 1;
        let bytes = self.last.capacity() * size_of::<Last>()
            + self.places.capacity() * pair
            + self.cells.capacity() * size_of::<Cell>()
            + self.touched.capacity() * size_of::<u32>();
        bytes / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_and_begin_anew() {
        let mut found = Occurrences::new(3);
        for (region, segment) in [(1, 0), (1, 0), (0, 2), (2, 0), (1, 0), (0, 2), (2, 1)] {
            found.add(region, segment);
        }
        let counts = [(0, 2, 2), (1, 0, 3), (2, 0, 1), (2, 1, 1)];
        assert_eq!(found.take(), counts);
        assert_eq!(found.take(), []);
        found.add(2, 0);
        assert_eq!(found.take(), [(2, 0, 1)]);
    }

    #[test]
    fn room_is_for_what_occurs() {
        let many = 100_000;
        let mut found = Occurrences::new(many);
        for i in 0..many as u32 {
            found.add(i, i);
            assert_eq!(found.take().len(), 1);
        }
        assert!(found.words() < 20 * many, "{}", found.words());
    }
}
