//! Density at several levels of detail: in bins along one axis, how often each kind of invocation occurs in each lane.
//!
//! The finest level is counted while events come; each coarser one adds up four bins. A limit on entries bounds memory and the page: when it is
//! exceeded, the finest level is given up.

use pricetag_events::Symbol;

use super::pack::number;

/// Bins of the finest level at most.
const FINEST: u64 = 1 << 16;
/// Bins of the coarsest level at most.
const COARSEST: usize = 1 << 10;
/// A level has so many times the bins of the next coarser one.
const STEP: u64 = 4;
/// Entries of a tile, about.
const TILE: usize = 1 << 15;

/// Counts by bin and cell; a cell is a lane and a kind.
#[derive(Debug)]
pub(crate) struct Pyramid {
    origin: u64,
    length: u64,
    width: u64,
    bins: Vec<Bin>,
    entries: usize,
    limit: usize,
    scratch: Vec<u64>,
    touched: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Bin {
    /// Cell and count; the first ones sorted, each cell once.
    cells: Vec<(u32, u64)>,
    sorted: usize,
}

impl Bin {
    /// Sorts and adds up; says how many entries went.
    fn settle(&mut self) -> usize {
        let before = self.cells.len();
        if self.sorted < before {
            self.cells.sort_unstable_by_key(|(cell, _)| *cell);
            self.cells.dedup_by(|later, first| {
                let same = later.0 == first.0;
                first.1 += if same { later.1 } else { 0 };
                same
            });
            self.sorted = self.cells.len();
        }
        before - self.cells.len()
    }
}

/// A level of detail.
#[derive(Debug)]
pub(crate) struct Level {
    /// Positions of a bin.
    pub(crate) width: u64,
    /// First bin and number of bins of each tile, with what is in them.
    pub(crate) tiles: Vec<(usize, usize, Vec<u8>)>,
}

impl Pyramid {
    /// Of positions from `origin` on, `length` of them, with so many cells.
    pub(crate) fn new(origin: u64, length: u64, cells: usize, limit: usize) -> Self {
        let width = length.div_ceil(FINEST).max(1);
        Self {
            origin,
            length,
            width,
            bins: vec![Bin::default(); length.div_ceil(width) as usize],
            entries: 0,
            limit,
            scratch: vec![0; cells],
            touched: Vec::new(),
        }
    }

    /// Adds events that lie evenly between two positions; `cell` is that of kind 0.
    pub(crate) fn add(&mut self, from: u64, to: u64, events: &[Symbol], cell: u32) {
        let from = from.max(self.origin);
        let to = to.max(from);
        let count = events.len() as u128;
        let span = u128::from(to - from);
        let mut rest = events;
        let mut done = 0_usize;
        while !rest.is_empty() {
            let place = from - self.origin + (span * done as u128 / count) as u64;
            let bin = (place / self.width).min(self.bins.len() as u64 - 1);
            let edge = self.origin + (bin + 1) * self.width;
            // The first event at or behind the bin's edge.
            let until = if edge >= to || bin + 1 == self.bins.len() as u64 {
                events.len()
            } else {
                (u128::from(edge - from) * count).div_ceil(span) as usize
            };
            let (here, later) = rest.split_at((until - done).clamp(1, rest.len()));
            for event in here {
                let at = cell + event.0;
                if let Some(sum) = self.scratch.get_mut(at as usize) {
                    if *sum == 0 {
                        self.touched.push(at);
                    }
                    *sum += 1;
                }
            }
            self.put(bin as usize);
            done += here.len();
            rest = later;
        }
    }

    /// Moves what was counted into a bin.
    fn put(&mut self, bin: usize) {
        let bin = &mut self.bins[bin];
        self.entries += self.touched.len();
        for cell in self.touched.drain(..) {
            let count = std::mem::take(&mut self.scratch[cell as usize]);
            bin.cells.push((cell, count));
        }
        if bin.cells.len() > 2 * bin.sorted + 64 {
            self.entries -= bin.settle();
        }
        if self.entries > self.limit {
            self.entries -= self.bins.iter_mut().map(Bin::settle).sum::<usize>();
            while self.entries > self.limit && self.bins.len() > COARSEST {
                self.coarsen();
            }
            // What the coarsest level needs is had in any case.
            self.limit = self.limit.max(2 * self.entries);
        }
    }

