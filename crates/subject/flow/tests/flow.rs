//! Graphs of small methods, with the answer beside them.

mod assembler;

use assembler::*;
use pricetag_classfile::{ClassFile, opcode as op};
use pricetag_flow::{Cfg, FlowError, MethodSize};
use pricetag_probe_plan::{BlockId, EdgeId};

fn with_cfg<T>(
    method: &Method<'_>,
    check: impl FnOnce(Result<Cfg, FlowError>, MethodSize) -> T,
) -> T {
    let bytes = method.bytes();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.methods()[0].code(class.constants()).unwrap().unwrap();
    let cfg = Cfg::of(&code);
    let size = cfg
        .as_ref()
        .map(|c| MethodSize::of(c, &code))
        .unwrap_or_default();
    check(cfg, size)
}

/// `entry>b0 b0>b1:Taken …`, and the exceptional edges.
fn edges(method: &Method<'_>) -> String {
    with_cfg(method, |cfg, _| {
        let cfg = cfg.unwrap();
        let normal = cfg
            .edges
            .iter()
            .map(|e| format!("{}>{}:{}", e.from, e.to, e.kind));
        let exceptional = cfg
            .exceptional
            .iter()
            .map(|(b, h)| format!("b{}!b{}", b.0, cfg.handlers[*h].block.0));
        normal.chain(exceptional).collect::<Vec<_>>().join(" ")
    })
}

#[test]
fn branches_and_their_kinds() {
    let diamond = code(&[
        &[op::ICONST_0],
        &jump(op::IFEQ, 7),
        &[op::ICONST_1],
        &jump(op::GOTO, 4),
        &[op::ICONST_2],
        &[op::POP, op::RETURN],
    ]);
    assert_eq!(
        edges(&static_method(&diamond)),
        "entry>b0:entry b0>b1:not-taken b0>b2:taken b1>b3:jump b2>b3:fall-through b3>exit:return"
    );
    with_cfg(&static_method(&diamond), |_, size| {
        assert_eq!(
            (
                size.blocks,
                size.edges,
                size.cyclomatic,
                size.loops,
                size.instructions
            ),
            (4, 6, 2, 0, 7)
        );
    });
    // A branch to the next instruction is two edges.
    let next = code(&[&[op::ICONST_0], &jump(op::IFEQ, 3), &[op::RETURN]]);
    assert_eq!(
        edges(&static_method(&next)),
        "entry>b0:entry b0>b1:not-taken b0>b1:taken b1>exit:return"
    );
}

#[test]
fn every_case_of_a_switch_is_an_edge() {
    let mut switch = vec![op::ICONST_0, op::TABLESWITCH, 0, 0];
    for word in [23i32, 0, 1, 23, 24] {
        switch.extend(word.to_be_bytes());
    }
    switch.extend([op::RETURN, op::RETURN]);
    assert_eq!(
        edges(&static_method(&switch)),
        "entry>b0:entry b0>b1:case-0 b0>b2:case-1 b0>b1:default b1>exit:return b2>exit:return"
    );
}

#[test]
fn a_handler_is_reached_from_every_block_in_its_range() {
    // The range covers the branch and its first way; the handler's own range covers itself.
    let code = code(&[
        &[op::ICONST_0],
        &jump(op::IFEQ, 4),
        &[op::RETURN, op::RETURN, op::ASTORE_0],
        &jump(op::GOTO, 0),
        &[op::NOP, op::RETURN],
    ]);
    let handlers = &[[0, 5, 6], [6, 7, 6], [10, 11, 11]];
    let method = Method {
        handlers,
        ..static_method(&code)
    };
    // The third entry covers unreachable code only: its handler is none.
    assert_eq!(
        edges(&method),
        "entry>b0:entry b0>b1:not-taken b0>b2:taken b1>exit:return b2>exit:return b3>b4:fall-through b4>b4:jump \
         b0!b3 b1!b3 b3!b3"
    );
    // The handler that covers itself is no loop; the jump to itself is one.
    with_cfg(&method, |cfg, _| {
        let loops = cfg.unwrap().loops();
        assert_eq!(loops.len(), 1);
        assert_eq!((loops[0].header, loops[0].depth), (BlockId(4), 1));
    });
}

