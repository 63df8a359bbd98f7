//! What the probes of a run executed, by the groups in which the budget removes them.
//!
//! The unit is one update of a counter, seven bytecodes. A method's own group has the fetch of its counters at every entry (and, with loops by caller, those of
//! passes and cell), the updates outside loops, and those at exceptions and handlers, which stay as long as the method is counted: without
//! them nothing else would be exact. A loop has the updates on its edges, the transitions and strides at its blocks, and passes by caller.

use std::collections::BTreeMap;

use pricetag_probe_plan::{
    BlockId, ClassHash, ClassPlan, MethodCounts, MethodOutcome, MethodPlan, OpenFrame, Pc,
    PlanStore, StoreError,
};
use pricetag_trace::{MethodName, Record, Region, Trace};

use crate::budget::{Group, Work};

/// What the report of a caught exception is worth: a call into the agent, measured beside a counter update.
const REPORT: u64 = 500;
/// What a stride is worth: some twenty bytecodes.
const STRIDE: u64 = 3;
/// What an entry is worth with loops by caller: the fetches of counters, passes and cell.
const ENTRY_BY_CALLER: u64 = 3;

/// Which probes beside counters and values a run had, as far as the plans do not say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beside {
    /// Reports of caught exceptions.
    pub(crate) caught: bool,
    /// Passes of loops by caller.
    pub(crate) callers: bool,
}

/// What the probes of each group executed in a run.
pub(crate) fn of(
    trace: &Trace,
    plans: &PlanStore,
    beside: Beside,
) -> Result<BTreeMap<Group, Work>, StoreError> {
    let open = open_frames(trace);
    let mut all = BTreeMap::new();
    for record in &trace.records {
        let Record::Counters(counters) = record else {
            continue;
        };
        let Some(plan) = plans.load(counters.hash)? else {
            continue;
        };
        let mut values = vec![0; plan.counters as usize];
        for &(counter, count) in &counters.counts {
            if let Some(value) = values.get_mut(counter as usize) {
                *value = count;
            }
        }
        for (index, method) in plan.methods.iter().enumerate() {
            if method.outcome != MethodOutcome::Counted {
                continue;
            }
            let frames = open.get(&(plan.hash, index)).map_or(&[][..], Vec::as_slice);
            let executed = Executed {
                class: &plan,
                index,
                method,
                counters: &values,
                // A method whose counts contradict each other is ranked by its counters alone.
                counts: method.derive(&values, frames).ok(),
                beside,
            };
            executed.add(&mut all);
        }
    }
    Ok(all)
}

/// One method of a run.
struct Executed<'p> {
    class: &'p ClassPlan,
    index: usize,
    method: &'p MethodPlan,
    counters: &'p [u64],
    counts: Option<MethodCounts>,
    beside: Beside,
}

impl Executed<'_> {
    fn add(&self, all: &mut BTreeMap<Group, Work>) {
        let name = MethodName {
            class: self.class.name.clone(),
            name: self.method.name.clone(),
            descriptor: self.method.descriptor.clone(),
        };
        for (values, by_loop) in [(false, self.counting()), (true, self.assignments())] {
            for (at, operations) in by_loop {
                let region = Region {
                    method: name.clone(),
                    header: at.map(|l| self.method.loop_header(l).0),
                };
                let work = all.entry(Group { region, values }).or_default();
                work.operations = work.operations.saturating_add(operations);
                work.line = work.line.or(at.and_then(|l| self.method.loop_line(l)));
            }
        }
    }

    /// Operations of counters, transitions, strides and passes, by loop.
    fn counting(&self) -> BTreeMap<Option<u32>, u64> {
        let method = self.method;
        let mut sums = Sums::default();
        sums.add(None, self.entries());
        for edge in &method.edges {
            if let Some(counter) = edge.counter {
                sums.add(method.loop_of_edge(edge), self.read(counter.0));
            }
        }
        for point in &method.throw_points {
            sums.add(None, self.read(point.counter.0));
        }
        let handled = 1 + if self.beside.caught { REPORT } else { 0 };
        for handler in &method.handlers {
            let entries = self.read(handler.counter.0);
            sums.add(None, entries.saturating_mul(handled));
        }
        let index = self.index as u16;
        for branch in self.class.transitions_of(index) {
            sums.add(
                method.loop_of_block(branch.block),
                self.executed(branch.block),
            );
        }
        for read in self.class.strides_of(index) {
            let reads = self.at(read.pc).saturating_mul(STRIDE);
            sums.add(method.loop_of_block(read.block), reads);
        }
        if let (Some(counts), true) = (&self.counts, self.beside.callers) {
            for (l, passes) in (0..).zip(method.loop_counts(counts)) {
                let probed = !method.is_removed(Some(l)) && method.loops[l as usize].reducible;
                let passes = passes.filter(|_| probed);
                sums.add(Some(l), passes.map_or(0, |p| p.entries + p.repeats));
            }
        }
        sums.0
    }

    /// Assignments whose values are asked for, by loop.
    fn assignments(&self) -> BTreeMap<Option<u32>, u64> {
        let asked = self.class.values.as_ref();
        let asked = asked.map_or(&[][..], |values| values.of_method(self.index as u16));
        let mut sums = Sums::default();
        for assignment in asked {
            let block = self.method.locate(assignment.pc).map(|(block, _)| block);
            let at = block.and_then(|block| self.method.loop_of_block(block));
            sums.add(at, self.at(assignment.pc));
        }
        sums.0
    }

    fn entries(&self) -> u64 {
        let counts = self.counts.as_ref();
        let entries = counts.and_then(|counts| self.method.invocations(counts));
        let each = if self.beside.callers {
            ENTRY_BY_CALLER
        } else {
            1
        };
        entries.unwrap_or(0).saturating_mul(each)
    }

    fn read(&self, counter: u32) -> u64 {
        self.counters.get(counter as usize).copied().unwrap_or(0)
    }

    fn executed(&self, block: BlockId) -> u64 {
        let counts = self.counts.as_ref();
        counts.and_then(|c| c.blocks[block.0 as usize]).unwrap_or(0)
    }

    /// Executions of an instruction, as far as they are known.
    fn at(&self, pc: Pc) -> u64 {
        let known = || {
            let (block, k) = self.method.locate(pc)?;
            let executed = &self.counts.as_ref()?.instructions[block.0 as usize];
            executed.as_ref().map(|n| n[k])
        };
        known().unwrap_or(0)
    }
}

/// Operations by loop.
#[derive(Default)]
struct Sums(BTreeMap<Option<u32>, u64>);

impl Sums {
    fn add(&mut self, at: Option<u32>, operations: u64) {
        let sum = self.0.entry(at).or_default();
        *sum = sum.saturating_add(operations);
    }
}

fn open_frames(trace: &Trace) -> BTreeMap<(ClassHash, usize), Vec<OpenFrame>> {
    let mut open: BTreeMap<_, Vec<OpenFrame>> = BTreeMap::new();
    for record in &trace.records {
        if let Record::OpenFrame(frame) = record {
            let key = (frame.hash, usize::from(frame.method));
            open.entry(key).or_default().push(OpenFrame {
                pc: frame.pc,
                frames: 1,
            });
        }
    }
    open
}
