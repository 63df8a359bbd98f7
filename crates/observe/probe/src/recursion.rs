//! Which methods have a depth of recursion.
//!
//! A class is planned alone, when it is loaded: what the code that it calls may call is not known. So there are two rules. By default it is the methods in a cycle of calls within the class, as
//! far as the named targets tell: a virtual call through a superclass or an interface may reach the method of this class that answers to it. On request
//! it is every method that may run *unknown* code, straight or by way of others of its class, since that code may call it again: recursion through several classes, through lambdas
//! (whose bodies are methods, called through an interface), through collections, and of constructors. Unknown is what a call to another class
//! runs, unless that is one of the JDK's that call nothing back, a call that a subclass may answer, and what `invokedynamic` links.
//!
//! The depth of a constructor begins where its object is initialised: before, an exception would leave it too large.
//!
//! Not seen: recursion through class initialisers and finalisers that no call stands for.

use std::collections::BTreeMap;

use pricetag_classfile::class::{ACC_FINAL, ACC_PRIVATE, ACC_STATIC};
use pricetag_classfile::opcode as op;
use pricetag_graph::{Digraph, strongly_connected};
use pricetag_probe_plan::{CallSite, MethodOutcome, MethodPlan};

/// Classes none of whose methods call anything of the program.
const CLOSED: [&str; 10] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Short",
    "java/lang/StrictMath",
];

/// The methods that have a depth, ascending: those in a cycle within the class, or `all` that may be reached again while they are active.
pub(crate) fn recursive(class: &str, methods: &[MethodPlan], all: bool) -> Vec<u16> {
    let calls = calls(class, methods);
    let chosen = if all {
        open(class, methods, &calls)
    } else {
        vec![false; methods.len()]
    };
    let graph = Digraph::new(methods.len() as u32, calls.iter().copied());
    let components = strongly_connected(&graph);
    let cyclic = |number: u32| {
        let component = components.of(number);
        let members = component.map_or(0, |c| components.members_of(c).len());
        members > 1 || calls.contains(&(number, number))
    };
    let counted = |number: &u32| {
        let method = &methods[*number as usize];
        method.outcome == MethodOutcome::Counted
            && !method.throw_points.is_empty()
            && (!method.name.starts_with('<') || all && method.name == "<init>")
    };
    let numbers = 0..methods.len() as u32;
    let found = numbers
        .filter(counted)
        .filter(|number| chosen[*number as usize] || cyclic(*number));
    found.map(|number| number as u16).collect()
}

/// Which method may call which of the class.
fn calls(class: &str, methods: &[MethodPlan]) -> Vec<(u32, u32)> {
    let numbers: BTreeMap<(&str, &str), u32> = (0..)
        .zip(methods)
        .map(|(number, m)| ((m.name.as_str(), m.descriptor.as_str()), number))
        .collect();
    let mut calls = Vec::new();
    for (from, method) in (0..).zip(methods) {
        let sites = method.blocks.iter().flat_map(|block| &block.calls);
        let targets = sites.filter_map(|call| {
            let key = (call.name.as_str(), call.descriptor.as_str());
            let to = *numbers.get(&key)?;
            let answers = matches!(call.opcode, op::INVOKEVIRTUAL | op::INVOKEINTERFACE)
                && methods[to as usize].access & (ACC_PRIVATE | ACC_STATIC) == 0;
            (call.owner == *class || answers).then_some((from, to))
        });
        calls.extend(targets);
    }
    calls
}

/// Methods that may run unknown code, straight or by way of others of the class.
fn open(class: &str, methods: &[MethodPlan], calls: &[(u32, u32)]) -> Vec<bool> {
    let unknown = |call: &CallSite| {
        if call.opcode == op::INVOKEDYNAMIC {
            return true;
        }
        if call.owner != *class {
            let makes_object = call.owner == "java/lang/Object" && call.name == "<init>";
            return !makes_object && !CLOSED.contains(&call.owner.as_str());
        }
        let bound = matches!(call.opcode, op::INVOKESTATIC | op::INVOKESPECIAL);
        let named = methods
            .iter()
            .find(|m| call.name == *m.name && call.descriptor == *m.descriptor);
        // What is not declared here is inherited.
        !named.is_some_and(|m| bound || m.access & (ACC_PRIVATE | ACC_FINAL) != 0)
    };
    let straight = methods.iter().map(|method| {
        let mut sites = method.blocks.iter().flat_map(|block| &block.calls);
        sites.any(unknown)
    });
    let mut open: Vec<bool> = straight.collect();
    let mut todo: Vec<u32> = (0..)
        .zip(&open)
        .filter_map(|(number, open)| open.then_some(number))
        .collect();
    while let Some(to) = todo.pop() {
        for (from, _) in calls.iter().filter(|(_, callee)| *callee == to) {
            if !std::mem::replace(&mut open[*from as usize], true) {
                todo.push(*from);
            }
        }
    }
    open
}
