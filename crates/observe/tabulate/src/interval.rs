//! What was counted between two snapshots of one JVM.
//!
//! Counts of each snapshot follow from its own counters and open frames, and are subtracted method by method. Subtracting
//! counters alone would not do: a frame that was open at the first snapshot leaves its block in the interval without having entered
//! it there.

use std::collections::BTreeMap;

use pricetag_dataset::DatasetBuilder;
use pricetag_probe_plan::{ClassHash, MethodCounts, MethodPlan, OpenFrame};
use pricetag_trace::{ClassCounters, OpenFrameRecord, Record, Trace};

use crate::callers::{self, Passes};
use crate::caught::Arrivals;
use crate::cold::Cold;
use crate::row::Sums;
use crate::tabulator::{TabulateError, Tabulated, Tabulator};

/// Open frames by class and index of the method.
pub(crate) type Frames = BTreeMap<(ClassHash, u16), Vec<OpenFrame>>;

/// What a trace says about counts.
pub(crate) struct Readings<'t> {
    pub(crate) counters: Vec<&'t ClassCounters>,
    pub(crate) open: Frames,
}

impl<'t> Readings<'t> {
    pub(crate) fn of(trace: &'t Trace) -> Self {
        let mut readings = Self {
            counters: Vec::new(),
            open: Frames::new(),
        };
        for record in &trace.records {
            match record {
                Record::Counters(counts) => readings.counters.push(counts),
                Record::OpenFrame(frame) => add_frame(&mut readings.open, frame),
                _ => {}
            }
        }
        readings
    }
}

/// Adds an open frame.
pub(crate) fn add_frame(open: &mut Frames, frame: &OpenFrameRecord) {
    add_frames(open, frame, 1);
}

/// Adds so many frames; fewer than none if they stood there when counting began.
fn add_frames(open: &mut Frames, frame: &OpenFrameRecord, number: i64) {
    let frames = open.entry((frame.hash, frame.method)).or_default();
    match frames.iter_mut().find(|f| f.pc == frame.pc) {
        Some(same) => same.frames += number,
        None => frames.push(OpenFrame {
            pc: frame.pc,
            frames: number,
        }),
    }
}

/// What other threads' frames add to an invocation of a scope of all threads.
#[derive(Default)]
pub(crate) struct Straddling {
    pub(crate) open: Frames,
    /// Frames that were running bytecode when they were looked at.
    pub(crate) running: u32,
}

/// The frames of other threads around each invocation.
pub(crate) fn straddling(trace: &Trace) -> BTreeMap<u64, Straddling> {
    let mut all: BTreeMap<u64, Straddling> = BTreeMap::new();
    for record in &trace.records {
        if let Record::Standing(standing) = record {
            let here = all.entry(standing.invocation).or_default();
            for (frames, number) in [(&standing.before, -1), (&standing.after, 1)] {
                for frame in frames {
                    add_frames(&mut here.open, frame, number);
                    here.running += u32::from(frame.running);
                }
            }
        }
    }
    all
}

/// The counters of all classes at one moment.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) totals: BTreeMap<ClassHash, Vec<u64>>,
    pub(crate) open: Frames,
    /// Exceptions at handlers by class, if they were recorded.
    pub(crate) caught: Option<Arrivals>,
    /// Passes of loops by caller, if they were recorded.
    pub(crate) passes: Option<Passes>,
}

impl Counted {
    /// Open frames of a method.
    pub(crate) fn frames(&self, hash: ClassHash, index: usize) -> &[OpenFrame] {
        let frames = self.open.get(&(hash, index as u16));
        frames.map_or(&[][..], Vec::as_slice)
    }

    /// Later counts of a method without those of this moment.
    pub(crate) fn without(
        &self,
        hash: ClassHash,
        index: usize,
        method: &MethodPlan,
        later: &MethodCounts,
    ) -> Result<MethodCounts, String> {
        let Some(total) = self.totals.get(&hash) else {
            return Ok(later.clone());
        };
        let before = method
            .derive(total, self.frames(hash, index))
            .map_err(|imbalance| format!("at the beginning of the interval, {imbalance}"))?;
        since(later, &before)
            .ok_or_else(|| "a count is smaller than at the beginning of the interval".to_owned())
    }
}

