//! Stored plans read back as they were; whatever else is read is refused, never misread.

use pricetag_probe_plan::*;
use proptest::prelude::*;

fn plan() -> ClassPlan {
    let block = BlockPlan {
        start: Pc(0),
        end: 4,
        loop_depth: 0,
        innermost_loop: None,
        instructions: vec![
            Instruction {
                pc: Pc(0),
                opcode: 0xb8,
            },
            Instruction {
                pc: Pc(3),
                opcode: 0xb1,
            },
        ],
        lines: vec![LineStart { at: 0, line: 7 }],
        calls: vec![CallSite {
            pc: Pc(0),
            opcode: 0xb8,
            owner: "A".into(),
            name: "f".into(),
            descriptor: "()V".into(),
        }],
    };
    let method = MethodPlan {
        name: "m".into(),
        descriptor: "()V".into(),
        access: 9,
        code_bytes: 4,
        blocks: vec![block],
        edges: vec![
            EdgePlan {
                from: Node::Entry,
                to: Node::Block(BlockId(0)),
                kind: EdgeKind::Entry,
                counter: None,
            },
            EdgePlan {
                from: Node::Block(BlockId(0)),
                to: Node::Exit,
                kind: EdgeKind::Return,
                counter: Some(CounterIndex(0)),
            },
        ],
        throw_points: vec![ThrowPoint {
            pc: Pc(0),
            block: BlockId(0),
            counter: CounterIndex(1),
        }],
        comparisons: vec![ComparisonPlan {
            pc: Pc(3),
            block: BlockId(0),
            line: Some(7),
            literal: Literal::Integer(200_000),
        }],
        ..MethodPlan::default()
    };
    ClassPlan {
        version: PLAN_VERSION,
        hash: ClassHash::of(b"class"),
        name: "A".into(),
        super_name: Some("java/lang/Object".into()),
        interfaces: vec!["B".into()],
        source_file: None,
        access: 0x21,
        major: 61,
        bytes: 5,
        counters: 2,
        methods: vec![method],
        values: None,
        transitions: None,
        strides: None,
    }
}

#[test]
fn a_plan_reads_back_as_it_was() {
    let bytes = plan().to_bytes().unwrap();
    assert_eq!(ClassPlan::from_bytes(&bytes).unwrap(), plan());
}

#[test]
fn each_target_is_stored_once() {
    let calling = |times: u16| {
        let mut plan = plan();
        let block = &mut plan.methods[0].blocks[0];
        let places = || (0..times).map(|n| Pc(3 * n));
        let call = block.calls[0].clone();
        block.instructions = places()
            .map(|pc| Instruction { pc, opcode: 0xb8 })
            .collect();
        // Of another name, and copies that share no text.
        block.calls = places()
            .map(|pc| CallSite {
                pc,
                owner: "a/class/of/some/package".into(),
                name: if pc.0 % 2 == 0 { "f" } else { "g" }.into(),
                ..call.clone()
            })
            .collect();
        plan
    };
    let stored = |times| calling(times).to_bytes().unwrap();
    assert_eq!(ClassPlan::from_bytes(&stored(20)).unwrap(), calling(20));
    // An instruction and a number each.
    assert_eq!(stored(20).len() - stored(10).len(), 10 * 3);
}

#[test]
fn a_plan_whose_calls_are_not_those_of_its_instructions_is_not_stored() {
    let refused = |spoil: &dyn Fn(&mut BlockPlan)| {
        let mut spoilt = plan();
        spoil(&mut spoilt.methods[0].blocks[0]);
        let stored = spoilt.to_bytes();
        assert!(matches!(stored, Err(CodecError::Dangling(_))), "{stored:?}");
    };
    refused(&|block| block.calls.clear());
    refused(&|block| block.calls.push(block.calls[0].clone()));
    refused(&|block| block.calls[0].pc = Pc(3));
    refused(&|block| block.calls[0].opcode = 0xb6);
    refused(&|block| block.instructions[0].opcode = 0);
}

/// Under a right checksum, as only another program's mistake would have it.
#[test]
fn calls_of_targets_or_names_that_are_not_there_are_refused() {
    let sealed = plan().to_bytes().unwrap();
    let body = &sealed[16..sealed.len() - 16];
    // Three names, a target of theirs, an invocation of it.
    let told = *b"\x03\x01A\x01f\x03()V\x01\x00\x01\x02\x01\x00";
    assert!(body.ends_with(&told), "{body:?}");
    let read = |calls: &[u8]| {
        let body = [&body[..body.len() - told.len()], calls].concat();
        let mut bytes = sealed[..12].to_vec();
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        let checksum = twox_hash::XxHash3_128::oneshot(&bytes);
        bytes.extend(checksum.to_le_bytes());
        ClassPlan::from_bytes(&bytes)
    };
    assert_eq!(read(&told).unwrap(), plan());
    for calls in [
        &b"\x03\x01A\x01f\x03()V\x01\x00\x01\x02\x01\x01"[..],
        b"\x03\x01A\x01f\x03()V\x01\x00\x01\x03\x01\x00",
        b"\x02\x01A\x01f\x01\x00\x01\x02\x01\x00",
        b"\x03\x01A\x01f\x03()V\x01\x00\x01\x02\x00",
        b"\x03\x01A\x01f\x03()V\x01\x00\x01\x02\x02\x00\x00",
        b"\x00\x00\x00",
    ] {
        let read = read(calls);
        assert!(matches!(read, Err(CodecError::Dangling(_))), "{read:?}");
    }
}

