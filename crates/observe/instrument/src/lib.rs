//! Class file and probe plan to instrumented class file.
//!
//! The plan says which edges and throw points are counted; this crate decides nothing, it only finds the place for each
//! counter (Ball & Larus 1994, "Optimally profiling and tracing programs") and keeps everything else as it was: behaviour,
//! exception ranges, frames, debug tables, class version. See `docs/decisions/001-exact-counting.md`.
//!
//! Limits: methods that would exceed 64 KiB and methods whose code makes no sense are left as they
//! were, each with its reason.

mod asked;
mod body;
mod callers;
mod caught;
mod error;
mod frames;
mod initialised;
pub mod insert;
mod method;
mod monitors;
mod placement;
mod runtime;
mod scope;
mod slots;
mod strides;
mod tail;
mod timing;
mod values;

pub use error::RewriteError;
pub use runtime::{
    ASKED_BIT, HELPER_CLASS, HelperOptions, KEEP_METHOD, Keeping, METHOD_BITS, NATIVE_BIT, NOWHERE,
    NUMBERS_FIELD, PAIRS_FIELD, Pair, Pairs, RECEIVER_BITS, RECEIVER_SHIFT, RECEIVERS_FIELD,
    SHARED_CLASSES, SLOTS, THREAD_CALLS_FIELD, THREAD_CELL_FIELD, THREAD_CHUNKS_FIELD,
    THREAD_INDEX_FIELD, THREAD_SLOT_FIELD, Ticks, add_thread_fields, helper_class,
    helper_class_with,
};

pub use timing::{BLOCK_ENTER, BLOCK_LEAVE, rewrite_timed};

use error::MethodError;
use method::{Probes, Shared};
use pricetag_classfile::ClassFile;
use pricetag_classfile::splice::{Edit, splice};
use pricetag_probe_plan::{ClassPlan, MethodOutcome};

/// What the agent chose for one class.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wiring<'a> {
    /// The argument of `Pricetag.chunk`: which class's chunk is meant.
    pub class_index: u32,
    /// Methods whose invocations are observations.
    pub scopes: &'a [ScopeProbe],
    /// Whether exceptions are reported to the helper where they are caught.
    pub caught: bool,
    /// What is counted by calling method, if anything is.
    pub callers: Option<CallerProbes>,
    /// Whether every invocation is written down, in order; with [`Keeping::Fields`] only.
    pub calls: bool,
    /// Calls that are written down before they are made: of each method (its number) and place the number of what is called; ascending; with `calls` only.
    pub asked: &'a [AskedSite],
}

/// A call that is written down before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedSite {
    /// The method's number in its class.
    pub method: u16,
    /// Where in it the invocation stands.
    pub pc: u16,
    /// The number of what is called.
    pub target: u32,
}

/// What is counted by calling method.
#[derive(Clone, Copy, Debug)]
pub struct CallerProbes {
    /// The number of the class's first method among all methods; 0 is nobody's.
    pub first: u32,
    /// Whether passes of loops are.
    pub loops: bool,
    /// Whether invocations are.
    pub invocations: bool,
}

/// A method whose invocations are reported with arguments, beginning and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeProbe {
    /// Passed to `enter` and `exit`.
    pub id: i32,
    /// Name of the method.
    pub method: String,
    /// Its descriptor; every method of that name without one.
    pub descriptor: Option<String>,
}

/// An instrumented class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Methods that were changed.
    pub methods: Vec<RewrittenMethod>,
    /// Methods that were to be counted but are as they were, with the reason.
    pub left: Vec<(u16, String)>,
    /// Methods that are counted, but in which no values are taken, with the reason.
    pub without_values: Vec<(u16, String)>,
    /// Methods that are counted, but neither known as callers nor their loops counted by them, with the reason.
    pub without_callers: Vec<(u16, String)>,
    /// Methods that are counted, but in which it is not reported of what class caught exceptions are, with the reason.
    pub without_caught: Vec<(u16, String)>,
    /// Methods that are counted, but whose calls are not written down before they are made, with the reason.
    pub without_asked: Vec<(u16, String)>,
    /// Scopes that are not reported, with the reason.
    pub refused_scopes: Vec<(i32, String)>,
    /// Scopes that are reported.
    pub scopes: Vec<ScopeMethod>,
    /// Where in the bytes the number of the class stands ([`Wiring::class_index`], two bytes each, big endian), if that is below [`SHARED_CLASSES`]: then nothing else in
    /// them depends on it.
    pub class_index_at: Vec<usize>,
}

