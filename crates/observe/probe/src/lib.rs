//! Class file to probe plan: which probes stand where, decided once per class.
//!
//! Counters stand on the edges outside a maximum spanning tree of the control-flow graph (Knuth & Stevenson 1973; Ball &
//! Larus 1994); every instruction that may throw has a counter for its exceptions, every handler one for its entries.
//! `docs/decisions/001-exact-counting.md` says why and how the rest is derived.
//!
//! | question | module |
//! |---|---|
//! | which instructions may throw, and when is `this` initialised | [`throwing`] |
//! | which edges carry a counter | [`placement`], by how often each is likely passed (`frequency`) |
//! | would the instrumented method surely be too large | [`limits`] |
//! | which variables are assigned where | `variables` |
//! | which branches have their changes of outcome counted | `transitions` |
//! | at which array reads strides are counted | `strides` |

mod frequency;
pub mod limits;
mod method;
pub mod placement;
mod recursion;
mod strides;
pub mod throwing;
mod transitions;
mod variables;

use std::collections::BTreeSet;

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::{
    BlockId, ClassHash, ClassPlan, CounterIndex, MethodOutcome, PLAN_VERSION, Pc,
};

use variables::Variables;

/// Hands out the counters of a class, densely and in order.
#[derive(Debug, Default)]
pub struct Counters {
    next: u32,
}

impl Counters {
    /// The next counter.
    pub fn take(&mut self) -> CounterIndex {
        self.next += 1;
        CounterIndex(self.next - 1)
    }
}

/// Why a method is to be left uncounted, given name and descriptor; none if it is not.
pub type Left<'l> = &'l dyn Fn(&str, &str) -> Option<String>;

/// Whether a method is meant, given name and descriptor.
pub type Chosen<'c> = &'c dyn Fn(&str, &str) -> bool;

/// Whether a loop of a method is meant, given name, descriptor and where its header begins.
pub type ChosenLoop<'c> = &'c dyn Fn(&str, &str, Pc) -> bool;

/// The blocks of a method whose counts are asked for, given name and descriptor; none if those of all are.
pub type Listed<'l> = &'l dyn Fn(&str, &str) -> Option<BTreeSet<BlockId>>;

/// What is wanted of a class beside its counts.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Why a method (name, descriptor) is to be left uncounted; all are counted without.
    pub left: Option<Left<'w>>,
    /// Which loops have no probes; all have some without.
    pub no_loop: Option<ChosenLoop<'w>>,
    /// Which blocks' counts are asked for; those of all without. Methods without any are to be left.
    pub listed: Option<Listed<'w>>,
    /// Which values are recorded.
    pub values: Option<Values>,
    /// Whether none are in a method (name, descriptor).
    pub no_values: Option<Chosen<'w>>,
    /// In which loops none are.
    pub no_values_in_loop: Option<ChosenLoop<'w>>,
    /// Whether changes of the outcome of branches are counted.
    pub transitions: bool,
    /// Whether reads of arrays that leave a cache line are counted.
    pub strides: bool,
}

/// Which values are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// Whether lengths of arrays and strings and sizes of collections are, too.
    pub lengths: bool,
    /// Whether every method that may be reached again while it is active has a depth, and not only those in a cycle of calls within the class.
    pub depths: bool,
}

/// Plans the probes of a class. `bytes` are those `class` was parsed from.
///
/// A method that cannot be counted is planned as left, with the reason; the plan itself always succeeds.
pub fn plan(class: &ClassFile<'_>, bytes: &[u8]) -> ClassPlan {
    plan_with(class, bytes, Wanted::default())
}

/// Plans the probes of a class, with a say in what is probed.
pub fn plan_with(class: &ClassFile<'_>, bytes: &[u8], wanted: Wanted<'_>) -> ClassPlan {
    let mut counters = Counters::default();
    let mut names = method::Names::of(class);
    let scope = throwing::ClassScope::of(class);
    let mut values = wanted.values.map(|values| Variables::of(class, values));
    let mut transitions = wanted.transitions.then(Vec::new);
    let mut strides = wanted.strides.then(Vec::new);
    let mut methods = Vec::with_capacity(class.methods().len());
    let left = wanted.left.unwrap_or(&|_, _| None);
    let no_loop = wanted.no_loop.unwrap_or(&|_, _, _| false);
    let listed = wanted.listed.unwrap_or(&|_, _| None);
    for (index, member) in class.methods().iter().enumerate() {
        let found = values.as_mut().map(|values| {
            let name = member.name(class.constants());
            let descriptor = member.descriptor(class.constants());
            let removed = wanted.no_values.is_some_and(|no| no(&name, &descriptor));
            values.assignments(class, index, removed)
        });
        let assigning: &BTreeSet<Pc> = found.as_ref().unwrap_or(const { &BTreeSet::new() });
        let asked = |assigning| method::Asked {
            left,
            no_loop,
            listed,
            assigning,
        };
        let mut plan = method::plan(
            class,
            &scope,
            member,
            &mut names,
            &mut counters,
            asked(assigning),
        );
        if plan.outcome != MethodOutcome::Counted && !assigning.is_empty() {
            // It may be countable without the probes that take values.
            let none = &BTreeSet::new();
            plan = method::plan(
                class,
                &scope,
                member,
                &mut names,
                &mut counters,
                asked(none),
            );
            values.iter_mut().for_each(Variables::give_up);
        }
        if let Some(values) = &mut values {
            let no_loop = wanted.no_values_in_loop.unwrap_or(&|_, _, _| false);
            values.keep(index, &plan, no_loop);
        }
        if let Some(transitions) = &mut transitions {
            transitions.extend(transitions::of_method(class, index, &plan, &mut counters));
        }
        if let Some(strides) = &mut strides {
            let beside = if wanted.transitions {
                transitions::most_bytes(&plan)
            } else {
                0
            };
            strides.extend(strides::of_method(
                class,
                index,
                &plan,
                beside,
                &mut counters,
            ));
        }
        methods.push(plan);
    }
    let name = class.name();
    let values = values.map(|values| values.into_plan(&name, &methods));
    ClassPlan {
        version: PLAN_VERSION,
        hash: ClassHash::of(bytes),
        name,
        super_name: class.super_name(),
        interfaces: class.interfaces(),
        source_file: class.source_file(),
        access: class.access(),
        major: class.major(),
        bytes: bytes.len() as u32,
        counters: counters.next,
        methods,
        values,
        transitions,
        strides,
    }
}
