//! What comes before and after: how often each kind of invocation follows each other one.
//!
//! One count per pair of kinds that follow each other serves methods and classes alike, since pairs of kinds add up to theirs, and it answers whether two
//! neighbours are of one class hierarchy, which is asked once per pair. Each kind remembers its last pair, so that what repeats is found without a search.

use crate::dimension::{Columns, Dimension};
use crate::hierarchy::Hierarchy;
use crate::pairs::Pairs;
use pricetag_events::{ClassId, Symbol};

/// Pairs that are kept; what comes later is counted together.
const MOST: usize = 1 << 22;

/// Events of the hierarchy-consecutive patterns: of the receiver's class and of the method's class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Related {
    /// Events whose class is of one hierarchy with the class before.
    pub(crate) predicted: [u64; 2],
    /// Events that are predicted or before a predicted one.
    pub(crate) members: [u64; 2],
}

impl Related {
    pub(crate) fn add(&mut self, other: &Self) {
        for place in 0..2 {
            self.predicted[place] += other.predicted[place];
            self.members[place] += other.members[place];
        }
    }
}

/// Where one sequence stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Last {
    symbol: Option<u32>,
    /// Whether the last event was predicted, as in [`Pair::related`].
    related: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    count: u64,
    after: u32,
    /// Bit 0: receivers' classes are of one hierarchy; bit 1: methods' classes.
    related: u8,
}

/// Counts of pairs.
pub(crate) struct Neighbours {
    index: Pairs,
    pairs: Vec<Pair>,
    /// By kind, the pair that it last began; 0 stands for none, since pair 0 is no pair.
    recent: Vec<u32>,
    /// Events that follow another and have no place in the table.
    dropped: u64,
}

impl Neighbours {
    pub(crate) fn new(kinds: usize) -> Self {
        let mut index = Pairs::new(MOST);
        index.insert(u32::MAX, u32::MAX);
        Self {
            index,
            pairs: vec![Pair {
                after: u32::MAX,
                ..Pair::default()
            }],
            recent: vec![0; kinds],
            dropped: 0,
        }
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes the next events of a sequence.
    pub(crate) fn push(
        &mut self,
        events: &[Symbol],
        last: &mut Last,
        columns: &Columns,
        hierarchy: &Hierarchy,
    ) -> Related {
        let mut events = events.iter();
        let mut before = match last.symbol {
            Some(before) => before,
            None => match events.next() {
                Some(&Symbol(first)) => first,
                None => return Related::default(),
            },
        };
        let mut related = last.related;
        // Two counts in one number: events of a chunk are fewer than 2³².
        let (mut predicted, mut opened) = (0_u64, 0_u64);
        for &Symbol(symbol) in events {
            let mut index = self.recent[before as usize];
            if self.pairs[index as usize].after != symbol {
                index = self.pair(before, symbol, columns, hierarchy);
            }
            let pair = &mut self.pairs[index as usize];
            pair.count += 1;
            let opens = pair.related & !related;
            related = pair.related;
            predicted += spread(related);
            opened += spread(opens);
            before = symbol;
        }
        *last = Last {
            symbol: Some(before),
            related,
        };
        let halves = |sum: u64| [sum & 0xffff_ffff, sum >> 32];
        let (predicted, opened) = (halves(predicted), halves(opened));
        Related {
            predicted,
            members: [predicted[0] + opened[0], predicted[1] + opened[1]],
        }
    }

    #[inline(never)]
    fn pair(&mut self, before: u32, symbol: u32, columns: &Columns, hierarchy: &Hierarchy) -> u32 {
        let Some(index) = self.index.insert(before, symbol) else {
            self.dropped += 1;
            // Counted nowhere; the relation is left out, which is said.
            return 0;
        };
        if index as usize == self.pairs.len() {
            let (a, b) = (columns.ids(before), columns.ids(symbol));
            let related = |part: usize| hierarchy.related(ClassId(a[part]), ClassId(b[part]));
            self.pairs.push(Pair {
                count: 0,
                after: symbol,
                related: u8::from(related(0)) | u8::from(related(1)) << 1,
            });
        }
        self.recent[before as usize] = index;
        index
    }

    /// Pairs of a dimension's ids with their counts, sorted.
    pub(crate) fn pairs(&self, dimension: Dimension, columns: &Columns) -> Vec<(u32, u32, u64)> {
        let part = dimension as usize;
        let all = (1_u32..).zip(self.pairs.iter().skip(1));
        let mut pairs: Vec<(u32, u32, u64)> = all
            .map(|(index, pair)| {
                let (a, b) = self.index.pair(index);
                (columns.ids(a)[part], columns.ids(b)[part], pair.count)
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        pairs
    }
}

/// Bit 0 to the low half, bit 1 to the high half.
fn spread(bits: u8) -> u64 {
    let bits = u64::from(bits);
    bits & 1 | (bits & 2) << 31
}
