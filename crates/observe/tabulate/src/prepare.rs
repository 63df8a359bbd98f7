//! What is known of a trace before its counters are read: its classes with their plans, and what limits trust in it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pricetag_classfile::naming;
use pricetag_dataset::Feature;
use pricetag_probe_plan::{ClassHash, ClassPlan};
use pricetag_trace::{REMOVED, Record, Trace};

use crate::callers;
use crate::caught;
use crate::describe::{self, MethodFeatures};
use crate::interval::{self, Straddling};
use crate::leaving::Leaving;
use crate::tabulator::{TabulateError, Tabulator};
use crate::values::{self, ByInvocation, Fields};

/// Caveats of one kind that are listed one by one; more are summed up.
const LISTED: usize = 10;

/// A class whose plan is loaded.
pub(crate) struct Class {
    pub(crate) plan: Rc<ClassPlan>,
    pub(crate) names: Rc<Vec<String>>,
    pub(crate) methods: Vec<Option<Rc<MethodFeatures>>>,
    pub(crate) locals: Vec<Option<Feature>>,
    pub(crate) depths: Vec<Feature>,
}

/// What is known of a trace before its counters are read.
pub(crate) struct Run {
    pub(crate) leaving: Leaving,
    pub(crate) loaded: BTreeSet<ClassHash>,
    pub(crate) caveats: Vec<String>,
    pub(crate) left: Vec<String>,
    pub(crate) fields: Fields,
    pub(crate) values: ByInvocation,
    pub(crate) caught: caught::ByInvocation,
    pub(crate) called: callers::ByInvocation,
    /// Frames of other threads around invocations.
    pub(crate) straddling: BTreeMap<u64, Straddling>,
    /// Whether invocations are among these.
    pub(crate) splits_invocations: bool,
}

impl Tabulator {
    /// Loads the plans of a trace and collects what limits trust in it.
    pub(crate) fn prepare(&mut self, trace: &Trace) -> Result<Run, TabulateError> {
        let mut run = Run {
            leaving: Leaving::default(),
            loaded: BTreeSet::new(),
            caveats: Vec::new(),
            left: Vec::new(),
            fields: Fields::default(),
            values: values::of(trace),
            caught: caught::of(trace),
            called: callers::of(trace),
            straddling: interval::straddling(trace),
            splits_invocations: callers::splits_invocations(trace),
        };
        if let Some(reason) = trace.incomplete_reason() {
            run.caveats
                .push(format!("the trace is incomplete: {reason}"));
        }
        let (mut inexact, mut running, mut missing) = (Vec::new(), 0u32, Vec::new());
        let mut left_methods = BTreeSet::new();
        for record in &trace.records {
            match record {
                Record::Class(class) => {
                    let known = self.add_class(class.hash, &mut run)?;
                    missing.extend((!known).then(|| naming::class(&class.name)));
                }
                Record::Left(left) => {
                    let place = left.method.as_ref().map_or_else(
                        || naming::class(&left.class),
                        |method| format!("{}.{method}", naming::class(&left.class)),
                    );
                    run.left.push(format!("{place}: {}", left.reason));
                    let method = left.method.as_ref();
                    left_methods.extend(method.map(|m| (left.class.as_str(), m.as_str())));
                }
                Record::Inexact(why) => inexact.push(why.clone()),
                // A JVM that is killed has not listed its classes.
                Record::Invocation(call) if !trace.complete => {
                    for counters in &call.counters {
                        if !self.add_class(counters.hash, &mut run)? {
                            run.loaded.remove(&counters.hash);
                        }
                    }
                }
                Record::OpenFrame(frame) => running += u32::from(frame.running),
                _ => {}
            }
        }
        run.fields.complete(&left_methods);
        run.left.extend(run.fields.left());
        run.caveats
            .extend(listed(inexact, "further reasons why counts are inexact"));
        if running > 0 {
            run.caveats.push(format!(
                "open frames that were still running counted code at the end: {running}; their counts are a snapshot"
            ));
        }
        let missing = missing
            .into_iter()
            .map(|name| format!("there is no probe plan for {name}: its counts are left out"));
        run.caveats.extend(listed(
            missing.collect(),
            "further classes without probe plan",
        ));
        Ok(run)
    }

    /// Loads a class of a trace; false if there is no plan for it.
    fn add_class(&mut self, hash: ClassHash, run: &mut Run) -> Result<bool, TabulateError> {
        let new = run.loaded.insert(hash);
        self.load(hash)?;
        let Some(known) = &self.classes[&hash] else {
            return Ok(false);
        };
        if new {
            run.leaving.counted.add(&known.plan, &known.names);
            run.fields.add(&known.plan);
            let methods = known.plan.methods.iter().zip(known.names.iter());
            for (method, name) in methods.filter(|(m, _)| !m.removed_loops.is_empty()) {
                let loops = describe::removed_loops(&known.plan, method, name);
                let reason = |name| format!("{name}: {REMOVED}, with what needs its counts");
                run.left.extend(loops.map(reason));
            }
        }
        Ok(true)
    }

    pub(crate) fn load(&mut self, hash: ClassHash) -> Result<(), TabulateError> {
        if self.classes.contains_key(&hash) {
            return Ok(());
        }
        let class = self.plans.written(hash)?.map(|plan| {
            let first = *self.named.entry(plan.name.clone()).or_insert(hash);
            let suffix = if first == hash {
                String::new()
            } else {
                format!(" @{}", &hash.to_string()[..8])
            };
            let names = describe::method_names(&plan, &suffix);
            Class {
                locals: values::locals(&plan, &names),
                depths: values::depths(&plan, &names),
                names: Rc::new(names),
                methods: plan.methods.iter().map(|_| None).collect(),
                plan: Rc::new(plan),
            }
        });
        self.classes.insert(hash, class);
        Ok(())
    }
}

/// The first few, and how many more there are.
pub(crate) fn listed(mut texts: Vec<String>, more: &str) -> Vec<String> {
    let hidden = texts.len().saturating_sub(LISTED);
    texts.truncate(LISTED);
    if hidden > 0 {
        texts.push(format!("{hidden} {more}"));
    }
    texts
}
