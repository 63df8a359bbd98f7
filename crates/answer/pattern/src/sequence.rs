//! Where one thread's sequence stands, and the step that takes its next events.

use pricetag_events::Symbol;

use crate::dimension::{Columns, MOST};
use crate::hierarchy::Hierarchy;
use crate::locality::{Locality, Windows};
use crate::loops::{Loops, Workshop};
use crate::measures::Sums;
use crate::neighbours::{Last, Neighbours};
use crate::settings::Parts;

/// What all sequences share.
pub(crate) struct Shared {
    pub(crate) columns: Columns,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) neighbours: Neighbours,
    pub(crate) workshop: Workshop,
    /// Events by kind.
    pub(crate) counts: Vec<u64>,
    pub(crate) parts: Parts,
    pub(crate) split: [Vec<u32>; 3],
}

/// One sequence without a gap.
pub(crate) struct Sequence {
    localities: [Locality; 3],
    settled: [Windows; 3],
    loops: [Loops; 3],
    last: Last,
}

impl Sequence {
    /// A sequence that has not begun; `ids` is how many ids each part has.
    pub(crate) fn new(windows: [u64; 3], ids: [usize; 3], longest: usize) -> Self {
        let place = [0, 1, 2];
        Self {
            localities: place.map(|at| Locality::new(windows[at], ids[at])),
            settled: [Windows::default(); 3],
            loops: place.map(|_| Loops::new(longest)),
            last: Last::default(),
        }
    }

    /// Takes the next events.
    pub(crate) fn push(&mut self, events: &[Symbol], shared: &mut Shared, sums: &mut Sums) {
        for events in events.chunks(MOST) {
            let facts = shared
                .columns
                .split(events, &mut shared.counts, &mut shared.split);
            sums.facts.add(&facts);
            for (place, ids) in shared.split.iter().enumerate() {
                self.localities[place].push(ids);
                if shared.parts.loops {
                    let counts = &mut sums.dimensions[place].loops;
                    self.loops[place].push(ids, &mut shared.workshop, counts);
                }
            }
            if shared.parts.neighbours {
                let related = shared.neighbours.push(
                    events,
                    &mut self.last,
                    &shared.columns,
                    &shared.hierarchy,
                );
                sums.related.add(&related);
            }
        }
    }

    /// Adds the windows since the last time this was asked: what follows is another slice's.
    pub(crate) fn settle(&mut self, sums: &mut Sums) {
        for (place, locality) in self.localities.iter().enumerate() {
            let now = locality.windows();
            let size = locality.window();
            sums.dimensions[place].windows(self.settled[place], now, size);
            self.settled[place] = now;
        }
    }

    /// Adds what is only known at the end.
    pub(crate) fn finish(&mut self, sums: &mut Sums) {
        self.settle(sums);
        for (place, loops) in self.loops.iter_mut().enumerate() {
            loops.finish(&mut sums.dimensions[place].loops);
        }
    }
}
