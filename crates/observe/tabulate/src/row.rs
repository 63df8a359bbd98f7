//! The growing row: adds the counts of one method after another, and states what its blocks consist of.
//!
//! A count that is not known, since probes were removed, adds nothing: its column is absent, and totals are without it, which the notes say.

use std::collections::BTreeMap;

use pricetag_dataset::{DatasetBuilder, Feature, FeatureId, FeatureKind};
use pricetag_probe_plan::{BlockPlan, CounterIndex, LoopCounts, MethodCounts, MethodPlan};

use crate::cold::Cold;
use crate::context;
use crate::describe::{self, MethodFeatures};
use crate::leaving::{Leaving, TargetId};
use crate::lines;
use crate::noticed::Noticed;
use crate::numberless::Numberless;
use crate::options::TabulateOptions;
use crate::thrown;

/// The growing row.
pub(crate) struct Sums {
    pub(crate) counts: BTreeMap<FeatureId, f64>,
    pub(crate) opcodes: [u64; 256],
    pub(crate) cold: Cold,
    /// A warm JVM: what is executed is not executed for the first time, and mostly compiled.
    pub(crate) warm: bool,
    pub(crate) imbalances: Vec<String>,
    /// Handlers at which more exceptions are reported than arrived, and loops with more passes by caller than all.
    pub(crate) contradictions: Vec<String>,
    pub(crate) stray: u32,
    pub(crate) unplanned: u32,
    /// Whether values were recorded, and means are wanted with them.
    pub(crate) valued: bool,
    /// Values that are no finite numbers, and sizes that are not known.
    pub(crate) numberless: Vec<Numberless>,
    /// Where the program may have noticed that it is counted.
    pub(crate) noticed: Noticed,
}

impl Sums {
    pub(crate) fn new(cold: Cold) -> Self {
        Self {
            counts: BTreeMap::new(),
            opcodes: [0; 256],
            cold,
            warm: false,
            imbalances: Vec::new(),
            contradictions: Vec::new(),
            stray: 0,
            unplanned: 0,
            valued: false,
            numberless: Vec::new(),
            noticed: Noticed::default(),
        }
    }

    pub(crate) fn count(
        &mut self,
        feature: &Feature,
        value: f64,
        builder: &mut DatasetBuilder,
    ) -> FeatureId {
        let id = builder
            .find(&feature.name)
            .unwrap_or_else(|| builder.intern(feature.clone()));
        if value != 0.0 {
            *self.counts.entry(id).or_insert(0.0) += value;
        }
        id
    }

    /// Adds what has a counter of its own in a method, without what was counted before.
    pub(crate) fn add_counted(
        &mut self,
        counted: &[(CounterIndex, Feature)],
        total: &[u64],
        before: Option<&Vec<u64>>,
        builder: &mut DatasetBuilder,
    ) {
        for (counter, feature) in counted {
            let at = |counts: &[u64]| counts.get(counter.0 as usize).copied().unwrap_or(0);
            let count = at(total).saturating_sub(before.map_or(0, |counts| at(counts)));
            if count > 0 {
                self.count(feature, count as f64, builder);
            }
        }
    }

    pub(crate) fn add_method(
        &mut self,
        options: &TabulateOptions,
        leaving: &mut Leaving,
        method: &MethodPlan,
        features: &MethodFeatures,
        counts: &MethodCounts,
        builder: &mut DatasetBuilder,
    ) {
        // What else may follow from the counters that a list of blocks needs, nobody has asked for.
        if method.listed_blocks.is_none() {
            self.add_control_flow(options, leaving, method, features, counts, builder);
        }
        self.add_blocks(options, leaving, method, features, counts, builder);
        self.noticed.look(method, counts, &features.shown);
        let executed = method.opcodes(counts);
        for (sum, count) in self.opcodes.iter_mut().zip(executed) {
            *sum += count;
        }
        if method.listed_blocks.is_some() {
            self.cold.partial = true;
        } else if !self.warm {
            let loops = method.loop_counts(counts);
            let repeats = loops.iter().flatten().map(|l| l.repeats).sum();
            let invocations = method.invocations(counts).unwrap_or(0);
            self.cold.methods += f64::from(u8::from(invocations > 0));
            self.cold.add_executions(
                invocations,
                repeats,
                executed.iter().sum(),
                method.code_bytes,
            );
        }
    }

