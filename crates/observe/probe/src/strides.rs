//! Array reads whose strides are counted: all of them, in blocks that are asked for, outside removed loops.
//!
//! As with transitions, a method that would outgrow the reach of a jump gets none.

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::{MethodOutcome, MethodPlan, StridePlan};

use crate::transitions::REACH;
use crate::{Counters, limits};

/// At most so many bytes is the probe of a read.
const PROBE: u64 = 7 + 4 + (4 + 3 + 2) + (4 + 3 + 1) + (4 + 2) + 8 + (4 + 3 + 4 + 2);

/// The strides counted in a method that grows by at most `beside` bytes by probes other than its counters.
pub(crate) fn of_method(
    class: &ClassFile<'_>,
    index: usize,
    plan: &MethodPlan,
    beside: u64,
    counters: &mut Counters,
) -> Vec<StridePlan> {
    let member = &class.methods()[index];
    let Ok(Some(code)) = member.code(class.constants()) else {
        return Vec::new();
    };
    if plan.outcome != MethodOutcome::Counted {
        return Vec::new();
    }
    let reads = plan.array_reads();
    if limits::least_bytes(&code, plan) + beside + reads.len() as u64 * PROBE > REACH {
        return Vec::new();
    }
    let reads = reads.into_iter();
    let reads = reads.filter(|(_, block)| plan.is_probed(*block));
    let planned = reads.map(|(pc, block)| StridePlan {
        method: index as u16,
        pc,
        block,
        counter: counters.take(),
        last: counters.take(),
    });
    planned.collect()
}