/// None if a count has become smaller: at one of the moments a thread was in the middle of an update. The same counts are known at
/// both, since the probes are.
fn since(later: &MethodCounts, before: &MethodCounts) -> Option<MethodCounts> {
    fn minus(later: &[u64], before: &[u64]) -> Option<Vec<u64>> {
        let pairs = later.iter().zip(before);
        pairs.map(|(a, b)| a.checked_sub(*b)).collect()
    }
    let known = |later: &[Option<u64>], before: &[Option<u64>]| -> Option<Vec<Option<u64>>> {
        let pairs = later.iter().zip(before);
        let minus = pairs.map(|(a, b)| match a.zip(*b) {
            Some((a, b)) => a.checked_sub(b).map(Some),
            None => Some(None),
        });
        minus.collect()
    };
    let instructions = later.instructions.iter().zip(&before.instructions);
    let instructions = instructions.map(|(a, b)| match a.as_ref().zip(b.as_ref()) {
        Some((a, b)) => minus(a, b).map(Some),
        None => Some(None),
    });
    Some(MethodCounts {
        edges: known(&later.edges, &before.edges)?,
        blocks: known(&later.blocks, &before.blocks)?,
        instructions: instructions.collect::<Option<_>>()?,
        handlers: minus(&later.handlers, &before.handlers)?,
        throws: known(&later.throws, &before.throws)?,
    })
}

impl Tabulator {
    /// What was counted between two snapshots of the same JVM: one row.
    ///
    /// # Errors
    /// If a plan exists but cannot be read.
    pub fn interval(
        &mut self,
        before: &Trace,
        after: &Trace,
        builder: &mut DatasetBuilder,
    ) -> Result<Tabulated, TabulateError> {
        let mut run = self.prepare(after)?;
        let running = before
            .records
            .iter()
            .filter(|record| matches!(record, Record::OpenFrame(frame) if frame.running));
        let running = running.count();
        if running > 0 {
            run.caveats.push(format!(
                "open frames that were running counted code at the beginning: {running}; their counts are a snapshot"
            ));
        }
        let classes = |trace: &Trace| {
            let costs = trace.records.iter().find_map(|record| match record {
                Record::Process(costs) => Some(costs.classes_loaded),
                _ => None,
            });
            costs.map_or(0.0, f64::from)
        };
        let mut sums = Sums::new(Cold {
            classes_loaded: (classes(after) - classes(before)).max(0.0),
            ..Cold::default()
        });
        // Before an interval the JVM has run for a while: nothing in it is taken for a first time.
        sums.warm = true;
        let first = Readings::of(before);
        let first = self.totals(&run, &first.counters, first.open, &mut sums)?;
        let second = Readings::of(after);
        let mut second = self.totals(&run, &second.counters, second.open, &mut sums)?;
        let earlier = self.passes(callers::of(before).get(&None).map(Vec::as_slice))?;
        let later = self.passes(run.called.remove(&None).as_deref())?;
        second.passes = later.map(|later| callers::without(later, &earlier.unwrap_or_default()));
        self.add_counters(&mut run, &second, Some(&first), &mut sums, builder);
        Ok(self.close(sums, run.caveats, run.left, builder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_subtracted_everywhere_or_not_at_all() {
        let counts = |n: u64| MethodCounts {
            edges: vec![Some(n), Some(2 * n), None],
            blocks: vec![Some(n), None],
            instructions: vec![Some(vec![n, n - 1]), None],
            handlers: vec![0],
            throws: vec![Some(1)],
        };
        let between = since(&counts(7), &counts(3)).unwrap();
        assert_eq!(between.edges, [Some(4), Some(8), None]);
        assert_eq!(between.instructions, [Some(vec![4, 4]), None]);
        assert_eq!(
            (between.blocks, between.handlers),
            (vec![Some(4), None], vec![0])
        );
        assert_eq!(between.throws, [Some(0)]);
        assert_eq!(since(&counts(3), &counts(7)), None);
    }
}