/// A method that is a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeMethod {
    /// Of the [`ScopeProbe`].
    pub id: i32,
    /// Name and descriptor.
    pub method: String,
    /// What its parameters are called, where the class file says so.
    pub parameters: Vec<Option<String>>,
}

/// Where the instructions of a changed method went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenMethod {
    /// Index of the method in the class file.
    pub index: u16,
    /// New and original offset of every original instruction, and of inserted code that may be interrupted and belongs to one;
    /// ascending.
    pub pcs: Vec<(u32, u16)>,
}

/// Instruments a class. Without a plan only scopes are wired.
///
/// A method that cannot be rewritten is left as it was; only a class that cannot be read, or a plan that was made for
/// another class, is an error.
pub fn rewrite(
    class: &[u8],
    plan: Option<&ClassPlan>,
    wiring: &Wiring<'_>,
) -> Result<Rewritten, RewriteError> {
    let class = ClassFile::parse(class)?;
    check(&class, plan)?;
    let mut shared = Shared::new(&class, wiring.class_index);
    let mut outcome = Rewritten::default();
    let mut edits = Edits::default();
    let loops = plan.map_or(0, |plan| plan.first_loop(plan.methods.len()));
    let mut next_loop = 0;
    for (index, member) in class.methods().iter().enumerate() {
        let first_loop = next_loop;
        next_loop += plan.map_or(0, |plan| plan.methods[index].loops.len() as u32);
        let takes = plan.map_or_else(Vec::new, |plan| values::of_method(plan, index));
        let depth = plan.and_then(|plan| plan.depth_element(index as u16));
        let transitions = plan.map_or(&[][..], |plan| plan.transitions_of(index as u16));
        let strides = plan.map_or(&[][..], |plan| plan.strides_of(index as u16));
        let plan = plan
            .map(|plan| &plan.methods[index])
            .filter(|plan| plan.outcome == MethodOutcome::Counted);
        let (scopes, refused) = scope::of_method(member, class.constants(), wiring.scopes);
        outcome.refused_scopes.extend(refused);
        if plan.is_none() && scopes.is_empty() {
            continue;
        }
        let probes = Probes {
            counted: plan,
            transitions,
            strides,
            scopes: &scopes,
            timed: None,
            takes: &takes,
            depth,
            caught: wiring.caught,
            called: wiring.calls.then_some(index as u16),
            asked: asked::of_method(wiring.asked, index),
            caller: wiring.callers.map(|callers| callers.first + index as u32),
            first_loop: wiring
                .callers
                .is_some_and(|c| c.loops)
                .then_some(first_loop),
            invocation: wiring
                .callers
                .is_some_and(|c| c.invocations)
                .then_some(loops + index as u32),
            insertions: &[],
        };
        let Tried {
            changed,
            without_values,
            without_callers,
            without_caught,
            without_asked,
            failure,
        } = rewrite_or_retreat(&mut shared, index, probes);
        let valueless = without_values.map(|error| (index as u16, error.to_string()));
        outcome.without_values.extend(valueless);
        let callerless = without_callers.map(|error| (index as u16, error.to_string()));
        outcome.without_callers.extend(callerless);
        let unreported = without_caught.map(|error| (index as u16, error.to_string()));
        outcome.without_caught.extend(unreported);
        let unasked = without_asked.map(|error| (index as u16, error.to_string()));
        outcome.without_asked.extend(unasked);
        if let Some(changed) = changed {
            let pcs = edits.add(changed);
            outcome
                .scopes
                .extend(scope::described(member, class.constants(), &scopes));
            outcome.methods.push(RewrittenMethod {
                index: index as u16,
                pcs,
            });
        } else if let Some(error) = &failure {
            outcome
                .refused_scopes
                .extend(scopes.iter().map(|id| (*id, error.to_string())));
        }
        if let (Some(error), Some(_)) = (failure, plan) {
            outcome.left.push((index as u16, error.to_string()));
        }
    }
    outcome
        .refused_scopes
        .extend(scope::unmatched(&class, wiring.scopes));
    (outcome.bytes, outcome.class_index_at) = edits.apply(&shared);
    Ok(outcome)
}

