//! Loops that end soon and loops that may not, each with its reason.

mod assembler;

use assembler::*;
use pricetag_classfile::{ClassFile, opcode as op};
use pricetag_flow::{Cfg, bounded_blocks};

/// Numbers of the bounded blocks of a method's last loop.
fn bounded(method: &Method<'_>) -> Vec<u32> {
    let bytes = method.bytes();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.methods()[0].code(class.constants()).unwrap().unwrap();
    let cfg = Cfg::of(&code).unwrap();
    let loops = cfg.loops();
    let blocks = bounded_blocks(&cfg, loops.last().unwrap(), class.constants());
    blocks.into_iter().map(|b| b.0).collect()
}

/// `while (condition) { body }`: `compare` leaves the loop by `exit`.
fn while_loop(compare: &[u8], exit: u8, body: &[u8]) -> Vec<u8> {
    let length = (compare.len() + body.len()) as i16;
    code(&[
        compare,
        &jump(exit, body.len() as i16 + 6),
        body,
        &jump(op::GOTO, -length - 3),
        &[op::RETURN],
    ])
}

const UP: [u8; 3] = [op::IINC, 0, 1];
const DOWN: [u8; 3] = [op::IINC, 0, 255];
/// The stepped local, and one that is left alone.
const BOTH: [u8; 2] = [op::ILOAD_0, op::ILOAD_1];

#[test]
fn a_step_towards_a_limit_ends() {
    let all = [0, 1];
    let ends = |compare: &[u8], exit, step: &[u8]| {
        bounded(&static_method(&while_loop(compare, exit, step)))
    };
    // i < n, i > n, and the same the other way round.
    assert_eq!(ends(&BOTH, op::IF_ICMPGE, &UP), all);
    assert_eq!(ends(&BOTH, op::IF_ICMPLE, &DOWN), all);
    assert_eq!(ends(&[op::ILOAD_1, op::ILOAD_0], op::IF_ICMPLE, &UP), all);
    assert_eq!(ends(&[op::ILOAD_1, op::ILOAD_0], op::IF_ICMPGE, &DOWN), all);
    // i < 0, i > 0, i >= 0, i <= 100.
    assert_eq!(ends(&[op::ILOAD_0], op::IFGE, &UP), all);
    assert_eq!(ends(&[op::ILOAD_0], op::IFLE, &DOWN), all);
    assert_eq!(ends(&[op::ILOAD_0], op::IFLT, &DOWN), all);
    let hundred = [op::ILOAD_0, op::BIPUSH, 100];
    assert_eq!(ends(&hundred, op::IF_ICMPGT, &UP), all);
    // The limit may be another each time, the value a sum, the step before the comparison.
    let field = [op::ILOAD_0, op::GETSTATIC, 0, STATIC];
    assert_eq!(ends(&field, op::IF_ICMPGE, &UP), all);
    let sum = [op::ILOAD_1, op::ILOAD_0, op::IADD, op::ILOAD_2];
    assert_eq!(ends(&sum, op::IF_ICMPGE, &UP), all);
    let less = [op::ILOAD_0, op::ICONST_5, op::ISUB, op::ILOAD_2];
    assert_eq!(ends(&less, op::IF_ICMPGE, &UP), all);
    let stepped = code(&[&UP, &BOTH]);
    assert_eq!(ends(&stepped, op::IF_ICMPGE, &[op::NOP]), all);
    // i != n, i != 0: of all numbers one is that.
    assert_eq!(ends(&BOTH, op::IF_ICMPEQ, &UP), all);
    assert_eq!(ends(&[op::ILOAD_0], op::IFEQ, &DOWN), all);
}

