//! Calling context one level up: how often each method was called from which method.
//!
//! The calls that a call site made are known exactly from the counts of the calling method, so the split costs no probe.
//! What a call arrives at is decided as in class hierarchy analysis (Dean, Grove & Chambers 1995) over the counted classes
//! of the run: the methods that objects of the named class and of those below it have or inherit. If it is one, the
//! count is that of the method's invocations from there; else the feature counts the calls of all implementations together, under
//! the one found from the named class upwards, and says how many there are, the most of any run.
//!
//! Deviations and limits: a call that throws before it arrives (no receiver, no room on the stack) is counted; calls out of
//! uncounted code, by reflection and of lambda bodies have no calling method here; an uncounted class may override a method
//! unseen; of two classes of one name in a run the one listed last stands for both as callee. Passes of loops are observed
//! instead: see [`crate::callers`] and `docs/decisions/007-calling-context.md`.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_classfile::opcode as op;
use pricetag_dataset::{DatasetBuilder, Feature, FeatureId, FeatureKind};
use pricetag_probe_plan::{CallSite, ClassPlan, MethodCounts, MethodOutcome, MethodPlan};

use crate::describe::MethodFeatures;
use crate::leaving::{Counted, Known, Leaving};

/// JVM access flags: private, static, final.
const BOUND: u16 = 0x0002 | 0x0008 | 0x0010;
/// JVM access flags: private, static.
const UNINHERITED: u16 = 0x0002 | 0x0008;
/// JVM access flag of abstract methods and classes.
const ABSTRACT: u16 = 0x0400;

/// How many implementations the calls of a column may reach, by its name: the most that any run had.
pub(crate) type Implementations = BTreeMap<String, usize>;

/// The calls that one method made, by the counted method they name; of a method of that name none, unless all sites that may call it are known.
pub(crate) fn calls_from(
    caller: &MethodFeatures,
    method: &MethodPlan,
    counts: &MethodCounts,
    leaving: &mut Leaving,
    builder: &mut DatasetBuilder,
) -> Vec<(FeatureId, u64)> {
    let sites = method
        .call_sites(counts)
        .map(|(call, n)| (call, n.unwrap_or(0)));
    let targets = caller.calls.iter().flatten();
    let mut made = Vec::new();
    for ((call, times), target) in sites.zip(targets).filter(|((_, n), _)| *n > 0) {
        let Leaving {
            contexts,
            counted,
            fresh,
            ..
        } = &mut *leaving;
        let key = (caller.number, *target, call.opcode);
        let feature = contexts.entry(key).or_insert_with(|| {
            let callee = Callee::of(counted, call)?;
            let id = builder.intern(callee.feature(call, &caller.shown));
            fresh.push((id, callee.implementations));
            Some(id)
        });
        made.extend(feature.map(|id| (id, times)));
    }
    made
}

/// Says in the columns that are new in this run how many implementations they may reach.
pub(crate) fn describe(
    leaving: &mut Leaving,
    known: &mut Implementations,
    builder: &mut DatasetBuilder,
) {
    for (id, implementations) in leaving.fresh.drain(..) {
        let name = builder.features()[id.0 as usize].name.clone();
        let most = known.entry(name).or_default();
        *most = implementations.max(*most);
        let text = match most {
            0 | 1 => "calls made there".to_owned(),
            n => format!("calls made there, of {n} implementations together"),
        };
        builder.describe(id, text);
    }
}

/// What a call names, and how many methods may run.
struct Callee<'a> {
    class: &'a ClassPlan,
    shown: &'a str,
    implementations: usize,
}

impl<'a> Callee<'a> {
    /// None where the call names no method of a counted class.
    fn of(counted: &'a Counted, call: &CallSite) -> Option<Self> {
        if call.opcode == op::INVOKEDYNAMIC {
            return None;
        }
        let (known, index) = found(counted, counted.known(&call.owner)?, call, 0)?;
        let access = known.plan.methods[index].access;
        let bound =
            access & BOUND != 0 || matches!(call.opcode, op::INVOKESTATIC | op::INVOKESPECIAL);
        Some(Self {
            class: &known.plan,
            shown: &known.names[index],
            implementations: if bound { 1 } else { reachable(counted, call) },
        })
    }

    fn feature(&self, call: &CallSite, caller: &str) -> Feature {
        Feature {
            name: format!("{} called from {caller}", self.shown),
            kind: FeatureKind::Context,
            unit: "1".to_owned(),
            class: Some(self.class.name.clone()),
            method: Some(call.name.to_string()),
            descriptor: Some(call.descriptor.to_string()),
            source_file: self.class.source_file.clone(),
            ..Feature::default()
        }
    }
}

/// How many methods a call may reach: those that objects of the named class, and of the classes below it, have or inherit.
fn reachable(counted: &Counted, call: &CallSite) -> usize {
    let receivers = counted.known(&call.owner).into_iter();
    let receivers = receivers.chain(counted.below(&call.owner));
    let instantiable = receivers.filter(|c| c.plan.access & ABSTRACT == 0);
    let methods = instantiable.filter_map(|c| found(counted, c, call, UNINHERITED | ABSTRACT));
    let methods = methods.map(|(known, _)| known.plan.name.as_str());
    methods.collect::<BTreeSet<_>>().len()
}

/// A class's method that a call names, if it has one without these flags: its place, or that it is not counted.
fn declared(class: &ClassPlan, call: &CallSite, without: u16) -> Option<Result<usize, ()>> {
    let fits = |m: &MethodPlan| {
        call.name == *m.name && call.descriptor == *m.descriptor && m.access & without == 0
    };
    let index = class.methods.iter().position(fits)?;
    let method = &class.methods[index];
    let reached = match &method.outcome {
        MethodOutcome::Counted => true,
        MethodOutcome::NoCode => method.access & ABSTRACT != 0,
        MethodOutcome::Left(_) => false,
    };
    Some(if reached { Ok(index) } else { Err(()) })
}

/// The counted method without these flags that a call finds from a class: its own, a superclass's, or that of an interface of these.
fn found<'a>(
    counted: &'a Counted,
    from: &'a Known,
    call: &CallSite,
    without: u16,
) -> Option<(&'a Known, usize)> {
    let mut supers: Vec<&Known> = Vec::new();
    let mut next = Some(from);
    while let Some(class) = next {
        // A hierarchy of loaded classes has no cycle; plans that do not belong together may have one.
        if supers.iter().any(|s| s.plan.name == class.plan.name) {
            break;
        }
        if let Some(at) = declared(&class.plan, call, without) {
            return at.ok().map(|index| (class, index));
        }
        supers.push(class);
        let parent = class.plan.super_name.as_ref();
        next = parent.and_then(|name| counted.known(name));
    }
    let interfaces = |class: &'a Known| class.plan.interfaces.iter().map(String::as_str);
    let mut open: Vec<&str> = supers.into_iter().flat_map(interfaces).collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some(class) = counted.known(name).filter(|_| seen.insert(name)) else {
            continue;
        };
        if let Some(at) = declared(&class.plan, call, without) {
            return at.ok().map(|index| (class, index));
        }
        open.extend(interfaces(class));
    }
    None
}
