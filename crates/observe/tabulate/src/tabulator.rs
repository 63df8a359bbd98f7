//! Walks the counters of a run, derives every count, and adds up the chosen features.

use std::collections::BTreeMap;
use std::rc::Rc;

use pricetag_dataset::{DatasetBuilder, Feature, FeatureId, FeatureKind, Observation, Row};
use pricetag_probe_plan::{
    BlockId, ClassHash, ClassPlan, MethodCounts, MethodOutcome, MethodPlan, PlanStore, StoreError,
};
use pricetag_trace::{
    Called, ClassCounters, Invocation, Record, Trace, ValuePlace, VariableValues,
};

use crate::callers::Invoked;
use crate::caught::Arrivals;
use crate::cold::{Cold, interprets};
use crate::compare::Difference;
use crate::context::{self, Implementations};
use crate::describe::{self, MethodFeatures};
use crate::interval::{Counted, Frames, Readings};
use crate::leaving::Targets;
use crate::numberless::{self, Numberless};
use crate::options::TabulateOptions;
use crate::prepare::{Class, Run, listed};
use crate::row::Sums;
use crate::values;

/// What can go wrong while tabulating.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TabulateError {
    /// A plan cannot be read.
    #[error(transparent)]
    Plan(#[from] StoreError),
    /// The trace has no invocation of that index.
    #[error("the trace has {found} invocations, number {index} was asked for")]
    NoSuchInvocation {
        /// Asked for, from 0.
        index: usize,
        /// How many there are.
        found: usize,
    },
}

/// The counts of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tabulated {
    /// Non-zero counts, ascending by feature.
    pub counts: Vec<(FeatureId, f64)>,
    /// What limits trust in them.
    pub caveats: Vec<String>,
    /// Classes, methods and loops that ran uncounted, with the reason.
    pub left: Vec<String>,
    /// Bytecodes executed in counted methods.
    pub executed: u64,
    /// Values of variables that are no numbers.
    pub numberless: Vec<Numberless>,
}

impl Tabulated {
    /// Joins counts and observation to a row; `difference` is the comparison with a second counting run, if there
    /// was one.
    pub fn into_row(self, mut observation: Observation, difference: Option<Difference>) -> Row {
        observation.caveats.extend(self.caveats);
        let difference = difference.unwrap_or_default();
        observation.caveats.extend(difference.caveat);
        Row {
            observation,
            counts: self.counts,
            differing: difference.features,
        }
    }
}

/// What is known of an invocation, or of its beginning.
pub(crate) struct Part<'t> {
    pub(crate) classes_loaded: u32,
    pub(crate) counters: &'t [ClassCounters],
    pub(crate) open: Frames,
    pub(crate) values: &'t [VariableValues],
    pub(crate) caught: Option<Arrivals>,
    pub(crate) called: Option<&'t [Called]>,
}

/// Turns traces into rows; loads each plan once.
pub struct Tabulator {
    pub(crate) plans: PlanStore,
    pub(crate) options: TabulateOptions,
    pub(crate) classes: BTreeMap<ClassHash, Option<Class>>,
    /// Classes by name: the first of a name is shown without its hash.
    pub(crate) named: BTreeMap<String, ClassHash>,
    targets: Targets,
    implementations: Implementations,
}

impl Tabulator {
    /// Reads plans from `plans`.
    pub fn new(plans: PlanStore, options: TabulateOptions) -> Self {
        Self {
            plans,
            options,
            classes: BTreeMap::new(),
            named: BTreeMap::new(),
            targets: Targets::default(),
            implementations: Implementations::new(),
        }
    }

    /// The counts of a whole process: one row.
    ///
    /// # Errors
    /// If a plan exists but cannot be read.
    pub fn process(
        &mut self,
        trace: &Trace,
        builder: &mut DatasetBuilder,
    ) -> Result<Tabulated, TabulateError> {
        let mut run = self.prepare(trace)?;
        let mut cold = Cold::default();
        let Readings { counters, open } = Readings::of(trace);
        for record in &trace.records {
            match record {
                Record::Process(costs) => cold.classes_loaded = f64::from(costs.classes_loaded),
                Record::Start(start) => cold.interpreter_only = interprets(start),
                _ => {}
            }
        }
        for hash in &run.loaded {
            if let Some(Some(class)) = self.classes.get(hash) {
                cold.counted_classes += 1.0;
                cold.class_bytes += f64::from(class.plan.bytes);
            }
        }
        let mut sums = Sums::new(cold);
        let mut counted = self.totals(&run, &counters, open, &mut sums)?;
        counted.caught = run.caught.remove(&None);
        counted.passes = self.passes(run.called.remove(&None).as_deref())?;
        self.add_counters(&mut run, &counted, None, &mut sums, builder);
        let values = run.values.remove(&None).unwrap_or_default();
        self.add_values(&run, &values, &mut sums, builder);
        Ok(self.close(sums, run.caveats, run.left, builder))
    }

