//! Where a constructor has not initialised its object yet.

use serde::{Deserialize, Serialize};

use crate::plan::Pc;

/// The part of a constructor's code at whose instructions `this` is not initialised, the calls of `super(…)` and `this(…)` that do it
/// included: disjoint ranges, ascending. What is never reached may belong to them. Empty for methods whose `this` is initialised from the start, and those that have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uninitialised(Vec<CodeRange>);

/// Instructions from one place on to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeRange {
    /// Offset of the first.
    pub start: Pc,
    /// One past the last byte of the last (may be 65535 + 1, hence the type).
    pub end: u32,
}

impl Uninitialised {
    /// From instructions, ascending: offset, and one past the last byte.
    pub fn of(instructions: impl IntoIterator<Item = (Pc, u32)>) -> Self {
        let mut ranges: Vec<CodeRange> = Vec::new();
        for (start, end) in instructions {
            match ranges.last_mut() {
                Some(range) if range.end == u32::from(start.0) => range.end = end,
                _ => ranges.push(CodeRange { start, end }),
            }
        }
        Self(ranges)
    }

    /// Whether there is no such instruction: it is no constructor that has to call another one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges, ascending; no two touch.
    pub fn ranges(&self) -> &[CodeRange] {
        &self.0
    }

    /// Whether `this` is not initialised when the instruction at `pc` begins.
    pub fn contains(&self, pc: Pc) -> bool {
        let at = u32::from(pc.0);
        let behind = self.0.partition_point(|range| range.end <= at);
        let range = self.0.get(behind);
        range.is_some_and(|range| u32::from(range.start.0) <= at)
    }

    /// Whether an instruction that ends at `end`, and behind which control goes on, initialises `this`.
    pub fn ends_at(&self, end: u32) -> bool {
        self.0.binary_search_by_key(&end, |range| range.end).is_ok()
    }

    /// Whether the ranges are as they should be.
    pub(crate) fn is_ordered(&self) -> bool {
        let apart = |pair: &[CodeRange]| pair[0].end < u32::from(pair[1].start.0);
        let full = |range: &CodeRange| u32::from(range.start.0) < range.end;
        self.0.windows(2).all(apart) && self.0.iter().all(full)
    }
}