#[test]
fn repeating_through_a_catch_is_a_loop() {
    // for (;;) try { m(); return; } catch (Throwable t) { }
    let code = code(&[
        &with(op::INVOKESTATIC, METHOD),
        &[op::RETURN, op::POP],
        &jump(op::GOTO, -5),
    ]);
    with_cfg(
        &Method {
            handlers: &[[0, 4, 4]],
            ..static_method(&code)
        },
        |cfg, _| {
            let loops = cfg.unwrap().loops();
            assert_eq!(loops.len(), 1);
            assert_eq!(loops[0].header, BlockId(0));
            assert_eq!(loops[0].blocks, [BlockId(0), BlockId(1)]);
            assert_eq!(
                (
                    loops[0].back_edges.as_slice(),
                    loops[0].entry_edges.as_slice()
                ),
                (&[EdgeId(2)][..], &[EdgeId(0)][..])
            );
            assert!(loops[0].reducible);
        },
    );
}

#[test]
fn an_irreducible_region_is_one_loop() {
    // if (0 == 0) goto B; A: nop; B: nop; if (0 == 0) goto A; return
    let code = code(&[
        &[op::ICONST_0],
        &jump(op::IFEQ, 4),
        &[op::NOP, op::ICONST_0],
        &jump(op::IFEQ, -2),
        &[op::RETURN],
    ]);
    with_cfg(&static_method(&code), |cfg, size| {
        let loops = cfg.unwrap().loops();
        assert_eq!(
            (loops.len(), loops[0].reducible, loops[0].header),
            (1, false, BlockId(1))
        );
        assert_eq!(loops[0].entry_edges.len(), 2);
        assert_eq!(size.loop_depth, 1);
    });
}

fn blocks_of_loops(code: &[u8]) -> Vec<Vec<u32>> {
    with_cfg(&static_method(code), |cfg, _| {
        let loops = cfg.unwrap().loops().into_iter();
        loops
            .map(|l| l.blocks.iter().map(|b| b.0).collect())
            .collect()
    })
}

#[test]
fn subroutines_return_behind_each_call() {
    // 0: jsr 9; 3: jsr 9; 6: iconst_0; 7: pop; 8: return; 9: astore_1; 10: ret 1
    let twice = code(&[
        &jump(op::JSR, 9),
        &jump(op::JSR, 6),
        &[op::ICONST_0, op::POP, op::RETURN, op::ASTORE_1, op::RET, 1],
    ]);
    assert_eq!(
        edges(&static_method(&twice)),
        "entry>b0:entry b0>b3:jump b1>b3:jump b2>exit:return b3>b1:ret b3>b2:ret"
    );
    // What no execution passes is no loop: behind the first call comes the second, which calls again.
    assert_eq!(blocks_of_loops(&twice), Vec::<Vec<u32>>::new());
    // 0: jsr 8; 3: iconst_0; 4: ifeq 0; 7: return; 8: astore_1; 9: ret 1
    let in_loop = code(&[
        &jump(op::JSR, 8),
        &[op::ICONST_0],
        &jump(op::IFEQ, -4),
        &[op::RETURN, op::ASTORE_1, op::RET, 1],
    ]);
    assert_eq!(blocks_of_loops(&in_loop), [[0, 1, 3]]);
    // Called twice in the loop, the subroutine is not in it.
    let twice_in_loop = code(&[
        &jump(op::JSR, 11),
        &jump(op::JSR, 8),
        &[op::ICONST_0],
        &jump(op::IFEQ, -7),
        &[op::RETURN, op::ASTORE_1, op::RET, 1],
    ]);
    assert_eq!(blocks_of_loops(&twice_in_loop), [[0, 1, 2]]);
}