    /// Internal names of the counted classes seen so far.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// The plans of these.
    pub fn plans(&self) -> impl Iterator<Item = &ClassPlan> {
        self.classes.values().flatten().map(|class| &*class.plan)
    }

    /// The counts of every invocation of the scope method, in the order of the trace: one row each.
    ///
    /// # Errors
    /// If a plan exists but cannot be read.
    pub fn invocations(
        &mut self,
        trace: &Trace,
        builder: &mut DatasetBuilder,
    ) -> Result<Vec<Tabulated>, TabulateError> {
        let mut run = self.prepare(trace)?;
        let records: Vec<&Invocation> = invocations(trace).collect();
        let rows = records
            .into_iter()
            .map(|record| self.invocation_of(&mut run, record, builder));
        rows.collect()
    }

    /// The counts of one invocation: the `index`th invocation record of the trace, from 0.
    ///
    /// # Errors
    /// If there is no such invocation, or a plan exists but cannot be read.
    pub fn invocation(
        &mut self,
        trace: &Trace,
        index: usize,
        builder: &mut DatasetBuilder,
    ) -> Result<Tabulated, TabulateError> {
        let Some(record) = invocations(trace).nth(index) else {
            let found = invocations(trace).count();
            return Err(TabulateError::NoSuchInvocation { index, found });
        };
        let mut run = self.prepare(trace)?;
        self.invocation_of(&mut run, record, builder)
    }

    pub(crate) fn invocation_of(
        &mut self,
        run: &mut Run,
        record: &Invocation,
        builder: &mut DatasetBuilder,
    ) -> Result<Tabulated, TabulateError> {
        let called = run.called.remove(&Some(record.sequence));
        let straddling = run.straddling.remove(&record.sequence).unwrap_or_default();
        let part = Part {
            classes_loaded: record.classes_loaded,
            counters: &record.counters,
            open: straddling.open,
            values: &run
                .values
                .remove(&Some(record.sequence))
                .unwrap_or_default(),
            caught: run.caught.remove(&Some(record.sequence)),
            called: called.as_deref(),
        };
        let mut row = self.part_of(run, part, builder)?;
        if record.threw {
            row.caveats
                .push("the invocation ended by an exception".to_owned());
        }
        if straddling.running > 0 {
            row.caveats.push(format!(
                "open frames of other threads that were running counted code as the invocation began or ended: {}; their counts are a snapshot",
                straddling.running
            ));
        }
        Ok(row)
    }

    /// The counts of an invocation, or of its beginning.
    pub(crate) fn part_of(
        &mut self,
        run: &mut Run,
        part: Part<'_>,
        builder: &mut DatasetBuilder,
    ) -> Result<Tabulated, TabulateError> {
        let cold = Cold {
            classes_loaded: f64::from(part.classes_loaded),
            ..Cold::default()
        };
        let mut sums = Sums::new(cold);
        sums.warm = true;
        let counters: Vec<&ClassCounters> = part.counters.iter().collect();
        let mut counted = self.totals(run, &counters, part.open, &mut sums)?;
        counted.caught = part.caught;
        counted.passes = self.passes(part.called)?;
        self.add_counters(run, &counted, None, &mut sums, builder);
        self.add_values(run, part.values, &mut sums, builder);
        Ok(self.close(sums, run.caveats.clone(), Vec::new(), builder))
    }

