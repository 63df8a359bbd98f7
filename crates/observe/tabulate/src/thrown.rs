//! What exceptions were thrown, by type, as far as the counts alone tell.
//!
//! Two sources: constructions of classes whose names end in `Exception`, `Error` or `Throwable` (an explicit `throw` nearly always makes its
//! object), and exceptions that the JVM itself raises where only one type is possible, such as division by zero.
//! Exceptions that come out of called methods are not counted again. Limits: a subclass of `Throwable` with another kind of name is missed; what
//! uncounted code throws is seen at its handlers only.

use std::collections::BTreeMap;

use pricetag_classfile::opcode as op;
use pricetag_dataset::{Feature, FeatureKind};
use pricetag_probe_plan::{MethodCounts, MethodPlan};

use crate::naming;

/// Exceptions by the internal name of their type.
pub(crate) fn by_type(method: &MethodPlan, counts: &MethodCounts) -> BTreeMap<String, u64> {
    let mut thrown: BTreeMap<String, u64> = BTreeMap::new();
    for (call, n) in method.call_sites(counts) {
        let of_superclass = method.this_initialised_at == Some(call.pc);
        if n > 0 && call.name == "<init>" && is_throwable(&call.owner) && !of_superclass {
            *thrown.entry(call.owner.clone()).or_default() += n;
        }
    }
    for (point, n) in method.throw_points.iter().zip(&counts.throws) {
        let block = &method.blocks[point.block.0 as usize];
        let at = block.instructions.binary_search_by_key(&point.pc, |i| i.pc);
        let raised = at.ok().and_then(|k| raised(block.instructions[k].opcode));
        if let (Some(raised), true) = (raised, *n > 0) {
            *thrown.entry(raised.to_owned()).or_default() += n;
        }
    }
    thrown
}

/// The feature of a type.
pub(crate) fn feature(class: &str) -> Feature {
    Feature {
        name: format!("thrown {}", naming::class(class)),
        kind: FeatureKind::Exception,
        unit: "1".to_owned(),
        text: Some(
            "exceptions of this type made, or raised by the JVM, in counted code".to_owned(),
        ),
        ..Feature::default()
    }
}

fn is_throwable(class: &str) -> bool {
    ["Exception", "Error", "Throwable"]
        .iter()
        .any(|end| class.ends_with(end))
}

/// The only exception that the JVM raises at an instruction; none if there are several, or a callee may be its source.
fn raised(opcode: u8) -> Option<&'static str> {
    Some(match opcode {
        op::IDIV | op::LDIV | op::IREM | op::LREM => "java/lang/ArithmeticException",
        op::ARRAYLENGTH => "java/lang/NullPointerException",
        _ => return None,
    })
}
