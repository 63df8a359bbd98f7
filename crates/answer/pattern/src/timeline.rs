//! Which slice an event belongs to: by time where the recording tells it, by the order of events where not.
//!
//! Time is coarse: a block belongs wholly to the slice in which it begins.

use pricetag_events::Extent;

use crate::patterns::SliceUnit;

/// Slices of equal length.
pub(crate) struct Timeline {
    slices: usize,
    unit: SliceUnit,
    from: u64,
    /// One more than the last time or event.
    to: u64,
    /// Events so far.
    seen: u64,
}

impl Timeline {
    pub(crate) fn new(extent: &Extent, slices: usize) -> Self {
        let (unit, from, to) = match extent.time_ns {
            Some((from, to)) if from < to => (SliceUnit::Ns, from, to.saturating_add(1)),
            _ => (SliceUnit::Events, 0, extent.total()),
        };
        Self {
            slices,
            unit,
            from,
            to: to.max(from + 1),
            seen: 0,
        }
    }

    fn at(&self, point: u64) -> usize {
        let length = u128::from(self.to - self.from);
        let past = u128::from(point.saturating_sub(self.from));
        let slice = past * self.slices as u128 / length;
        (slice as usize).min(self.slices - 1)
    }

    /// The slice of the next events of a block, and how many of them are in it; `last` is that of the thread's events before.
    pub(crate) fn slice(
        &mut self,
        start_ns: Option<u64>,
        last: usize,
        events: usize,
    ) -> (usize, usize) {
        if self.unit == SliceUnit::Ns {
            return (start_ns.map_or(last, |ns| self.at(ns)), events);
        }
        let slice = self.at(self.seen);
        let (_, end, _) = self.bounds(slice);
        let length = if slice + 1 == self.slices {
            events
        } else {
            events.min(end.saturating_sub(self.seen).max(1) as usize)
        };
        self.seen += length as u64;
        (slice, length)
    }

    /// Where a slice begins and ends.
    pub(crate) fn bounds(&self, slice: usize) -> (u64, u64, SliceUnit) {
        let length = u128::from(self.to - self.from);
        // The first point of a slice, as `at` rounds.
        let edge = |slice: usize| {
            let past = (length * slice as u128).div_ceil(self.slices as u128);
            self.from + past as u64
        };
        (edge(slice), edge(slice + 1), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricetag_events::ThreadId;

    #[test]
    fn slices_are_of_equal_length() {
        let mut extent = Extent::default();
        extent.events(ThreadId(0), 10, 0);
        let mut timeline = Timeline::new(&extent, 3);
        let mut lengths = Vec::new();
        let mut rest = 10;
        while rest > 0 {
            let (slice, length) = timeline.slice(None, 0, rest);
            lengths.push((slice, length));
            rest -= length;
        }
        assert_eq!(lengths, [(0, 4), (1, 3), (2, 3)]);
        extent.at(100);
        extent.at(199);
        let mut timeline = Timeline::new(&extent, 4);
        assert_eq!(timeline.slice(Some(124), 0, 7), (0, 7));
        assert_eq!(timeline.slice(Some(125), 0, 7), (1, 7));
        assert_eq!(timeline.slice(None, 2, 7), (2, 7));
        assert_eq!(timeline.slice(Some(900), 2, 7), (3, 7));
        assert_eq!(timeline.bounds(1), (125, 150, SliceUnit::Ns));
    }
}
