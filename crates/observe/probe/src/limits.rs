//! Whether an instrumented method would surely exceed what a class file can hold.
//!
//! The sizes are lower bounds: jumps that have to be widened and frames are not counted. A method that passes may still
//! turn out too large when it is rewritten; the rewriter then leaves it as it was.

use std::collections::BTreeSet;

use pricetag_classfile::Code;
use pricetag_probe_plan::{CounterIndex, MethodPlan, Pc};

use crate::method::Refusal;

/// Longest code, in bytes (JVMS §4.7.3: `code_length` is less than 65536).
const CODE_LIMIT: u64 = 65_535;
/// Most local variable slots.
const LOCALS_LIMIT: u64 = 65_535;

/// Refuses a method whose instrumented form cannot fit, with the values it is to take.
pub(crate) fn check(
    code: &Code<'_>,
    plan: &MethodPlan,
    assigning: &BTreeSet<Pc>,
) -> Result<(), Refusal> {
    let locals = u64::from(code.max_locals) + 2;
    if locals > LOCALS_LIMIT {
        return Err(Refusal::TooLarge {
            what: "local variables",
            value: locals,
            limit: LOCALS_LIMIT,
        });
    }
    let bytes = least_bytes(code, plan) + least_takes(code, plan, assigning);
    if bytes > CODE_LIMIT {
        return Err(Refusal::TooLarge {
            what: "instrumented code",
            value: bytes,
            limit: CODE_LIMIT,
        });
    }
    Ok(())
}

/// At least so many bytes long is the instrumented method.
pub fn least_bytes(code: &Code<'_>, plan: &MethodPlan) -> u64 {
    let chunk = local_access(u64::from(code.max_locals));
    let position = local_access(u64::from(code.max_locals) + 1);
    // push class; invokestatic; astore chunk. Setting the position may stand in for its first store.
    let prologue = 4 + chunk;
    // aload chunk; push i; dup2; laload; lconst_1; ladd; lastore
    let update = |counter: CounterIndex| chunk + push(counter) + 5;
    let counted = plan.edges.iter().filter_map(|e| e.counter);
    let edges: u64 = counted.map(update).sum();
    let points: u64 = plan
        .throw_points
        .iter()
        .map(|t| push(t.counter) + position)
        .sum();
    let recount = chunk + position + 5;
    let handlers: u64 = plan
        .handlers
        .iter()
        .map(|h| recount + update(h.counter) + 3)
        .sum();
    let catch_all = if plan.throw_points.is_empty() {
        0
    } else {
        recount + 1
    };
    prologue + code.bytes.len() as u64 + edges + points + handlers + catch_all
}

/// At least so many bytes are the probes that take values: copy; aload chunk; push element; push class; invokestatic.
fn least_takes(code: &Code<'_>, plan: &MethodPlan, assigning: &BTreeSet<Pc>) -> u64 {
    let taken = |pc| !plan.uninitialised.contains(pc) && assigning.contains(&pc);
    let takes = plan.throw_points.iter().filter(|point| taken(point.pc));
    takes.count() as u64 * (6 + local_access(u64::from(code.max_locals)))
}

/// Bytes of a load or store of a local.
fn local_access(slot: u64) -> u64 {
    match slot {
        0..=3 => 1,
        4..=255 => 2,
        _ => 4,
    }
}

/// Bytes of a push of a counter's index.
fn push(counter: CounterIndex) -> u64 {
    match counter.0 {
        0..=5 => 1,
        128..=32_767 => 3,
        // `bipush`, or `ldc` of a constant.
        _ => 2,
    }
}
