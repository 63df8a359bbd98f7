//! Calling context one level up: how often each method was called from which method.
//!
//! The calls that a call site made are known exactly from the counts of the calling method, so the split costs no probe.
//! What a call arrives at is decided as in class hierarchy analysis (Dean, Grove & Chambers 1995) over the counted classes
//! of the run: the method found from the named class upwards, and whatever overrides it below. Where nothing overrides it, the
//! count is that of the method's invocations from there; else the feature counts the calls of all implementations together and
//! says how many there are.
//!
//! Deviations and limits: a call that throws before it arrives (no receiver, no room on the stack) is counted; calls out of
//! uncounted code, by reflection and of lambda bodies have no calling method here; an uncounted class may override a method
//! unseen. Loops are not split: see `docs/decisions/007-calling-context.md`.

use std::collections::BTreeSet;

use pricetag_classfile::opcode as op;
use pricetag_dataset::{DatasetBuilder, Feature, FeatureId, FeatureKind};
use pricetag_probe_plan::{CallSite, ClassPlan, MethodCounts, MethodOutcome, MethodPlan};

use crate::describe::MethodFeatures;
use crate::leaving::{Counted, Leaving};
use crate::naming;

/// JVM access flags: private, static, final.
const BOUND: u16 = 0x0002 | 0x0008 | 0x0010;
/// JVM access flag of abstract methods.
const ABSTRACT: u16 = 0x0400;

/// The calls that one method made, by the counted method they name.
pub(crate) fn calls_from(
    caller: &MethodFeatures,
    method: &MethodPlan,
    counts: &MethodCounts,
    leaving: &mut Leaving,
    builder: &mut DatasetBuilder,
) -> Vec<(FeatureId, u64)> {
    let sites = method.call_sites(counts);
    let targets = caller.calls.iter().flatten();
    let mut made = Vec::new();
    for ((call, times), target) in sites.zip(targets).filter(|((_, n), _)| *n > 0) {
        let Leaving {
            contexts, counted, ..
        } = &mut *leaving;
        let key = (caller.number, *target, call.opcode);
        let feature = contexts.entry(key).or_insert_with(|| {
            let callee = Callee::of(counted, call)?;
            Some(builder.intern(callee.feature(call, &caller.shown)))
        });
        made.extend(feature.map(|id| (id, times)));
    }
    made
}

/// What a call names, and what may run.
struct Callee<'a> {
    class: &'a ClassPlan,
    implementations: usize,
}

impl<'a> Callee<'a> {
    /// None where the call names no method of a counted class.
    fn of(counted: &'a Counted, call: &CallSite) -> Option<Self> {
        if call.opcode == op::INVOKEDYNAMIC {
            return None;
        }
        let class = declaring(counted, call)?;
        let method = declared(class, call)?;
        let own = usize::from(method.access & ABSTRACT == 0);
        let bound = method.access & BOUND != 0
            || matches!(call.opcode, op::INVOKESTATIC | op::INVOKESPECIAL);
        let overriding = if bound {
            0
        } else {
            let below = counted.plans().filter(|c| c.name != class.name);
            let overrides = |c: &&std::rc::Rc<ClassPlan>| {
                declared(c, call).is_some_and(|m| m.access & (BOUND & 0x000a | ABSTRACT) == 0)
                    && is_below(counted, c, &class.name)
            };
            below.filter(overrides).count()
        };
        Some(Self {
            class,
            implementations: own + overriding,
        })
    }

    fn feature(&self, call: &CallSite, caller: &str) -> Feature {
        let callee = naming::method(&self.class.name, &call.name, &call.descriptor);
        Feature {
            name: format!("{callee} called from {caller}"),
            kind: FeatureKind::Context,
            unit: "1".to_owned(),
            class: Some(self.class.name.clone()),
            method: Some(call.name.clone()),
            descriptor: Some(call.descriptor.clone()),
            source_file: self.class.source_file.clone(),
            text: Some(match self.implementations {
                0 | 1 => "calls made there".to_owned(),
                n => format!("calls made there, of {n} implementations together"),
            }),
            ..Feature::default()
        }
    }
}

fn declared<'a>(class: &'a ClassPlan, call: &CallSite) -> Option<&'a MethodPlan> {
    let mut methods = class.methods.iter();
    let found = methods.find(|m| m.name == call.name && m.descriptor == call.descriptor)?;
    let reached = match &found.outcome {
        MethodOutcome::Counted => true,
        MethodOutcome::NoCode => found.access & ABSTRACT != 0,
        MethodOutcome::Left(_) => false,
    };
    reached.then_some(found)
}

/// The counted class that declares what a call names: the named one, a superclass, or an interface of these.
fn declaring<'a>(counted: &'a Counted, call: &CallSite) -> Option<&'a ClassPlan> {
    let mut supers = Vec::new();
    let mut next = counted.plan(&call.owner);
    while let Some(class) = next {
        // A hierarchy of loaded classes has no cycle; plans that do not belong together may have one.
        if supers.iter().any(|s: &&ClassPlan| s.name == class.name) {
            break;
        }
        if declared(class, call).is_some() {
            return Some(class);
        }
        supers.push(&**class);
        next = class
            .super_name
            .as_ref()
            .and_then(|name| counted.plan(name));
    }
    let mut open: Vec<&str> = supers
        .iter()
        .flat_map(|c| &c.interfaces)
        .map(String::as_str)
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some(class) = counted.plan(name).filter(|_| seen.insert(name)) else {
            continue;
        };
        if declared(class, call).is_some() {
            return Some(class);
        }
        open.extend(class.interfaces.iter().map(String::as_str));
    }
    None
}

/// Whether a class has another one above it, as far as the counted classes tell.
fn is_below(counted: &Counted, class: &ClassPlan, above: &str) -> bool {
    let supers = |c: &ClassPlan| -> Vec<String> {
        c.interfaces.iter().chain(&c.super_name).cloned().collect()
    };
    let mut open = supers(class);
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == above {
            return true;
        }
        if let Some(class) = counted.plan(&name) {
            let more = supers(class);
            if seen.insert(name) {
                open.extend(more);
            }
        }
    }
    false
}
