//! What an instruction costs, by block, and by method where a block has no price of its own.

use std::collections::BTreeMap;

use pricetag_dataset::Status;
use pricetag_finding::Priced;

use crate::code::{Key, methods};
use crate::counts::Counts;
use crate::side::Side;

/// Cost of an instruction, and its interval if it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    cost: f64,
    bounds: Option<(f64, f64)>,
}

impl Default for Rate {
    /// Nothing, for sure.
    fn default() -> Self {
        Self {
            cost: 0.0,
            bounds: Some((0.0, 0.0)),
        }
    }
}

impl Rate {
    /// What so many instructions cost; fewer than none are saved.
    pub(crate) fn times(self, instructions: f64) -> Priced {
        let ends = self
            .bounds
            .map(|(low, high)| (low * instructions, high * instructions));
        Priced {
            cost: self.cost * instructions,
            bounds: ends.map(|(a, b)| (a.min(b), a.max(b))),
        }
    }
}

/// Cost and instructions while they are summed up; no ends if one part has none.
#[derive(Clone, Copy)]
struct Sum {
    cost: f64,
    ends: Option<(f64, f64)>,
    instructions: f64,
}

impl Sum {
    fn rate(&self) -> Option<Rate> {
        let per = |cost: f64| cost / self.instructions;
        (self.instructions > 0.0).then(|| Rate {
            cost: per(self.cost),
            bounds: self.ends.map(|(low, high)| (per(low), per(high))),
        })
    }
}

#[derive(Default)]
pub(crate) struct Rates {
    blocks: BTreeMap<(Key, u32), Rate>,
    methods: BTreeMap<Key, Rate>,
}

impl Rates {
    pub(crate) fn of(side: Side) -> Self {
        let Some(explanation) = side.explanation else {
            return Self::default();
        };
        let rows = side.dataset.observations.iter().enumerate();
        let ok = rows.filter(|(_, row)| row.status == Status::Ok);
        let counts = Counts::of(side.dataset, ok.map(|(row, _)| row));
        let mut executed: BTreeMap<(Key, u32), f64> = BTreeMap::new();
        for method in methods(side.dataset) {
            for block in &method.blocks {
                let of = executed
                    .entry((method.key.clone(), block.number))
                    .or_default();
                *of += block.instructions * counts.sum(block.column);
            }
        }
        let mut found = Self::default();
        let mut sums: BTreeMap<Key, Sum> = BTreeMap::new();
        for item in &explanation.items {
            let Some(place) = &item.place else { continue };
            let (Some(method), Some(block)) = (&place.method, place.block) else {
                continue;
            };
            let descriptor = place.descriptor.clone().unwrap_or_default();
            let key = (place.class.clone(), method.clone(), descriptor);
            let at = (key.clone(), block);
            let Some(&instructions) = executed.get(&at) else {
                continue;
            };
            let factor = |(low, high): (f64, f64)| {
                (item.share > 0.0).then(|| (low / item.share, high / item.share))
            };
            let ends = item.share_bounds.and_then(factor);
            let sum = Sum {
                cost: item.cost,
                ends: ends.map(|(low, high)| (item.cost * low, item.cost * high)),
                instructions,
            };
            if let Some(rate) = sum.rate() {
                found.blocks.insert(at, rate);
            }
            let whole = sums.entry(key).or_insert(Sum {
                cost: 0.0,
                ends: Some((0.0, 0.0)),
                instructions: 0.0,
            });
            whole.cost += sum.cost;
            whole.instructions += sum.instructions;
            // Blocks of a method share its samples: their errors add up.
            let both = whole.ends.zip(sum.ends);
            whole.ends = both.map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        }
        let methods = sums.into_iter();
        found.methods = methods
            .filter_map(|(key, sum)| Some((key, sum.rate()?)))
            .collect();
        found
    }

    pub(crate) fn block(&self, method: &Key, block: u32) -> Option<Rate> {
        self.blocks.get(&(method.clone(), block)).copied()
    }

    /// Of all its blocks together.
    pub(crate) fn method(&self, method: &Key) -> Option<Rate> {
        self.methods.get(method).copied()
    }
}
