//! Executions of source lines.
//!
//! A line's count is that of its most often executed instruction. Compilers copy some lines (`finally` is there once per way out): copies
//! count together. Counts are those of instructions, not of blocks' entries, so that lines behind an exception have what they executed.

use std::collections::BTreeMap;

use pricetag_classfile::opcode as op;
use pricetag_dataset::{Feature, FeatureKind};
use pricetag_probe_plan::{BlockId, MethodCounts, MethodPlan};

use crate::describe::file_and_lines;

/// Instructions of one line that follow one another in the code.
struct Stretch {
    line: u16,
    opcodes: Vec<u8>,
    /// Of the most often executed one; none if a count does not follow.
    count: Option<u64>,
}

/// How often each line of a method ran, without lines that never did or whose count is not known.
pub(crate) fn executions(method: &MethodPlan, counts: &MethodCounts) -> BTreeMap<u16, u64> {
    let mut copies: BTreeMap<(u16, Vec<u8>), Option<u64>> = BTreeMap::new();
    for stretch in stretches(method, counts) {
        let sum = copies
            .entry((stretch.line, stretch.opcodes))
            .or_insert(Some(0));
        *sum = sum.zip(stretch.count).map(|(sum, count)| sum + count);
    }
    let mut lines: BTreeMap<u16, Option<u64>> = BTreeMap::new();
    for ((line, _), count) in copies {
        let most = lines.entry(line).or_insert(Some(0));
        *most = most.zip(count).map(|(most, count)| most.max(count));
    }
    let known = lines.into_iter().filter_map(|(line, n)| Some((line, n?)));
    known.filter(|(_, n)| *n > 0).collect()
}

fn stretches(method: &MethodPlan, counts: &MethodCounts) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (index, block) in method.blocks.iter().enumerate() {
        let catches = method
            .handlers
            .iter()
            .any(|h| h.block == BlockId(index as u32));
        let executed = counts.instructions[index].as_deref();
        for (number, start) in block.lines.iter().enumerate() {
            let from = usize::from(start.at);
            let next = block.lines.get(number + 1);
            let to = next.map_or(block.instructions.len(), |next| usize::from(next.at));
            let count = executed.map(|n| n[from..to].iter().copied().max().unwrap_or(0));
            // What takes the exception off the stack, and what leads on behind, is not the same in all copies.
            let skipped = usize::from(catches && from == 0);
            let opcodes = block.instructions[from..to].iter().skip(skipped);
            let opcodes = opcodes.map(|i| i.opcode);
            let opcodes = opcodes.filter(|code| ![op::GOTO, op::GOTO_W].contains(code));
            match stretches.last_mut() {
                Some(last) if last.line == start.line => {
                    last.opcodes.extend(opcodes);
                    last.count = last.count.zip(count).map(|(a, b)| a.max(b));
                }
                _ => stretches.push(Stretch {
                    line: start.line,
                    opcodes: opcodes.collect(),
                    count,
                }),
            }
        }
    }
    stretches
}

/// The column of a line of the method whose invocations have this column.
pub(crate) fn feature(invocations: &Feature, shown: &str, line: u16) -> Feature {
    let mut feature = Feature {
        kind: FeatureKind::Line,
        lines: Some((line.into(), line.into())),
        pcs: None,
        ..invocations.clone()
    };
    feature.name = format!("{shown} line {line}{}", file_and_lines(&feature));
    feature
}

#[cfg(test)]
mod tests {
    use pricetag_probe_plan::{BlockPlan, HandlerPlan, Instruction, LineStart, Pc};

    use super::*;

    /// Line, opcode and count of each instruction; none where they are not known.
    type Block<'a> = Option<&'a [(u16, u8, u64)]>;

    /// Lines of a method of these blocks; `caught` names those that catch.
    fn lines(blocks: &[Block], caught: &[u32]) -> Vec<(u16, u64)> {
        let mut pc = 0;
        let plans = blocks.iter().map(|block| {
            let block = block.unwrap_or(&[(9, 0, 0)]);
            let start = pc;
            let instructions = block.iter().map(|&(_, opcode, _)| {
                pc += 1;
                let pc = Pc(pc - 1);
                Instruction { pc, opcode }
            });
            let instructions = instructions.collect();
            let starts = (0..)
                .zip(block)
                .map(|(at, &(line, ..))| LineStart { at, line });
            let mut starts: Vec<LineStart> = starts.collect();
            starts.dedup_by_key(|start| start.line);
            BlockPlan {
                start: Pc(start),
                end: pc.into(),
                loop_depth: 0,
                innermost_loop: None,
                instructions,
                lines: starts,
                calls: Vec::new(),
            }
        });
        let blocks_of_plan = plans.collect();
        let handlers = caught.iter().map(|&block| HandlerPlan {
            block: BlockId(block),
            catches: Vec::new(),
            counter: pricetag_probe_plan::CounterIndex(0),
        });
        let method = MethodPlan {
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            blocks: blocks_of_plan,
            handlers: handlers.collect(),
            ..MethodPlan::default()
        };
        let executed = |block: Block| -> Option<Vec<u64>> {
            block.map(|block| block.iter().map(|&(_, _, n)| n).collect())
        };
        let counts = MethodCounts {
            edges: Vec::new(),
            blocks: Vec::new(),
            instructions: blocks.iter().copied().map(executed).collect(),
            handlers: Vec::new(),
            throws: Vec::new(),
        };
        executions(&method, &counts).into_iter().collect()
    }

    #[test]
    fn lines_behind_an_exception_ran_less_often() {
        let block: &[_] = &[(5, 0x1a, 100), (6, 0xb8, 100), (7, 0xb2, 25), (7, 0x60, 25)];
        assert_eq!(lines(&[Some(block)], &[]), [(5, 100), (6, 100), (7, 25)]);
    }

    #[test]
    fn a_loop_on_one_line_ran_as_often_as_its_condition() {
        let head: &[_] = &[(3, 0x03, 1), (3, 0x3c, 1)];
        let condition: &[_] = &[(3, 0x1b, 8), (3, 0xa2, 8)];
        let body: &[_] = &[(4, 0xb8, 7), (3, 0x84, 7), (3, 0xa7, 7)];
        let all = [head, condition, body].map(Some);
        assert_eq!(lines(&all, &[]), [(3, 8), (4, 7)]);
    }

    #[test]
    fn conditions_of_a_line_are_no_copies_of_each_other() {
        let conditions = [10, 6, 2].map(|n| [(3, 0x1a, n), (3, 0x99, n)]);
        let all = conditions.each_ref().map(|block| Some(&block[..]));
        assert_eq!(lines(&all, &[]), [(3, 10)]);
    }

    #[test]
    fn copies_count_together() {
        // try { a(); } finally { b(); }
        let normal: &[_] = &[(3, 0xb8, 10), (5, 0xb8, 8), (6, 0xa7, 8)];
        let caught: &[_] = &[(5, 0x4b, 2), (5, 0xb8, 2), (6, 0x2a, 2), (6, 0xbf, 2)];
        let all = [Some(normal), Some(caught)];
        assert_eq!(lines(&all, &[1]), [(3, 10), (5, 10), (6, 8)]);
    }

    #[test]
    fn what_is_not_known_has_no_count() {
        let block: &[_] = &[(9, 0x1a, 4), (10, 0xb1, 4)];
        assert_eq!(lines(&[Some(block), None], &[]), [(10, 4)]);
    }
}