#[test]
fn return_addresses_are_followed_only_so_far() {
    // Twenty-five subroutines store their addresses and go on in the same place; every instruction there may throw.
    let unit = 12;
    let main = 25 * unit;
    let mut many = Vec::new();
    for k in 0..25 {
        many.push(op::ICONST_0);
        many.extend(jump(op::IFEQ, 11));
        many.extend(jump(op::JSR, 3));
        many.extend([op::ASTORE, k + 10]);
        many.extend(jump(op::GOTO, i16::from(25 - k) * unit - 9));
    }
    many.extend(vec![op::NOP; 60_000]);
    many.extend([op::RETURN, op::POP, op::RETURN]);
    let (start, end) = (main as u16, many.len() as u16 - 2);
    let subject = Method {
        handlers: &[[start, end, end]; 30],
        ..static_method(&many)
    };
    with_cfg(&subject, |cfg, _| {
        assert!(cfg.unwrap_err().to_string().contains("too many"));
    });
}

#[test]
fn nested_subroutines_return_to_their_own_callers() {
    // 0: jsr 7; 3: jsr 14; 6: return
    // 7: astore_1; 8: jsr 14; 11: nop; 12: ret 1
    // 14: astore_2; 15: ret 2
    let nested = code(&[
        &jump(op::JSR, 7),
        &jump(op::JSR, 11),
        &[op::RETURN, op::ASTORE_1],
        &jump(op::JSR, 6),
        &[op::NOP, op::RET, 1, op::ASTORE_2, op::RET, 2],
    ]);
    assert_eq!(
        edges(&static_method(&nested)),
        "entry>b0:entry b0>b3:jump b1>b5:jump b2>exit:return b3>b5:jump b4>b1:ret b5>b2:ret b5>b4:ret"
    );
}

#[test]
fn what_is_no_graph_says_why() {
    let refused = |code: &[u8]| with_cfg(&static_method(code), |cfg, _| cfg.unwrap_err());
    assert_eq!(refused(&[op::NOP]), FlowError::FallsOff { pc: 0 });
    assert!(matches!(
        refused(&jump(op::GOTO, 1)),
        FlowError::ClassFile(_)
    ));
    let never_stores = code(&[&jump(op::JSR, 4), &[op::RETURN, op::DUP, op::RETURN]]);
    assert!(matches!(
        refused(&never_stores),
        FlowError::Subroutine { pc: 4, .. }
    ));
    let another_local = code(&[&jump(op::JSR, 4), &[op::RETURN, op::ASTORE_1, op::RET, 2]]);
    assert!(matches!(
        refused(&another_local),
        FlowError::Subroutine { pc: 5, .. }
    ));
    let two_rets = code(&[
        &jump(op::JSR, 4),
        &[op::RETURN, op::ASTORE_1, op::ICONST_0],
        &jump(op::IFEQ, 5),
        &[op::RET, 1, op::RET, 1],
    ]);
    assert!(matches!(
        refused(&two_rets),
        FlowError::Subroutine { pc: 4, .. }
    ));
    let nothing_behind = code(&[
        &jump(op::GOTO, 6),
        &[op::ASTORE_1, op::RET, 1],
        &jump(op::JSR, -3),
    ]);
    assert_eq!(refused(&nothing_behind), FlowError::FallsOff { pc: 6 });
    // The same where the way back is known before the call is met.
    let known_before = code(&[
        &jump(op::JSR, 6),
        &jump(op::GOTO, 6),
        &[op::ASTORE_1, op::RET, 1],
        &jump(op::JSR, -3),
    ]);
    assert_eq!(refused(&known_before), FlowError::FallsOff { pc: 9 });
    // Unreachable subroutines do not matter.
    let dead = code(&[&[op::RETURN], &jump(op::JSR, 3), &[op::RETURN]]);
    assert_eq!(
        edges(&static_method(&dead)),
        "entry>b0:entry b0>exit:return"
    );
}