/// The plan with an `iaload` in place of its call's first byte, whose strides are counted.
fn striding(change: impl Fn(&mut StridePlan)) -> ClassPlan {
    let mut plan = plan();
    plan.methods[0].blocks[0].instructions[0].opcode = 0x2e;
    plan.methods[0].blocks[0].calls.clear();
    let mut stride = StridePlan {
        method: 0,
        pc: Pc(0),
        block: BlockId(0),
        counter: CounterIndex(0),
        last: CounterIndex(1),
    };
    change(&mut stride);
    plan.strides = Some(vec![stride]);
    plan
}

#[test]
fn strides_where_no_array_is_read_are_refused() {
    let stored = |plan: ClassPlan| ClassPlan::from_bytes(&plan.to_bytes().unwrap());
    let sound = striding(|_| ());
    assert_eq!(stored(sound.clone()).unwrap(), sound);
    let changes: [fn(&mut StridePlan); 5] = [
        |s| s.method = 1,
        |s| s.pc = Pc(3),
        |s| s.block = BlockId(1),
        |s| s.counter = CounterIndex(2),
        |s| s.last = CounterIndex(2),
    ];
    for change in changes {
        assert!(stored(striding(change)).is_err());
    }
}

#[test]
fn hashes_are_xxh3_128() {
    // The empty input's hash, from the reference implementation (`xxhsum -H128 </dev/null`).
    assert_eq!(
        ClassHash::of(b"").to_string(),
        "99aa06d3014798d86001c324468d497f"
    );
}

#[test]
fn every_torn_and_every_altered_plan_is_refused() {
    let bytes = plan().to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert!(
            ClassPlan::from_bytes(&bytes[..length]).is_err(),
            "{length} bytes"
        );
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(
                ClassPlan::from_bytes(&damaged).is_err(),
                "bit {bit} of byte {at}"
            );
        }
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(
        ClassPlan::from_bytes(&longer),
        Err(CodecError::Length { .. })
    ));
}

/// Found by fuzzing with the checksum put right: deriving counts indexed blocks that were not there.
#[test]
fn a_plan_that_refers_to_nothing_is_refused() {
    let refused = |spoil: &dyn Fn(&mut ClassPlan)| {
        let mut spoilt = plan();
        spoil(&mut spoilt);
        let read = ClassPlan::from_bytes(&spoilt.to_bytes().unwrap());
        assert!(matches!(read, Err(CodecError::Dangling(_))), "{read:?}");
    };
    refused(&|plan| plan.methods[0].edges[0].to = Node::Block(BlockId(1000)));
    refused(&|plan| plan.methods[0].throw_points[0].block = BlockId(1000));
    refused(&|plan| plan.methods[0].blocks[0].innermost_loop = Some(0));
    refused(&|plan| plan.methods[0].removed_loops = vec![0]);
    refused(&|plan| plan.methods[0].listed_blocks = Some(vec![BlockId(1000)]));
    refused(&|plan| plan.methods[0].comparisons[0].block = BlockId(1000));
    refused(&|plan| {
        plan.methods[0].handlers.push(HandlerPlan {
            block: BlockId(1),
            catches: Vec::new(),
            counter: CounterIndex(0),
        });
    });
    let around = |parent: Option<u32>, edge: u32| LoopPlan {
        header: BlockId(0),
        parent,
        depth: 1,
        back_edges: vec![EdgeId(edge)],
        entry_edges: Vec::new(),
        reducible: true,
    };
    refused(&|plan| plan.methods[0].loops.push(around(None, 2)));
    refused(&|plan| plan.methods[0].loops.push(around(Some(0), 1)));
    refused(&|plan| plan.counters = 0);
}

proptest! {
    #[test]
    fn foreign_bytes_are_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..200), magic: bool) {
        if magic && bytes.len() >= 8 {
            bytes[..8].copy_from_slice(&MAGIC);
        }
        prop_assert!(ClassPlan::from_bytes(&bytes).is_err());
    }
}

#[test]
fn the_dump_shows_everything() {
    let text = plan().to_string();
    assert_eq!(
        text,
        "class A extends java/lang/Object implements B: version 61, 5 bytes, 2 counters\n\
         method m()V: 4 bytes\n  \
         b0 [0, 4) depth 0 lines 7-7: invokestatic return\n    \
         call 0 invokestatic A.f()V\n  \
         e0 entry -> b0 entry\n  \
         e1 b0 -> exit return #0\n  \
         throw 0 in b0 #1\n  \
         compares 3 in b0 with 200000 line 7\n"
    );
}
