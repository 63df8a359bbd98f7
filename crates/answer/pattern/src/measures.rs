//! Sums over a sequence, and the measures that follow from them.

use serde::Serialize;

use crate::dimension::{Dimension, Facts};
use crate::locality::Windows;
use crate::loops::LoopCounts;
use crate::neighbours::Related;

/// Sums; those of parts add up to those of the whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) facts: Facts,
    pub(crate) dimensions: [DimensionSums; 3],
    pub(crate) related: Related,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DimensionSums {
    /// Distinct ids divided by the size of the window, summed over windows.
    pub(crate) ratios: f64,
    pub(crate) windows: u64,
    pub(crate) loops: LoopCounts,
}

impl DimensionSums {
    /// Adds what has come since `before`.
    pub(crate) fn windows(&mut self, before: Windows, now: Windows, size: u64) {
        self.ratios += (now.distinct - before.distinct) as f64 / size as f64;
        self.windows += now.count - before.count;
    }
}

impl Sums {
    pub(crate) fn add(&mut self, other: &Self) {
        self.facts.add(&other.facts);
        self.related.add(&other.related);
        for (sum, more) in self.dimensions.iter_mut().zip(&other.dimensions) {
            sum.ratios += more.ratios;
            sum.windows += more.windows;
            sum.loops.add(&more.loops);
        }
    }

    /// The measures, of loops up to `longest`.
    pub(crate) fn measures(&self, longest: usize) -> Measures {
        let events = self.facts.events;
        let share = |part: u64| Share::of(part, events);
        let dimension = |(dimension, sums): (Dimension, &DimensionSums)| {
            let place = dimension as usize;
            let related = self.related;
            let loops = (1..).zip(sums.loops.predicted.iter().zip(sums.loops.members));
            DimensionMeasures {
                dimension,
                locality: mean(sums.ratios, sums.windows),
                windows: sums.windows,
                hierarchy_consecutive: (dimension != Dimension::Method).then(|| Pattern {
                    predicted: share(related.predicted[place]),
                    members: share(related.members[place]),
                }),
                loops: loops
                    .take(longest)
                    .map(|(length, (&predicted, members))| Loop {
                        length,
                        pattern: Pattern {
                            predicted: share(predicted),
                            members: share(members),
                        },
                    })
                    .collect(),
            }
        };
        let facts = &self.facts;
        Measures {
            events,
            dimensions: Dimension::ALL
                .into_iter()
                .zip(&self.dimensions)
                .map(dimension)
                .collect(),
            native_calls: facts.natives,
            mean_distance: mean(facts.distance as f64, facts.related),
            mean_method_bytes: mean(facts.bytes as f64, facts.sized),
        }
    }
}

pub(crate) fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

/// What is said of a sequence: the whole run, a thread, a slice of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Events.
    pub events: u64,
    /// By receiver class, method class and method.
    pub dimensions: Vec<DimensionMeasures>,
    /// Events that invoke native methods.
    pub native_calls: u64,
    /// Steps from the receiver's class to the method's class, where it is above.
    pub mean_distance: Option<f64>,
    /// Size of the invoked methods, each as often as it is invoked, bytes of bytecode.
    pub mean_method_bytes: Option<f64>,
}

/// Locality and control patterns of one part of invocations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DimensionMeasures {
    /// Which.
    pub dimension: Dimension,
    /// Different ones in a window divided by its size, averaged over windows, between 0 and 1; none without a window.
    pub locality: Option<f64>,
    /// Positions of the window.
    pub windows: u64,
    /// Neighbours in one class hierarchy; none for methods.
    pub hierarchy_consecutive: Option<Pattern>,
    /// Loop-N from N = 1, which is the consecutive pattern; empty if not asked for.
    pub loops: Vec<Loop>,
}

/// A loop-N pattern.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loop {
    /// N, events.
    pub length: u32,
    /// How much of the sequence it is.
    #[serde(flatten)]
    pub pattern: Pattern,
}

/// How much of a sequence a pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// Events that the paper's predictor foretells.
    pub predicted: Share,
    /// Events that belong to an instance: those foretold, and those by which.
    pub members: Share,
}

/// A part of the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Events.
    pub events: u64,
    /// Divided by all, between 0 and 1.
    pub share: f64,
}

impl Share {
    pub(crate) fn of(part: u64, all: u64) -> Self {
        Self {
            events: part,
            share: if all == 0 {
                0.0
            } else {
                part as f64 / all as f64
            },
        }
    }
}