    /// Adds up the counters of all classes, each by itself.
    pub(crate) fn totals(
        &mut self,
        run: &Run,
        counters: &[&ClassCounters],
        open: Frames,
        sums: &mut Sums,
    ) -> Result<Counted, TabulateError> {
        let mut totals: BTreeMap<ClassHash, Vec<u64>> = BTreeMap::new();
        // A frame may stand in a class of which nothing was counted meanwhile.
        for (hash, _) in open.keys() {
            self.load(*hash)?;
            if let Some(Some(class)) = self.classes.get(hash) {
                totals.insert(*hash, vec![0; class.plan.counters as usize]);
            }
        }
        for record in counters {
            self.load(record.hash)?;
            let Some(class) = self.classes.get(&record.hash).and_then(Option::as_ref) else {
                sums.unplanned += u32::from(!run.loaded.contains(&record.hash));
                continue;
            };
            let length = class.plan.counters as usize;
            let total = totals.entry(record.hash).or_insert_with(|| vec![0; length]);
            for (index, count) in &record.counts {
                match total.get_mut(*index as usize) {
                    Some(cell) => *cell += count,
                    None => sums.stray += 1,
                }
            }
        }
        Ok(Counted {
            totals,
            open,
            caught: None,
            passes: None,
        })
    }

    /// Derives the counts of all methods, without what they were before, and adds them to the row.
    pub(crate) fn add_counters(
        &mut self,
        run: &mut Run,
        counted: &Counted,
        before: Option<&Counted>,
        sums: &mut Sums,
        builder: &mut DatasetBuilder,
    ) {
        for (hash, total) in &counted.totals {
            let Some(Some(class)) = self.classes.get_mut(hash) else {
                continue;
            };
            for index in 0..class.plan.methods.len() {
                let frames = counted.frames(*hash, index);
                let plan = Rc::clone(&class.plan);
                let method = &plan.methods[index];
                if method.outcome != MethodOutcome::Counted
                    || (frames.is_empty() && !ran(method, total))
                {
                    continue;
                }
                let all = method.derive(total, frames).map_err(|e| e.to_string());
                let counts = match before {
                    Some(before) => all.and_then(|all| before.without(*hash, index, method, &all)),
                    None => all,
                };
                match counts.map(|counts| asked_for(method, counts)) {
                    Ok(counts) => {
                        let features = class.methods[index].get_or_insert_with(|| {
                            let name = &class.names[index];
                            let features =
                                MethodFeatures::of(&plan, index, name, &mut self.targets);
                            Rc::new(features)
                        });
                        let features = Rc::clone(features);
                        sums.valued = plan.values.is_some();
                        let earlier = before.and_then(|before| before.totals.get(hash));
                        for (kind, counted) in [
                            (FeatureKind::Transition, &features.transitions),
                            (FeatureKind::Stride, &features.strides),
                        ] {
                            if self.options.kinds.contains(&kind) {
                                sums.add_counted(counted, total, earlier, builder);
                            }
                        }
                        sums.add_method(
                            &self.options,
                            &mut run.leaving,
                            method,
                            &features,
                            &counts,
                            builder,
                        );
                        if method.listed_blocks.is_some() {
                            continue;
                        }
                        let wanted = self.options.kinds.contains(&FeatureKind::Exception);
                        if let (Some(caught), true) = (&counted.caught, wanted) {
                            let place = (*hash, method);
                            sums.add_caught(place, &features, &counts, caught, builder);
                        }
                        let split = counted.passes.as_ref();
                        let of = |kind| split.filter(|_| self.options.kinds.contains(&kind));
                        let by_caller = of(FeatureKind::Method).filter(|_| run.splits_invocations);
                        if let (Some(passes), Some(all)) = (by_caller, method.invocations(&counts))
                        {
                            let loops = plan.first_loop(plan.methods.len());
                            let invoked = Invoked {
                                place: (*hash, loops + index as u32),
                                all,
                                feature: &features.invocations,
                            };
                            sums.add_invocations(invoked, passes, builder);
                        }
                        if let (Some(passes), false) =
                            (of(FeatureKind::Loop), method.loops.is_empty())
                        {
                            let place = (*hash, plan.first_loop(index));
                            let loops = method.loop_counts(&counts);
                            let features = &features.loops;
                            sums.add_passes(place, method, &loops, features, passes, builder);
                        }
                    }
                    Err(imbalance) => sums.imbalances.push(format!(
                        "{} is not counted exactly: {imbalance}; it is left out",
                        class.names[index]
                    )),
                }
            }
        }
        context::describe(&mut run.leaving, &mut self.implementations, builder);
    }

