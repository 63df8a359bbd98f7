//! Single calls of a part of the recording, as many as a page may hold.

use std::ops::Range;

use pricetag_events::Symbol;

use super::pack::{deflate, number};

/// Calls that are unpacked together.
pub(crate) const CHUNK: usize = 1 << 15;

/// Calls of a thread in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Which thread, in the order of the page.
    pub(crate) thread: usize,
    /// Number of the first one in its thread.
    pub(crate) first: u64,
    /// When they begin and end, ns.
    pub(crate) ns: Option<(u64, u64)>,
}

/// The calls of a window, until the budget is used up.
#[derive(Debug)]
pub(crate) struct Calls {
    window: Range<u64>,
    budget: usize,
    /// Bytes of a kind's number.
    planes: usize,
    chunk: Vec<u32>,
    packed: Vec<Vec<u8>>,
    bytes: usize,
    runs: Vec<u8>,
    /// Calls so far.
    count: u64,
    full: bool,
}

/// What is in the page.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Numbers of the calls, in the order of the file.
    pub(crate) range: Range<u64>,
    /// Chunks of kinds: all lowest bytes, then all second ones.
    pub(crate) chunks: Vec<Vec<u8>>,
    /// Of each run its thread, its first number, how many, when it begins plus one (0: unknown), and how long it lasts.
    pub(crate) runs: Vec<u8>,
    /// Whether calls of the window are missing.
    pub(crate) cut: bool,
    /// Bytes of a kind's number.
    pub(crate) planes: usize,
}

impl Calls {
    pub(crate) fn new(window: Range<u64>, kinds: usize, budget: usize) -> Self {
        let planes = (1..4).find(|planes| kinds <= 1 << (8 * planes));
        Self {
            window,
            budget,
            planes: planes.unwrap_or(4),
            chunk: Vec::with_capacity(CHUNK),
            packed: Vec::new(),
            bytes: 0,
            runs: Vec::new(),
            count: 0,
            full: false,
        }
    }

    /// Takes events that begin at the `at`th of the file.
    pub(crate) fn add(&mut self, at: u64, events: &[Symbol], run: Run) {
        let from = self.window.start.max(at);
        let to = self.window.end.min(at + events.len() as u64);
        if self.full || from >= to {
            return;
        }
        let inside = events.get((from - at) as usize..(to - at) as usize);
        let inside = inside.unwrap_or_default();
        let mut taken = 0;
        while taken < inside.len() && !self.full {
            let room = CHUNK - self.chunk.len();
            let more = inside.len().min(taken + room);
            self.chunk.extend(inside[taken..more].iter().map(|e| e.0));
            taken = more;
            if self.chunk.len() == CHUNK {
                self.flush();
            }
        }
        let skipped = from - at;
        let place = |event: u64| {
            run.ns.map(|(begin, end)| {
                let share = event as f64 / events.len() as f64;
                begin + ((end - begin) as f64 * share) as u64
            })
        };
        let (begin, end) = (place(skipped), place(skipped + taken as u64));
        for value in [
            run.thread as u64,
            run.first + skipped,
            taken as u64,
            begin.map_or(0, |ns| ns + 1),
            begin.zip(end).map_or(0, |(begin, end)| end - begin),
        ] {
            number(&mut self.runs, value);
        }
        self.count += taken as u64;
    }

    fn flush(&mut self) {
        if self.chunk.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.chunk.len() * self.planes);
        for plane in 0..self.planes {
            bytes.extend(self.chunk.iter().map(|kind| (kind >> (8 * plane)) as u8));
        }
        let packed = deflate(&bytes);
        self.bytes += packed.len();
        self.packed.push(packed);
        self.chunk.clear();
        self.full = self.bytes > self.budget;
    }

    pub(crate) fn finish(mut self) -> Kept {
        self.flush();
        let end = self.window.start + self.count;
        Kept {
            range: self.window.start..end,
            cut: end < self.window.end,
            chunks: self.packed,
            runs: deflate(&self.runs),
            planes: self.planes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run = Run {
        thread: 0,
        first: 7,
        ns: Some((100, 200)),
    };

    #[test]
    fn a_window_is_kept_until_the_budget_is_used_up() {
        let events: Vec<Symbol> = (0..100_000_u32)
            .map(|at| Symbol(at.wrapping_mul(2_654_435_761) >> 20))
            .collect();
        let mut calls = Calls::new(1000..90_000, 1 << 12, usize::MAX);
        calls.add(500, &events, RUN);
        let kept = calls.finish();
        assert_eq!((kept.range, kept.cut), (1000..90_000, false));
        assert_eq!(kept.chunks.len(), 89_000_usize.div_ceil(CHUNK));
        let mut calls = Calls::new(0..100_000, 1 << 12, 1000);
        calls.add(0, &events, RUN);
        let kept = calls.finish();
        assert_eq!((kept.range, kept.cut), (0..CHUNK as u64, true));
        let mut calls = Calls::new(5..6, 1, 1000);
        calls.add(0, &events[..5], RUN);
        assert_eq!(calls.finish().range, 5..5);
    }
}
