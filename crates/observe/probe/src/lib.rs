//! Class file to probe plan: which probes stand where, decided once per class.
//!
//! Counters stand on the edges outside a maximum spanning tree of the control-flow graph (Knuth & Stevenson 1973; Ball &
//! Larus 1994); every instruction that may throw has a counter for its exceptions, every handler one for its entries.
//! `docs/decisions/001-exact-counting.md` says why and how the rest is derived.
//!
//! | question | module |
//! |---|---|
//! | which instructions may throw, and when is `this` initialised | [`throwing`] |
//! | which edges carry a counter | [`placement`] |
//! | would the instrumented method surely be too large | [`limits`] |

pub mod limits;
mod method;
pub mod placement;
pub mod throwing;

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::{ClassHash, ClassPlan, CounterIndex, PLAN_VERSION};

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

/// Plans the probes of a class. `bytes` are those `class` was parsed from.
///
/// A method that cannot be counted is planned as left, with the reason; the plan itself always succeeds.
pub fn plan(class: &ClassFile<'_>, bytes: &[u8]) -> ClassPlan {
    plan_without(class, bytes, &|_, _| None)
}

/// Plans the probes of a class, but not those of the methods (name, descriptor) for which `left` has a reason.
pub fn plan_without(
    class: &ClassFile<'_>,
    bytes: &[u8],
    left: &dyn Fn(&str, &str) -> Option<String>,
) -> ClassPlan {
    let mut counters = Counters::default();
    let scope = throwing::ClassScope::of(class);
    let methods = class
        .methods()
        .iter()
        .map(|m| method::plan(class, &scope, m, &mut counters, left))
        .collect();
    ClassPlan {
        version: PLAN_VERSION,
        hash: ClassHash::of(bytes),
        name: class.name(),
        super_name: class.super_name(),
        interfaces: class.interfaces(),
        source_file: class.source_file(),
        access: class.access(),
        major: class.major(),
        bytes: bytes.len() as u32,
        counters: counters.next,
        methods,
    }
}