    fn coarsen(&mut self) {
        self.width *= STEP;
        let coarse = self.bins.chunks_mut(STEP as usize).map(|four| {
            let mut sum = Bin::default();
            for bin in four {
                sum.cells.append(&mut bin.cells);
            }
            sum.settle();
            sum
        });
        self.bins = coarse.collect();
        self.entries = self.bins.iter().map(|bin| bin.cells.len()).sum();
    }

    /// All levels, coarsest first; those of more than `most` bins are left out, but for the coarsest.
    pub(crate) fn levels(mut self, most: u64) -> Vec<Level> {
        for bin in &mut self.bins {
            bin.settle();
        }
        let mut levels = Vec::new();
        loop {
            let coarsest = self.bins.len() <= COARSEST;
            if coarsest || self.bins.len() as u64 <= most {
                levels.push(Level {
                    width: self.width,
                    tiles: tiles(&self.bins),
                });
            }
            if coarsest {
                break;
            }
            self.coarsen();
        }
        levels.reverse();
        levels
    }

    /// Where it begins, and its length.
    pub(crate) fn range(&self) -> (u64, u64) {
        (self.origin, self.length)
    }
}

/// Bins in tiles: of each bin the number of entries, then cells (each less the one before it) and counts.
fn tiles(bins: &[Bin]) -> Vec<(usize, usize, Vec<u8>)> {
    let mut tiles = Vec::new();
    let (mut first, mut entries, mut bytes) = (0, 0, Vec::new());
    for (at, bin) in bins.iter().enumerate() {
        number(&mut bytes, bin.cells.len() as u64);
        let mut last = 0;
        for &(cell, count) in &bin.cells {
            number(&mut bytes, u64::from(cell - last));
            number(&mut bytes, count);
            last = cell;
        }
        entries += bin.cells.len();
        if entries >= TILE || at + 1 == bins.len() {
            tiles.push((first, at + 1 - first, std::mem::take(&mut bytes)));
            (first, entries) = (at + 1, 0);
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn read(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    /// Counts by bin and cell.
    fn unpacked(level: &Level) -> BTreeMap<(u64, u64), u64> {
        let mut out = BTreeMap::new();
        let mut expected = 0;
        for (first, bins, bytes) in &level.tiles {
            assert_eq!(*first, expected);
            expected += bins;
            let mut rest = bytes.as_slice();
            for bin in *first..first + bins {
                let mut cell = 0;
                for _ in 0..read(&mut rest) {
                    cell += read(&mut rest);
                    let count = read(&mut rest);
                    assert!(out.insert((bin as u64, cell), count).is_none());
                }
            }
            assert!(rest.is_empty());
        }
        out
    }

    proptest! {
        /// Every level is the count of positions, one by one.
        #[test]
        fn levels_count_what_there_is(
            runs in prop::collection::vec((0_u64..100_000, 0_u64..60_000, 0_u32..2, prop::collection::vec(0_u32..5, 1..200)), 0..20),
            limit in 10_usize..3000,
        ) {
            let length = 160_000;
            let mut pyramid = Pyramid::new(1000, length, 10, limit);
            let mut all = Vec::new();
            for (from, span, lane, kinds) in &runs {
                let events: Vec<Symbol> = kinds.iter().map(|&k| Symbol(k)).collect();
                pyramid.add(1000 + from, 1000 + from + span, &events, lane * 5);
                for (at, kind) in kinds.iter().enumerate() {
                    let place = from + (u128::from(*span) * at as u128 / kinds.len() as u128) as u64;
                    all.push((place, u64::from(lane * 5 + kind)));
                }
            }
            let levels = pyramid.levels(u64::MAX);
            prop_assert!(!levels.is_empty());
            for level in &levels {
                let mut counts = BTreeMap::new();
                for (place, cell) in &all {
                    *counts.entry((place / level.width, *cell)).or_insert(0) += 1;
                }
                prop_assert_eq!(unpacked(level), counts);
            }
        }
    }

    #[test]
    fn detail_is_given_up_when_there_is_too_much() {
        let events: Vec<Symbol> = (0..100_000).map(|at| Symbol(at % 50)).collect();
        let mut pyramid = Pyramid::new(0, 100_000, 50, 60_000);
        for (at, events) in events.chunks(1000).enumerate() {
            let from = at as u64 * 1000;
            pyramid.add(from, from + 1000, events, 0);
        }
        let levels = pyramid.levels(u64::MAX);
        assert_eq!(levels.first().map(|l| l.width), Some(128));
        assert_eq!(levels.last().map(|l| l.width), Some(128));
        assert_eq!(unpacked(&levels[0]).values().sum::<u64>(), 100_000);
    }
}