/// The changed methods of a class, in its order.
#[derive(Default)]
struct Edits {
    methods: Vec<(Edit, Vec<usize>)>,
}

impl Edits {
    /// Adds a method; returns where its instructions went.
    fn add(&mut self, changed: method::Changed) -> Vec<(u32, u16)> {
        self.methods.push((changed.code, changed.class_index_at));
        changed.pcs
    }

    /// The class file with these methods and the constants they need, and where in it the number of the class stands.
    fn apply(self, shared: &Shared<'_, '_>) -> (Vec<u8>, Vec<usize>) {
        let mut edits = Vec::new();
        if !self.methods.is_empty() {
            edits = shared.constants.edits();
        }
        let mut class_index_at = Vec::new();
        let mut grown: usize = edits.iter().map(|edit| edit.bytes.len()).sum();
        let mut gone: usize = edits.iter().map(|edit| edit.range.len()).sum();
        for (edit, at) in self.methods {
            let begin = edit.range.start + grown - gone;
            class_index_at.extend(at.into_iter().map(|at| begin + at));
            grown += edit.bytes.len();
            gone += edit.range.len();
            edits.push(edit);
        }
        (splice(shared.class.bytes(), &edits), class_index_at)
    }
}

/// What came of a method.
#[derive(Default)]
struct Tried {
    changed: Option<method::Changed>,
    /// Why it is counted without taking values.
    without_values: Option<MethodError>,
    /// Why it is counted without regard to callers.
    without_callers: Option<MethodError>,
    without_caught: Option<MethodError>,
    without_asked: Option<MethodError>,
    /// Why it is not counted, or not changed at all.
    failure: Option<MethodError>,
}

/// Rewrites a method; if that fails, without writing down what it calls; without regard to callers; without reporting caught exceptions; without taking values; if it cannot be
/// counted, wires at least its scopes.
fn rewrite_or_retreat(shared: &mut Shared<'_, '_>, index: usize, mut probes: Probes<'_>) -> Tried {
    let mut tried = Tried::default();
    let mut result = method::rewrite(shared, index, probes);
    if !probes.asked.is_empty()
        && let Err(error) = result
    {
        probes.asked = &[];
        tried.without_asked = Some(error);
        result = method::rewrite(shared, index, probes);
    }
    if probes.caller.take().is_some()
        && let Err(error) = result
    {
        tried.without_callers = Some(error);
        result = method::rewrite(shared, index, probes);
    }
    if probes.caught
        && let Err(error) = result
    {
        probes.caught = false;
        tried.without_caught = Some(error);
        result = method::rewrite(shared, index, probes);
    }
    match result {
        Ok(changed) => tried.changed = Some(changed),
        Err(error) => tried.failure = Some(error),
    }
    if tried.failure.is_some() && !probes.takes.is_empty() {
        let counters = Probes {
            takes: &[],
            ..probes
        };
        if let Ok(changed) = method::rewrite(shared, index, counters) {
            tried.changed = Some(changed);
            tried.without_values = tried.failure.take();
        }
    }
    if tried.failure.is_some() && probes.counted.is_some() && !probes.scopes.is_empty() {
        let scopes = Probes {
            scopes: probes.scopes,
            ..Probes::default()
        };
        tried.changed = method::rewrite(shared, index, scopes).ok();
    }
    if tried.failure.is_some() {
        (tried.without_callers, tried.without_caught) = (None, None);
        tried.without_asked = None;
    }
    tried
}

/// Refuses a plan that was made for another class.
fn check(class: &ClassFile<'_>, plan: Option<&ClassPlan>) -> Result<(), RewriteError> {
    let Some(plan) = plan else { return Ok(()) };
    let same = plan.name == class.name()
        && plan.methods.len() == class.methods().len()
        && plan.bytes as usize == class.bytes().len();
    if same {
        Ok(())
    } else {
        Err(RewriteError::ForeignPlan {
            class: class.name(),
            plan: plan.name.clone(),
        })
    }
}
