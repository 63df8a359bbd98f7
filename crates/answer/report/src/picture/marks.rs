//! Where each pattern stands: how much of each bin it covers, and every occurrence among the calls that a page holds.

use std::ops::Range;

use super::pack::{deflate, number};

/// Bins in which an axis is covered.
pub(crate) const BINS: u64 = 1 << 12;
/// Occurrences of a pattern that are written down.
const MOST: usize = 300_000;

/// Where one pattern stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Occurrences.
    pub(crate) count: u64,
    /// Events in them.
    pub(crate) events: u64,
    /// Per axis, events by lane and bin.
    covered: [Vec<u64>; 2],
    kept: Vec<(u64, u64)>,
}

/// An axis in bins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    origin: u64,
    width: u64,
}

impl Axis {
    pub(crate) fn new((origin, length): (u64, u64)) -> Self {
        Self {
            origin,
            width: length.div_ceil(BINS).max(1),
        }
    }

    /// Positions of a bin.
    pub(crate) fn width(&self) -> u64 {
        self.width
    }
}

impl Marks {
    /// Adds `events` of an occurrence, which lie evenly in `range` of an axis, in a lane.
    pub(crate) fn cover(
        &mut self,
        which: usize,
        axis: Axis,
        lane: u32,
        range: Range<u64>,
        events: u64,
    ) {
        let from = range.start.max(axis.origin) - axis.origin;
        let to = (range.end.max(axis.origin) - axis.origin).max(from + 1);
        let span = u128::from(to - from);
        let mut at = from;
        let mut told = 0;
        while at < to {
            let bin = at / axis.width;
            at = to.min((bin + 1) * axis.width);
            let until = (u128::from(events) * u128::from(at - from) / span) as u64;
            if until > told {
                let place = (u64::from(lane) * BINS + bin) as usize;
                let covered = &mut self.covered[which];
                if covered.len() <= place {
                    covered.resize((lane as usize + 1) * BINS as usize, 0);
                }
                if let Some(sum) = covered.get_mut(place) {
                    *sum += until - told;
                }
            }
            told = until;
        }
    }

    /// Writes calls `range` of the file down, those of them that are in `page`.
    pub(crate) fn keep(&mut self, range: &Range<u64>, page: &Range<u64>) {
        let (from, to) = (range.start.max(page.start), range.end.min(page.end));
        if from < to && self.kept.len() <= MOST {
            self.kept.push((from, to - from));
        }
    }

    /// Packed: per axis how many entries, then of each its place ([`BINS`] times the lane, plus the bin; less that of the one before) and its events; then the
    /// parts of occurrences, each as the distance from the end of the one before, and its length. The flag is false if there are more of those.
    pub(crate) fn pack(mut self) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        for covered in &self.covered {
            let full = (0..).zip(covered).filter(|(_, events)| **events > 0);
            let full: Vec<(u64, u64)> = full.map(|(place, &events)| (place, events)).collect();
            number(&mut out, full.len() as u64);
            let mut last = 0;
            for (place, events) in full {
                number(&mut out, place - last);
                number(&mut out, events);
                last = place;
            }
        }
        let whole = self.kept.len() <= MOST;
        // Threads take turns, so that occurrences come out of order; none overlaps another.
        self.kept.sort_unstable();
        self.kept.truncate(MOST);
        number(&mut out, self.kept.len() as u64);
        let mut end = 0;
        for (from, length) in self.kept {
            number(&mut out, from - end);
            number(&mut out, length);
            end = from + length;
        }
        (deflate(&out), whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_adds_up() {
        let axis = Axis::new((100, 4096 * 10));
        let mut marks = Marks::default();
        marks.cover(0, axis, 1, 95..1005, 905);
        marks.cover(0, axis, 1, 1005..1006, 3);
        marks.cover(0, axis, 0, 40_000..41_000, 7);
        let sum: u64 = marks.covered[0].iter().sum();
        assert_eq!(sum, 915);
        assert_eq!(marks.covered[0][4096 + 90], 8);
        marks.keep(&(5..9), &(7..100));
        marks.keep(&(200..300), &(7..100));
        assert_eq!(marks.kept, [(7, 2)]);
        assert!(marks.pack().1);
    }
}
