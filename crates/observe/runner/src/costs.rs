//! The costs of an observation: their names and units, and where a trace has them.
//!
//! CPU time and bytes of an invocation are its thread's, or all threads' where the scope is of all. It has neither heap nor time of collections: both are the whole JVM's, whatever its other threads do.

use std::collections::BTreeMap;

use pricetag_dataset::QUEUED;
use pricetag_trace::{ProcessCosts, Record, Scope, Trace};

/// Unit of every cost.
pub(crate) fn cost_units(scope: &Scope) -> BTreeMap<String, String> {
    let names: &[(&str, &str)] = match scope {
        Scope::Main => &[
            ("wall", "ns"),
            ("main_wall", "ns"),
            ("cpu", "ns"),
            ("thread_cpu", "ns"),
            ("alloc", "byte"),
            ("heap_used", "byte"),
            ("collections", "1"),
            ("collection_time", "ns"),
            (QUEUED, "ns"),
        ],
        Scope::Method(_) => &[
            ("wall", "ns"),
            ("cpu", "ns"),
            ("alloc", "byte"),
            ("collections", "1"),
        ],
    };
    names
        .iter()
        .map(|(name, unit)| ((*name).to_owned(), (*unit).to_owned()))
        .collect()
}

/// Names of the costs that observations of a scope have.
pub fn costs_of(scope: &Scope) -> Vec<String> {
    cost_units(scope).into_keys().collect()
}

/// The costs of the whole process, as recorded.
pub(crate) fn process_costs(trace: &Trace) -> Option<ProcessCosts> {
    trace.records.iter().find_map(|r| match r {
        Record::Process(costs) => Some(costs.clone()),
        _ => None,
    })
}

/// How long the thread of `main` waited for a processor, if that was recorded.
pub(crate) fn queued(trace: &Trace) -> Option<(&'static str, f64)> {
    trace.records.iter().find_map(|r| match r {
        Record::Queued(ns) => Some((QUEUED, *ns as f64)),
        _ => None,
    })
}

pub(crate) fn named_costs(p: &ProcessCosts) -> Vec<(&'static str, f64)> {
    let mut costs = vec![
        ("wall", p.wall_ns as f64),
        ("cpu", p.cpu_ns as f64),
        ("thread_cpu", p.thread_cpu_ns as f64),
        ("alloc", p.allocated_bytes as f64),
        ("heap_used", p.heap_used_bytes as f64),
        ("collections", f64::from(p.collections)),
        ("collection_time", p.collection_ns as f64),
    ];
    costs.extend(p.main_wall_ns.map(|ns| ("main_wall", ns as f64)));
    costs
}
