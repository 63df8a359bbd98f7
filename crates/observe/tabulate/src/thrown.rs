//! What exceptions were thrown, by type, as far as the counts alone tell.
//!
//! Two sources: `throw new X(…)`, where the object is made right before it is thrown, and exceptions that the JVM itself raises where only one
//! type is possible, such as division by zero. Exceptions that come out of called methods are not counted again. Limits: the type of an object that
//! was made elsewhere is not known, and what uncounted code throws is seen at its handlers only.

use std::collections::BTreeMap;

use pricetag_classfile::naming;
use pricetag_classfile::opcode as op;
use pricetag_dataset::{Feature, FeatureKind};
use pricetag_probe_plan::{BlockPlan, MethodCounts, MethodPlan};

/// Exceptions by the internal name of their type.
pub(crate) fn by_type(method: &MethodPlan, counts: &MethodCounts) -> BTreeMap<String, u64> {
    let mut thrown: BTreeMap<String, u64> = BTreeMap::new();
    let mut add = |class: &str, n: u64| {
        if n > 0 {
            *thrown.entry(class.to_owned()).or_default() += n;
        }
    };
    let blocks = method.blocks.iter().zip(&counts.instructions);
    for ((block, executed), throws) in blocks.zip(&counts.throws) {
        let executed = executed.as_deref().unwrap_or_default();
        for (at, n) in executed.iter().enumerate() {
            if let Some(class) = made_before(block, at) {
                add(class, *n);
            }
            // Not every instruction that throws has a counter of its own: what is executed and not followed has thrown.
            let opcode = block.instructions.get(at).map(|i| i.opcode);
            if let (Some(class), Some(next)) = (opcode.and_then(raised), executed.get(at + 1)) {
                add(class, n.saturating_sub(*next));
            }
        }
        // Behind the last one nothing is executed in the block: what left it without leaving it earlier.
        let class = block.instructions.last().and_then(|i| raised(i.opcode));
        if let (Some(class), Some(throws), Some(first), Some(last)) =
            (class, throws, executed.first(), executed.last())
        {
            add(class, throws.saturating_sub(first - last));
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
            "exceptions of this type thrown where they are made, or raised by the JVM, in counted code".to_owned(),
        ),
        ..Feature::default()
    }
}

/// The class of the object that the `athrow` at an index of a block throws, if it was made right before: `throw new X(…)`. Compilers to
/// which every thrown object is a `Throwable` cast it between.
fn made_before(block: &BlockPlan, at: usize) -> Option<&str> {
    let (throw, before) = block.instructions.get(..=at)?.split_last()?;
    if throw.opcode != op::ATHROW {
        return None;
    }
    let call = before.iter().rfind(|i| i.opcode != op::CHECKCAST)?;
    let site = block.calls.iter().find(|site| site.pc == call.pc)?;
    (site.name == "<init>").then_some(site.owner.as_str())
}

/// The only exception that the JVM raises at an instruction; none if there are several, or a callee may be its source.
fn raised(opcode: u8) -> Option<&'static str> {
    Some(match opcode {
        op::IDIV | op::LDIV | op::IREM | op::LREM => "java/lang/ArithmeticException",
        op::ARRAYLENGTH => "java/lang/NullPointerException",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use pricetag_probe_plan::{BlockId, CounterIndex, Instruction, Pc, ThrowPoint};

    use super::*;

    #[test]
    fn a_division_that_ends_its_block_throws_there() {
        let block = |pc: u16, opcodes: &[u8]| BlockPlan {
            start: Pc(pc),
            end: u32::from(pc) + opcodes.len() as u32,
            loop_depth: 0,
            innermost_loop: None,
            instructions: (pc..)
                .zip(opcodes)
                .map(|(pc, opcode)| Instruction {
                    pc: Pc(pc),
                    opcode: *opcode,
                })
                .collect(),
            lines: Vec::new(),
            calls: Vec::new(),
        };
        let point = |pc| ThrowPoint {
            pc: Pc(pc),
            block: BlockId(1),
            counter: CounterIndex(0),
        };
        let method = MethodPlan {
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            code_bytes: 5,
            blocks: vec![block(0, &[0]), block(1, &[op::ARRAYLENGTH, op::IDIV])],
            throw_points: vec![point(1), point(2)],
            ..MethodPlan::default()
        };
        let mut counts = MethodCounts {
            instructions: vec![Some(vec![9]), Some(vec![9, 7])],
            throws: vec![Some(0), Some(5)],
            ..MethodCounts::default()
        };
        let thrown: Vec<u64> = by_type(&method, &counts).into_values().collect();
        assert_eq!(thrown, [3, 2], "arithmetic, null");
        counts.instructions[1] = None;
        assert_eq!(by_type(&method, &counts).len(), 0);
    }
}
