//! What the probes of a run cost, by the groups in which the budget removes them: what they executed, and what it takes to compile them.
//!
//! The unit is one update of a counter, seven bytecodes. A method's own group has the fetch of its counters at every entry (and, with loops by caller, those of
//! passes and cell), the updates outside loops, and those at exceptions and handlers, which stay as long as the method is counted: without
//! them nothing else would be exact. A loop has the updates on its edges, the transitions and strides at its blocks, and passes by caller.

use std::collections::BTreeMap;

use pricetag_probe_plan::tiers::TIER4;
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

/// What it is worth that the optimising compiler sees a probe: half a millisecond, as measured on bzip2. In short runs that is more than what it executes.
const COMPILED: u64 = 1_000_000;

/// Which probes beside counters and values a run had, as far as the plans do not say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beside {
    /// Reports of caught exceptions.
    pub(crate) caught: bool,
    /// Passes of loops by caller.
    pub(crate) callers: bool,
    /// Whether there was an optimising compiler.
    pub(crate) optimised: bool,
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
        let mut sums = self.sums();
        sums.add(None, self.entries());
        for edge in &method.edges {
            if let Some(counter) = edge.counter {
                let at = method.loop_of_edge(edge);
                let updates = self.read(counter.0);
                sums.add(at, updates);
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
                sums.add(Some(l), passes.map_or(0, |p| p.passes));
            }
        }
        sums.by_loop
    }

    /// Assignments whose values are asked for, by loop.
    fn assignments(&self) -> BTreeMap<Option<u32>, u64> {
        let asked = self.class.values.as_ref();
        let asked = asked.map_or(&[][..], |values| values.of_method(self.index as u16));
        let mut sums = self.sums();
        for assignment in asked {
            let block = self.method.locate(assignment.pc).map(|(block, _)| block);
            let at = block.and_then(|block| self.method.loop_of_block(block));
            sums.add(at, self.at(assignment.pc));
        }
        sums.by_loop
    }

    /// Fetches of the counters; unknown, hence 0, where a list of blocks leaves the entries undetermined.
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

    fn sums(&self) -> Sums {
        let each = if self.is_optimised() { COMPILED } else { 0 };
        let by_loop = BTreeMap::new();
        Sums { by_loop, each }
    }

    /// Whether the optimising compiler has it, by itself.
    fn is_optimised(&self) -> bool {
        let Some(counts) = self.counts.as_ref().filter(|_| self.beside.optimised) else {
            return false;
        };
        let entries = self.method.invocations(counts).unwrap_or(0);
        let passes = self.method.loop_counts(counts).into_iter();
        let repeats = passes.map(|passes| passes.map_or(0, |p| p.repeats));
        let repeats = repeats.fold(0, u64::saturating_add);
        TIER4.reached(entries as f64, repeats as f64) <= 1.0
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
struct Sums {
    by_loop: BTreeMap<Option<u32>, u64>,
    /// What each probe is worth beside what it executes.
    each: u64,
}

impl Sums {
    /// Adds a probe. Compilers leave out what never ran.
    fn add(&mut self, at: Option<u32>, operations: u64) {
        let compiled = if operations > 0 { self.each } else { 0 };
        let sum = self.by_loop.entry(at).or_default();
        *sum = sum.saturating_add(operations).saturating_add(compiled);
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

#[cfg(test)]
mod tests {
    use pricetag_probe_plan::{
        BlockPlan, CounterIndex, EdgeId, EdgeKind, EdgePlan, HandlerPlan, Instruction, LineStart,
        LoopPlan, Node, PLAN_VERSION, StridePlan, TransitionPlan,
    };
    use pricetag_trace::ClassCounters;

    use super::*;

    /// `for (…) { a[i]; if (…) …; }` entered twice, 10 passes: block 1 is the header, block 2 the body, which reads an array and ends in a branch.
    fn class() -> ClassPlan {
        let node = |b| Node::Block(BlockId(b));
        let edge = |from, to, kind, counter: Option<u32>| EdgePlan {
            from,
            to,
            kind,
            counter: counter.map(CounterIndex),
        };
        let block = |pc: u16, opcode, around: Option<u32>| BlockPlan {
            start: Pc(pc),
            end: u32::from(pc) + 1,
            loop_depth: u32::from(around.is_some()),
            innermost_loop: around,
            instructions: vec![Instruction { pc: Pc(pc), opcode }],
            lines: vec![LineStart {
                at: 0,
                line: pc + 20,
            }],
            calls: Vec::new(),
        };
        let method = MethodPlan {
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            access: 8,
            code_bytes: 5,
            blocks: vec![
                block(0, 0, None),
                block(1, 0, Some(0)),
                block(2, 0x33, Some(0)),
                block(3, 0, None),
                block(4, 0, None),
            ],
            edges: vec![
                edge(Node::Entry, node(0), EdgeKind::Entry, None),
                edge(node(0), node(1), EdgeKind::FallThrough, None),
                edge(node(1), node(2), EdgeKind::NotTaken, None),
                edge(node(1), node(3), EdgeKind::Taken, Some(0)),
                edge(node(2), node(1), EdgeKind::Taken, Some(1)),
                edge(node(2), node(1), EdgeKind::NotTaken, Some(2)),
                edge(node(3), Node::Exit, EdgeKind::Return, None),
                edge(node(4), Node::Exit, EdgeKind::Return, None),
            ],
            handlers: vec![HandlerPlan {
                block: BlockId(4),
                catches: Vec::new(),
                counter: CounterIndex(3),
            }],
            loops: vec![LoopPlan {
                header: BlockId(1),
                parent: None,
                depth: 1,
                back_edges: vec![EdgeId(4), EdgeId(5)],
                entry_edges: vec![EdgeId(1)],
                reducible: true,
            }],
            ..MethodPlan::default()
        };
        ClassPlan {
            version: PLAN_VERSION,
            hash: ClassHash(1),
            name: "a/B".to_owned(),
            super_name: None,
            interfaces: Vec::new(),
            source_file: None,
            access: 0,
            major: 61,
            bytes: 1,
            counters: 7,
            methods: vec![method],
            values: None,
            transitions: Some(vec![TransitionPlan {
                method: 0,
                block: BlockId(2),
                counter: CounterIndex(4),
            }]),
            strides: Some(vec![StridePlan {
                method: 0,
                pc: Pc(2),
                block: BlockId(2),
                counter: CounterIndex(5),
                last: CounterIndex(6),
            }]),
        }
    }

    /// What is found when all happens so many times.
    fn operations(beside: Beside, times: u64) -> Vec<(String, u64, Option<u16>)> {
        operations_of(&class(), beside, times)
    }

    fn operations_of(
        class: &ClassPlan,
        beside: Beside,
        times: u64,
    ) -> Vec<(String, u64, Option<u16>)> {
        let directory = tempfile::tempdir().expect("a directory");
        let store = PlanStore::open(directory.path()).expect("a store");
        store.store(class).expect("it is stored");
        // Exits, two ways round, an exception that the last block catches, transitions, strides.
        let counts = [(0, 2), (1, 3), (2, 7), (4, 1), (5, 8)];
        let counts = counts.map(|(counter, n)| (counter, n * times)).to_vec();
        let hash = ClassHash(1);
        let trace = Trace {
            records: vec![Record::Counters(ClassCounters { hash, counts })],
            complete: true,
            damage: None,
        };
        let found = of(&trace, &store, beside).expect("plans are read");
        let found = found.into_iter();
        found
            .map(|(group, work)| (group.region.to_string(), work.operations, work.line))
            .collect()
    }

    #[test]
    fn what_stands_in_a_loop_is_its_groups() {
        // Two entries and two updates; ten updates, ten times a branch and ten reads.
        let method = |n| ("a/B.m()V".to_owned(), n, None);
        let in_loop = |n| ("a/B.m()V@1".to_owned(), n, Some(21));
        let found = operations(Beside::default(), 1);
        assert_eq!(found, [method(4), in_loop(10 + 10 + 10 * STRIDE)]);
        let callers = Beside {
            callers: true,
            ..Beside::default()
        };
        // And twelve passes.
        let found = operations(callers, 1);
        let entries = 2 * ENTRY_BY_CALLER + 2;
        let loops = 10 + 10 + 10 * STRIDE + 12;
        assert_eq!(found, [method(entries), in_loop(loops)]);
    }

    #[test]
    fn what_is_optimised_is_worth_compiling_as_well() {
        let worth = |optimised, times| {
            let beside = Beside {
                optimised,
                ..Beside::default()
            };
            let found = operations(beside, times);
            let [(_, method, _), (_, of_loop, _)] = &found[..] else {
                panic!("{found:?}")
            };
            let executed = [method - times * 4, of_loop - times * (20 + 10 * STRIDE)];
            executed.map(|more| more / COMPILED)
        };
        // Entered twice and ten times round each time: 15,000 of both are enough.
        assert_eq!(worth(true, 1_249), [0, 0]);
        // Fetch and exit, the handler never ran; two ways round, a transition, a stride.
        assert_eq!(worth(true, 1_250), [2, 4]);
        assert_eq!(worth(false, 1_250), [0, 0]);
    }
}
