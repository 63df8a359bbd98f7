//! Exceptions at each handler by their class at run time: `C.m(int) handler 0 at block 1 caught java.lang.ArithmeticException (C.java:7)`.
//!
//! Unlike what [`crate::thrown`] derives from counts, these are reports of what arrived, from counted and uncounted code alike. A report may be missing
//! (no room on the stack, an end in the middle): against the handler's own count the rest is of *unknown class*, so that the columns of a handler add up to its
//! entries. More reports than entries are a contradiction, which the row states.

use std::collections::BTreeMap;

use pricetag_classfile::naming;
use pricetag_dataset::{DatasetBuilder, Feature};
use pricetag_probe_plan::{ClassHash, CounterIndex, MethodCounts, MethodPlan};
use pricetag_trace::{Record, Trace};

use crate::describe::{MethodFeatures, inserted};
use crate::row::Sums;

/// Arrivals by the class and counter of the handler, and by internal name of the exception's class.
pub(crate) type Arrivals = BTreeMap<(ClassHash, CounterIndex), BTreeMap<String, u64>>;

/// Arrivals by invocation, and by none for the whole run; nothing where they were not recorded.
pub(crate) type ByInvocation = BTreeMap<Option<u64>, Arrivals>;

/// Adds arrivals to those of a run or invocation.
pub(crate) fn add(known: &mut Arrivals, arrivals: &[pricetag_trace::Arrivals]) {
    for here in arrivals {
        let classes = known.entry((here.hash, here.handler)).or_default();
        *classes.entry(here.class.clone()).or_default() += here.count;
    }
}

/// All arrivals of a trace.
pub(crate) fn of(trace: &Trace) -> ByInvocation {
    let mut all = ByInvocation::new();
    for record in &trace.records {
        let Record::Caught(caught) = record else {
            continue;
        };
        add(all.entry(caught.invocation).or_default(), &caught.arrivals);
    }
    all
}

impl Sums {
    /// Adds what arrived at the handlers of a method of the class with this hash.
    pub(crate) fn add_caught(
        &mut self,
        (hash, method): (ClassHash, &MethodPlan),
        features: &MethodFeatures,
        counts: &MethodCounts,
        arrivals: &Arrivals,
        builder: &mut DatasetBuilder,
    ) {
        let handlers = method.handlers.iter().zip(&counts.handlers);
        for ((handler, &entries), described) in handlers.zip(&features.handlers) {
            let classes = arrivals.get(&(hash, handler.counter));
            let mut reported = 0;
            for (class, count) in classes.into_iter().flatten() {
                let feature = feature(described, &naming::class(class));
                self.count(&feature, *count as f64, builder);
                reported += count;
            }
            match entries.checked_sub(reported) {
                Some(0) => {}
                Some(rest) => {
                    self.count(&feature(described, "unknown class"), rest as f64, builder);
                }
                None => self.contradictions.push(format!(
                    "{}: {reported} exceptions are reported, but only {entries} arrived",
                    described.name
                )),
            }
        }
    }
}

/// The feature of a class at a handler, from the handler's own.
fn feature(handler: &Feature, class: &str) -> Feature {
    Feature {
        name: inserted(handler, &format!("caught {class}")),
        text: Some(
            "exceptions of this class that arrived at the handler, whoever threw them".to_owned(),
        ),
        ..handler.clone()
    }
}
