//! Derivation on methods small enough to do in one's head; random ones are in the tests of `pricetag-probe`.

use pricetag_probe_plan::derive::Place;
use pricetag_probe_plan::*;

fn edge(from: i32, to: i32, kind: EdgeKind, counter: Option<u32>) -> EdgePlan {
    let node = |n: i32, caller| {
        if n < 0 {
            caller
        } else {
            Node::Block(BlockId(n as u32))
        }
    };
    EdgePlan {
        from: node(from, Node::Entry),
        to: node(to, Node::Exit),
        kind,
        counter: counter.map(CounterIndex),
    }
}

/// Blocks of three instructions at 0, 10, 20, …
fn method(blocks: u16, edges: Vec<EdgePlan>) -> MethodPlan {
    let block = |b: u16| BlockPlan {
        start: Pc(b * 10),
        end: u32::from(b) * 10 + 3,
        loop_depth: 0,
        innermost_loop: None,
        instructions: (0..3)
            .map(|k| Instruction {
                pc: Pc(b * 10 + k),
                opcode: k as u8,
            })
            .collect(),
        lines: Vec::new(),
        calls: vec![CallSite {
            pc: Pc(b * 10 + 1),
            opcode: 0xb8,
            owner: "A".into(),
            name: "f".into(),
            descriptor: "()V".into(),
        }],
    };
    MethodPlan {
        name: "m".into(),
        descriptor: "()V".into(),
        code_bytes: u32::from(blocks) * 10,
        blocks: (0..blocks).map(block).collect(),
        edges,
        ..MethodPlan::default()
    }
}

/// `while (c) body;` with a throw in the body that a handler behind the loop catches.
fn a_loop() -> MethodPlan {
    let mut plan = method(
        4,
        vec![
            edge(-1, 0, EdgeKind::Entry, None),
            edge(0, 1, EdgeKind::NotTaken, Some(0)),
            edge(0, 2, EdgeKind::Taken, None),
            edge(1, 0, EdgeKind::Jump, None),
            edge(2, -1, EdgeKind::Return, Some(1)),
            edge(3, -1, EdgeKind::Return, None),
        ],
    );
    plan.throw_points.push(ThrowPoint {
        pc: Pc(11),
        block: BlockId(1),
        counter: CounterIndex(2),
    });
    plan.handlers.push(HandlerPlan {
        block: BlockId(3),
        catches: vec!["E".into()],
        counter: CounterIndex(3),
    });
    plan.loops.push(LoopPlan {
        header: BlockId(0),
        parent: None,
        depth: 1,
        back_edges: vec![EdgeId(3)],
        entry_edges: vec![EdgeId(0)],
        reducible: true,
    });
    plan
}

#[test]
fn a_loop_with_a_caught_throw() {
    // Five calls: 30 iterations begun, 2 of them throw and are caught, 3 calls return behind the loop.
    let plan = a_loop();
    let counts = plan.derive(&[30, 3, 2, 2], &[]).unwrap();
    assert_eq!(counts.edges, [5, 30, 3, 28, 3, 2].map(Some));
    assert_eq!(counts.blocks, [33, 30, 3, 2].map(Some));
    assert_eq!(counts.instructions[1], Some(vec![30, 30, 28]));
    assert_eq!(
        (counts.handlers.as_slice(), counts.throws.as_slice()),
        (&[2][..], &[0, 2, 0, 0].map(Some)[..])
    );
    assert_eq!(
        (plan.invocations(&counts), plan.returns(&counts)),
        (Some(5), Some(5))
    );
    assert_eq!(
        plan.loop_counts(&counts),
        [Some(LoopCounts {
            entries: 5,
            repeats: 28,
            passes: 33,
        })]
    );
    let outcomes: Vec<_> = plan
        .branch_outcomes(&counts)
        .map(|(e, edge, n)| (e.0, edge.kind, n))
        .collect();
    assert_eq!(
        outcomes,
        [(1, EdgeKind::NotTaken, 30), (2, EdgeKind::Taken, 3)]
    );
    assert_eq!(plan.opcodes(&counts)[..3], [68, 68, 66]);
    let calls = plan.calls(&counts);
    assert_eq!(calls.into_values().collect::<Vec<_>>(), [68]);
    assert_eq!(
        plan.call_sites(&counts).map(|(_, n)| n).collect::<Vec<_>>(),
        [33, 30, 3, 2].map(Some)
    );
}

#[test]
fn without_its_counter_a_loop_is_not_known_and_the_rest_is() {
    let mut plan = a_loop();
    plan.blocks[0].innermost_loop = Some(0);
    plan.blocks[1].innermost_loop = Some(0);
    let in_loop: Vec<_> = plan.edges.iter().map(|e| plan.loop_of_edge(e)).collect();
    assert_eq!(in_loop, [None, Some(0), None, Some(0), None, None]);
    plan.edges[1].counter = None;
    assert!(matches!(
        plan.derive(&[0, 3, 2, 2], &[]),
        Err(Imbalance::Undetermined { .. })
    ));
    plan.removed_loops.push(0);
    let counts = plan.derive(&[0, 3, 2, 2], &[]).unwrap();
    let known = [Some(5), None, Some(3), None, Some(3), Some(2)];
    assert_eq!(counts.edges, known);
    assert_eq!(counts.blocks, [None, None, Some(3), Some(2)]);
    assert_eq!(counts.instructions[1], None);
    assert_eq!(counts.throws, [0, 2, 0, 0].map(Some));
    assert_eq!(plan.invocations(&counts), Some(5));
    assert_eq!(plan.loop_counts(&counts), [None]);
    assert_eq!(plan.branch_outcomes(&counts).count(), 0);
    assert_eq!(plan.opcodes(&counts)[..3], [5, 5, 5]);
    let calls: Vec<_> = plan.call_sites(&counts).map(|(_, n)| n).collect();
    assert_eq!(calls, [None, None, Some(3), Some(2)]);
    // What is known is still checked: with a counter at the entry, too, the loop cannot be left more often than it is entered.
    plan.edges[0].counter = Some(CounterIndex(0));
    assert!(plan.derive(&[5, 3, 2, 2], &[]).is_ok());
    let error = plan.derive(&[4, 3, 2, 2], &[]).unwrap_err();
    assert!(matches!(error, Imbalance::Contradiction { .. }), "{error}");
}