    /// Adds invocations, calls, loops, handlers, exceptions and branches of a method.
    fn add_control_flow(
        &mut self,
        options: &TabulateOptions,
        leaving: &mut Leaving,
        method: &MethodPlan,
        features: &MethodFeatures,
        counts: &MethodCounts,
        builder: &mut DatasetBuilder,
    ) {
        let wanted = |kind| options.kinds.contains(&kind);
        let invocations = method.invocations(counts);
        let loops = method.loop_counts(counts);
        if let (Some(invocations @ 1..), true) = (invocations, wanted(FeatureKind::Method)) {
            self.count(&features.invocations, invocations as f64, builder);
        }
        if wanted(FeatureKind::Context) {
            for (id, n) in context::calls_from(features, method, counts, leaving, builder) {
                *self.counts.entry(id).or_insert(0.0) += n as f64;
            }
        }
        for (feature, passes) in features.loops.iter().zip(&loops) {
            let passes = passes.map_or(0, |l| l.passes);
            if wanted(FeatureKind::Loop) && passes > 0 {
                self.count(feature, passes as f64, builder);
            }
        }
        for (feature, entries) in features.handlers.iter().zip(&counts.handlers) {
            if wanted(FeatureKind::Exception) && *entries > 0 {
                self.count(feature, *entries as f64, builder);
            }
        }
        if wanted(FeatureKind::Exception) {
            for (class, n) in thrown::by_type(method, counts) {
                self.count(&thrown::feature(&class), n as f64, builder);
            }
        }
        if wanted(FeatureKind::Value) && wanted(FeatureKind::Loop) && self.valued {
            self.add_loops_per_entry(method, features, &loops, builder);
        }
        if wanted(FeatureKind::Line) {
            for (line, n) in lines::executions(method, counts) {
                let feature = lines::feature(&features.invocations, &features.shown, line);
                self.count(&feature, n as f64, builder);
            }
        }
        if wanted(FeatureKind::Branch) {
            for (edge, _, count) in method.branch_outcomes(counts) {
                if let (Some(feature), true) = (features.branches.get(&edge.0), count > 0) {
                    self.count(feature, count as f64, builder);
                }
            }
        }
    }

    /// Passes of each loop per entry of the outermost loop around it: a mean, and none where that was not entered.
    fn add_loops_per_entry(
        &mut self,
        method: &MethodPlan,
        features: &MethodFeatures,
        loops: &[Option<LoopCounts>],
        builder: &mut DatasetBuilder,
    ) {
        for (index, feature) in features.loops.iter().enumerate() {
            let mut outermost = index;
            while let Some(parent) = method.loops[outermost].parent {
                outermost = parent as usize;
            }
            let (Some(counts), Some(outermost_counts)) = (loops[index], loops[outermost]) else {
                continue;
            };
            let entries = outermost_counts.entries;
            if entries == 0 {
                continue;
            }
            let id = builder.intern(Feature {
                name: format!("{} per entry of loop {outermost}", feature.name),
                kind: FeatureKind::Value,
                text: Some("passes per entry of the outermost loop around".to_owned()),
                ..feature.clone()
            });
            self.counts
                .insert(id, counts.passes as f64 / entries as f64);
        }
    }

    fn add_blocks(
        &mut self,
        options: &TabulateOptions,
        leaving: &mut Leaving,
        method: &MethodPlan,
        features: &MethodFeatures,
        counts: &MethodCounts,
        builder: &mut DatasetBuilder,
    ) {
        for (index, block) in method.blocks.iter().enumerate() {
            let (Some(entered @ 1..), Some(executed)) =
                (counts.blocks[index], &counts.instructions[index])
            else {
                continue;
            };
            if !self.warm {
                self.cold.blocks += 1.0;
                self.cold.bytes += f64::from(block.end.saturating_sub(u32::from(block.start.0)));
            }
            let mut whole = None;
            if options.kinds.contains(&FeatureKind::Block) {
                let feature = &features.blocks[index];
                let new = builder.find(&feature.name).is_none();
                let id = self.count(feature, entered as f64, builder);
                if new && options.kinds.contains(&FeatureKind::Opcode) {
                    compose_opcodes(options, id, block, builder);
                }
                whole = Some(id);
            }
            if options.kinds.contains(&FeatureKind::Call) {
                let made = calls_made(block, &features.calls[index], executed, leaving, builder);
                for (id, (calls, sites)) in made {
                    *self.counts.entry(id).or_insert(0.0) += calls as f64;
                    if let Some(whole) = whole {
                        builder.compose(whole, id, f64::from(sites));
                    }
                }
            }
        }
    }
}

/// States how many instructions of each category one execution of a block runs.
fn compose_opcodes(
    options: &TabulateOptions,
    whole: FeatureId,
    block: &BlockPlan,
    builder: &mut DatasetBuilder,
) {
    let mut histogram = [0u64; 256];
    for instruction in &block.instructions {
        histogram[usize::from(instruction.opcode)] += 1;
    }
    let amounts = options.categories.sum(&histogram);
    for (name, amount) in options.categories.names().iter().zip(amounts) {
        if amount > 0 {
            let part = builder.intern(describe::opcode(name));
            builder.compose(whole, part, amount as f64);
        }
    }
}

/// The leaving calls that a block made: how many, and from how many call sites.
fn calls_made(
    block: &BlockPlan,
    targets: &[TargetId],
    executed: &[u64],
    leaving: &mut Leaving,
    builder: &mut DatasetBuilder,
) -> BTreeMap<FeatureId, (u64, u32)> {
    let mut made: BTreeMap<FeatureId, (u64, u32)> = BTreeMap::new();
    for (call, target) in block.calls.iter().zip(targets) {
        let at = block.instructions.binary_search_by_key(&call.pc, |i| i.pc);
        let times = at.map_or(0, |k| executed[k]);
        // A call that was never made may name a class that was never loaded: whether it leaves is unknown.
        if times == 0 {
            continue;
        }
        if let Some(id) = leaving.feature(*target, call, builder) {
            made.entry(id).or_insert((0, 0)).0 += times;
        }
    }
    for target in targets {
        if let Some((_, sites)) = leaving.known(*target).and_then(|id| made.get_mut(&id)) {
            *sites += 1;
        }
    }
    made
}