#[test]
fn what_may_overflow_or_stand_still_does_not() {
    let ends = |compare: &[u8], exit, step: &[u8]| {
        bounded(&static_method(&while_loop(compare, exit, step)))
    };
    let never: [u32; 0] = [];
    // i <= n with n the largest number, and away from the limit.
    assert_eq!(ends(&BOTH, op::IF_ICMPGT, &UP), never);
    assert_eq!(ends(&BOTH, op::IF_ICMPLT, &DOWN), never);
    assert_eq!(ends(&BOTH, op::IF_ICMPLE, &UP), never);
    assert_eq!(ends(&BOTH, op::IF_ICMPGE, &DOWN), never);
    // Leaves where it has not reached the limit.
    assert_eq!(ends(&BOTH, op::IF_ICMPNE, &UP), never);
    // A step of 2 jumps over the limit, two steps as well, none stands still.
    assert_eq!(ends(&BOTH, op::IF_ICMPGE, &[op::IINC, 0, 2]), never);
    assert_eq!(ends(&BOTH, op::IF_ICMPGE, &code(&[&UP, &UP])), never);
    assert_eq!(ends(&BOTH, op::IF_ICMPGE, &[op::NOP]), never);
    // Set otherwise, by an int or by half a long.
    let set = code(&[&UP, &[op::ICONST_0, op::ISTORE_0]]);
    assert_eq!(ends(&BOTH, op::IF_ICMPGE, &set), never);
    let half = [op::IINC, 1, 1, op::LCONST_0, op::LSTORE_0];
    let other = [op::ILOAD_1, op::ILOAD_2];
    assert_eq!(ends(&other, op::IF_ICMPGE, &half), never);
    // The number that it is to equal runs ahead of it.
    let ahead = code(&[&UP, &[op::IINC, 1, 1]]);
    assert_eq!(ends(&BOTH, op::IF_ICMPEQ, &ahead), never);
    let field = [op::ILOAD_0, op::GETSTATIC, 0, STATIC];
    assert_eq!(ends(&field, op::IF_ICMPEQ, &UP), never);
    // A sum with what changes, and a difference from it.
    let sum = [op::ILOAD_0, op::ILOAD_1, op::IADD, op::ILOAD_2];
    assert_eq!(ends(&sum, op::IF_ICMPGE, &ahead), never);
    let difference = [op::ILOAD_1, op::ILOAD_0, op::ISUB, op::ILOAD_2];
    assert_eq!(ends(&difference, op::IF_ICMPGE, &UP), never);
}

#[test]
fn an_array_ends_a_loop_that_reads_it_at_each_step() {
    let read = |index: &[u8], step: &[u8]| {
        let body = code(&[&[op::ALOAD_3], index, &[op::IALOAD, op::POP], step]);
        let back = jump(op::GOTO, -(body.len() as i16));
        bounded(&static_method(&code(&[&body, &back])))
    };
    assert_eq!(read(&[op::ILOAD_0], &UP), [0]);
    assert_eq!(read(&[op::ILOAD_0], &DOWN), [0]);
    assert_eq!(read(&[op::ILOAD_0, op::ILOAD_1, op::IADD], &UP), [0]);
    let never: [u32; 0] = [];
    assert_eq!(read(&[op::ILOAD_1], &UP), never);
    assert_eq!(read(&[op::ILOAD_0], &[op::IINC, 0, 2]), never);
    assert_eq!(read(&[op::ILOAD_0, op::ICONST_3, op::IAND], &UP), never);
    // Written at it, an int and a long.
    let written = |value: u8, store: u8| {
        let body = code(&[&[op::ALOAD_3, op::ILOAD_0, value, store], &UP]);
        let back = jump(op::GOTO, -(body.len() as i16));
        bounded(&static_method(&code(&[&body, &back])))
    };
    assert_eq!(written(op::ICONST_0, op::IASTORE), [0]);
    assert_eq!(written(op::LCONST_0, op::LASTORE), [0]);
}

#[test]
fn only_what_stands_behind_the_comparison_is_bounded() {
    // 0: iload_1; 1: ifeq 7; 4: nop 5: nop 6: nop; 7: iinc; 10: if (i < n) goto 0.
    let behind = code(&[
        &[op::ILOAD_1],
        &jump(op::IFEQ, 6),
        &[op::NOP; 3],
        &UP,
        &BOTH,
        &jump(op::IF_ICMPLT, -12),
        &[op::RETURN],
    ]);
    assert_eq!(bounded(&static_method(&behind)), [2]);
}

#[test]
fn every_turn_has_to_step_and_to_compare() {
    // 0: iload_1; 1: ifeq 7; 4: iinc; 7: if (i < n) goto 0.
    let sometimes = code(&[
        &[op::ILOAD_1],
        &jump(op::IFEQ, 6),
        &UP,
        &BOTH,
        &jump(op::IF_ICMPLT, -9),
        &[op::RETURN],
    ]);
    assert!(bounded(&static_method(&sometimes)).is_empty());
    // 0: iinc; 3: iload_1; 4: ifeq 0; 7: if (i < n) goto 0.
    let around = code(&[
        &UP,
        &[op::ILOAD_1],
        &jump(op::IFEQ, -4),
        &BOTH,
        &jump(op::IF_ICMPLT, -9),
        &[op::RETURN],
    ]);
    assert!(bounded(&static_method(&around)).is_empty());
    // An exception skips the step, and its handler goes on: 0: if (i >= n) return; 5: idiv; 9: iinc; 12: goto 0; 16: pop, goto 0.
    let caught = code(&[
        &BOTH,
        &jump(op::IF_ICMPGE, 13),
        &[op::ICONST_0, op::ICONST_0, op::IDIV, op::POP],
        &UP,
        &jump(op::GOTO, -12),
        &[op::RETURN, op::POP],
        &jump(op::GOTO, -17),
    ]);
    let mut method = static_method(&caught);
    assert_eq!(bounded(&method), [0, 1]);
    method.handlers = &[[5, 9, 16]];
    assert!(bounded(&method).is_empty());
}