    /// Adds the first values of the run, or of one invocation.
    fn add_values(
        &self,
        run: &Run,
        variables: &[VariableValues],
        sums: &mut Sums,
        builder: &mut DatasetBuilder,
    ) {
        if !self.options.kinds.contains(&FeatureKind::Value) {
            return;
        }
        let local = |place: &ValuePlace| match place {
            ValuePlace::Local { hash, variable } => {
                let class = self.classes.get(hash)?.as_ref()?;
                let at = variable.0 as usize;
                let kind = class.plan.values.as_ref()?.variables.get(at)?.kind;
                Some((class.locals.get(at)?.as_ref()?, Some(kind)))
            }
            ValuePlace::Depth { hash, method } => {
                let class = self.classes.get(hash)?.as_ref()?;
                Some((class.depths.get(usize::from(*method))?, None))
            }
            ValuePlace::Field { .. } => None,
        };
        let cells = values::cells(variables, &run.fields, local, builder);
        sums.numberless.extend(cells.unusable);
        sums.counts.extend(cells.values);
    }

    /// Adds what is summed over methods, and the caveats.
    pub(crate) fn close(
        &self,
        mut sums: Sums,
        mut caveats: Vec<String>,
        left: Vec<String>,
        builder: &mut DatasetBuilder,
    ) -> Tabulated {
        let wanted = |kind| self.options.kinds.contains(&kind);
        if wanted(FeatureKind::Opcode) {
            let totals = self.options.categories.sum(&sums.opcodes);
            for (name, total) in self.options.categories.names().iter().zip(totals) {
                if total > 0 {
                    sums.count(&describe::opcode(name), total as f64, builder);
                }
            }
        }
        if wanted(FeatureKind::Cold) {
            for &(name, unit, text, value) in sums.cold.known(&sums.cold.features()) {
                if value == 0.0 {
                    continue;
                }
                let feature = Feature {
                    name: name.to_owned(),
                    kind: FeatureKind::Cold,
                    unit: unit.to_owned(),
                    text: Some(text.to_owned()),
                    ..Feature::default()
                };
                sums.count(&feature, value, builder);
            }
        }
        if wanted(FeatureKind::Base) {
            let feature = Feature {
                name: "base price".to_owned(),
                kind: FeatureKind::Base,
                unit: "1".to_owned(),
                text: Some("what every observation costs".to_owned()),
                ..Feature::default()
            };
            sums.count(&feature, 1.0, builder);
        }
        caveats.extend(listed(sums.imbalances, "further methods left out"));
        caveats.extend(listed(sums.contradictions, "further handlers and loops"));
        caveats.extend(numberless::caveat(&sums.numberless));
        caveats.extend(sums.noticed.tell(builder));
        if sums.stray > 0 {
            caveats.push(format!("{} counters that no plan knows", sums.stray));
        }
        if sums.unplanned > 0 {
            caveats.push(format!(
                "counters of {} classes that the trace does not name: left out",
                sums.unplanned
            ));
        }
        Tabulated {
            executed: sums.opcodes.iter().sum(),
            counts: sums.counts.into_iter().collect(),
            caveats,
            left,
            numberless: sums.numberless,
        }
    }
}

pub(crate) fn invocations(trace: &Trace) -> impl Iterator<Item = &Invocation> {
    trace.records.iter().filter_map(|record| match record {
        Record::Invocation(invocation) => Some(invocation),
        _ => None,
    })
}

/// Counts without those of blocks that nobody has asked for: which of these follow depends on where the counters happen to stand.
fn asked_for(method: &MethodPlan, mut counts: MethodCounts) -> MethodCounts {
    for block in (0..method.blocks.len()).filter(|b| !method.is_listed(BlockId(*b as u32))) {
        counts.blocks[block] = None;
        counts.instructions[block] = None;
    }
    counts
}

/// Whether any counter of the method is not zero.
fn ran(method: &MethodPlan, counters: &[u64]) -> bool {
    let edges = method.edges.iter().filter_map(|e| e.counter);
    let throws = method.throw_points.iter().map(|t| t.counter);
    let handlers = method.handlers.iter().map(|h| h.counter);
    edges
        .chain(throws)
        .chain(handlers)
        .any(|c| counters.get(c.0 as usize).is_some_and(|n| *n > 0))
}
