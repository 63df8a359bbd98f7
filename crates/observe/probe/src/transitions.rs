//! Branches whose changes of outcome are counted: all conditional ones with two outcomes, at blocks that are asked for, outside removed loops.
//!
//! A method that would outgrow the reach of a jump by it (32 KiB) gets none: there jumps have to be widened, and what a method
//! then grows to is known only when it is rewritten.

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::{MethodOutcome, MethodPlan, TransitionPlan};

use crate::{Counters, limits};

/// Farthest that a jump with a 16-bit offset reaches.
pub(crate) const REACH: u64 = 32_767;
/// At most so many bytes are the two updates of a transition's counter, one of them on a detour with a jump.
const UPDATES: u64 = 2 * (4 + 3 + 9) + 3;

/// At most so many bytes are all updates in a method.
pub(crate) fn most_bytes(plan: &MethodPlan) -> u64 {
    plan.conditional().len() as u64 * UPDATES
}

/// The transitions counted in a method.
pub(crate) fn of_method(
    class: &ClassFile<'_>,
    index: usize,
    plan: &MethodPlan,
    counters: &mut Counters,
) -> Vec<TransitionPlan> {
    let member = &class.methods()[index];
    let Ok(Some(code)) = member.code(class.constants()) else {
        return Vec::new();
    };
    if plan.outcome != MethodOutcome::Counted {
        return Vec::new();
    }
    if limits::least_bytes(&code, plan) + most_bytes(plan) > REACH {
        return Vec::new();
    }
    let conditional = plan.conditional().into_iter();
    let conditional = conditional.filter(|block| plan.is_probed(*block));
    let planned = conditional.map(|block| TransitionPlan {
        method: index as u16,
        block,
        counter: counters.take(),
    });
    planned.collect()
}