#[test]
fn a_frame_that_is_still_open() {
    // One call that is in its seventh iteration, at the call at 11.
    let open = OpenFrame {
        pc: Pc(11),
        frames: 1,
    };
    let counts = a_loop().derive(&[7, 0, 0, 0], &[open]).unwrap();
    assert_eq!(counts.edges, [1, 7, 0, 6, 0, 0].map(Some));
    assert_eq!(counts.instructions[1], Some(vec![7, 7, 6]));
    // Without knowing of it the flow would not close.
    assert!(matches!(a_loop().derive(&[7, 0, 0, 0], &[]), Ok(c) if c.edges[0] == Some(0)));
}

#[test]
fn a_frame_that_stood_there_when_counting_began() {
    // The call of the test above goes on: one more iteration, and it returns; another one is at the same call in its second iteration.
    let standing = |frames| OpenFrame { pc: Pc(11), frames };
    let (first, last) = ([7, 0, 0, 0], [10, 1, 0, 0]);
    let before = a_loop().derive(&first, &[standing(1)]).unwrap();
    let after = a_loop().derive(&last, &[standing(1)]).unwrap();
    let minus = |a: &[Option<u64>], b: &[Option<u64>]| -> Vec<Option<u64>> {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| Some(a.unwrap() - b.unwrap())).collect()
    };
    let between = a_loop().derive(&[3, 1, 0, 0], &[]).unwrap();
    assert_eq!(between.edges, minus(&after.edges, &before.edges));
    // Nobody stands there at the end: the instruction behind the call runs more often than the block is entered.
    let ended = a_loop().derive(&[8, 1, 0, 0], &[]).unwrap();
    let rest = a_loop().derive(&[1, 1, 0, 0], &[standing(-1)]).unwrap();
    assert_eq!(rest.edges, minus(&ended.edges, &before.edges));
    assert_eq!(rest.instructions[1], Some(vec![1, 1, 2]));
    assert_eq!(rest.edges[0], Some(0));
}

#[test]
fn throws_before_super_are_differences() {
    // A constructor: block 0 ends with a call that may throw, block 1 with `super()`.
    let plan = method(
        3,
        vec![
            edge(-1, 0, EdgeKind::Entry, Some(0)),
            edge(0, 1, EdgeKind::Continue, Some(1)),
            edge(1, 2, EdgeKind::Continue, Some(2)),
            edge(2, -1, EdgeKind::Return, None),
        ],
    );
    let counts = plan
        .derive(
            &[10, 7, 4],
            &[OpenFrame {
                pc: Pc(12),
                frames: 1,
            }],
        )
        .unwrap();
    assert_eq!(counts.throws, [3, 2, 0].map(Some));
    assert_eq!(counts.edges, [10, 7, 4, 4].map(Some));
    let error = plan.derive(&[10, 11, 4], &[]).unwrap_err();
    assert_eq!(
        error,
        Imbalance::Negative {
            node: Place::Block(BlockId(0)),
            count: -1
        }
    );
}

#[test]
fn what_does_not_fit_is_an_imbalance_with_values() {
    let plan = a_loop();
    // More throws in block 1 than entries into it.
    let error = plan.derive(&[1, 0, 2, 0], &[]).unwrap_err();
    assert_eq!(
        error,
        Imbalance::Negative {
            node: Place::Block(BlockId(1)),
            count: -1
        }
    );
    assert_eq!(
        error.to_string(),
        "block 1: an edge would have been passed -1 times"
    );
    let error = plan.derive(&[1, 0, 2], &[]).unwrap_err();
    assert_eq!(
        error,
        Imbalance::MissingCounter {
            counter: CounterIndex(3),
            length: 3
        }
    );
    let stray = OpenFrame {
        pc: Pc(5),
        frames: 1,
    };
    assert_eq!(
        plan.derive(&[0; 4], &[stray]).unwrap_err(),
        Imbalance::StrayFrame { pc: Pc(5) }
    );
    // Everything counted and nothing to derive: the check that is left over.
    let over = method(
        1,
        vec![
            edge(-1, 0, EdgeKind::Entry, Some(0)),
            edge(0, -1, EdgeKind::Return, Some(1)),
        ],
    );
    assert_eq!(
        over.derive(&[2, 3], &[]).unwrap_err(),
        Imbalance::Contradiction {
            node: Place::Block(BlockId(0)),
            entered: 2,
            left: 3
        }
    );
    let under = method(
        1,
        vec![
            edge(-1, 0, EdgeKind::Entry, None),
            edge(0, -1, EdgeKind::Return, None),
        ],
    );
    assert!(matches!(
        under.derive(&[], &[]),
        Err(Imbalance::Undetermined { .. })
    ));
}

#[test]
fn counts_beyond_32_bits_stay_exact() {
    let huge = u64::from(u32::MAX) * 1_000;
    let counts = a_loop().derive(&[huge, huge - 5, 5, 5], &[]).unwrap();
    assert_eq!(
        counts.edges,
        [huge, huge, huge - 5, huge - 5, huge - 5, 5].map(Some)
    );
}
