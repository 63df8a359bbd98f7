//! Everything that can be recorded of a class at once.

use pricetag_instrument::{AskedSite, CallerProbes};
use pricetag_probe::{Values, Wanted};
use pricetag_probe_plan::ClassPlan;

/// Opcode of the only invocation that names no method.
const INVOKEDYNAMIC: u8 = 186;

/// All calls of a class, each with a number of its own.
pub(crate) fn asked(plan: &ClassPlan) -> Vec<AskedSite> {
    let methods = (0..).zip(&plan.methods);
    let calls = methods.flat_map(|(index, method)| {
        let calls = method.blocks.iter().flat_map(|block| &block.calls);
        let calls = calls.filter(|call| call.opcode != INVOKEDYNAMIC);
        calls.map(move |call| (index, call.pc.0))
    });
    let mut places: Vec<(u16, u16)> = calls.collect();
    places.sort_unstable();
    let sites = (0..)
        .zip(places)
        .map(|(target, (method, pc))| AskedSite { method, pc, target });
    sites.collect()
}

/// What a plan of everything is asked for.
pub(crate) fn wanted() -> Wanted<'static> {
    Wanted {
        values: Some(Values {
            lengths: true,
            depths: true,
        }),
        transitions: true,
        strides: true,
        ..Wanted::default()
    }
}

/// All that is counted by calling method.
pub(crate) const CALLERS: CallerProbes = CallerProbes {
    first: 1,
    loops: true,
    invocations: true,
};
