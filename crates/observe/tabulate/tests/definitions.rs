//! Small plans and traces whose rows are known by definition.

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_dataset::{Dataset, DatasetBuilder, FeatureKind, Observation};
use pricetag_probe_plan::{
    BlockId, BlockPlan, CallSite, ClassHash, ClassPlan, ComparisonPlan, CounterIndex, EdgeId,
    EdgeKind, EdgePlan, HandlerPlan, Instruction, LineStart, Literal, LoopPlan, MethodPlan, Node,
    PLAN_VERSION, Pc, PlanStore, ThrowPoint,
};
use pricetag_tabulate::{TabulateOptions, Tabulated, Tabulator, code_constants, compare};
use pricetag_trace::{
    ClassCounters, ClassLoaded, Invocation, OpenFrameRecord, ProcessCosts, Record, Trace,
};

const A: ClassHash = ClassHash(0xa);

fn block(pcs: std::ops::Range<u16>, opcodes: &[(u16, u8)], lines: &[u16]) -> BlockPlan {
    BlockPlan {
        start: Pc(pcs.start),
        end: u32::from(pcs.end),
        loop_depth: 0,
        innermost_loop: None,
        instructions: opcodes
            .iter()
            .map(|&(pc, opcode)| Instruction { pc: Pc(pc), opcode })
            .collect(),
        lines: (0..)
            .zip(lines)
            .map(|(at, &line)| LineStart { at, line })
            .collect(),
        calls: Vec::new(),
    }
}

fn call(pc: u16, opcode: u8, owner: &str, name: &str, descriptor: &str) -> CallSite {
    CallSite {
        pc: Pc(pc),
        opcode,
        owner: owner.into(),
        name: name.into(),
        descriptor: descriptor.into(),
    }
}

/// `for (i = n; i > 0; i--) { sorter.swap(); list.size(); this.hashCode(); }` in `try`; the handler is block 4.
fn sort() -> MethodPlan {
    let mut body = block(
        8..20,
        &[(8, 0x84), (11, 0xb6), (14, 0xb9), (19, 0xb6), (20, 0xa7)],
        &[13, 14],
    );
    body.calls = vec![
        call(11, 0xb6, "p/Sorter", "swap", "()V"),
        call(14, 0xb9, "java/util/List", "size", "()I"),
        call(19, 0xb6, "p/Sorter", "hashCode", "()I"),
    ];
    let b = |n| Node::Block(BlockId(n));
    let edge = |from, to, kind, counter| EdgePlan {
        from,
        to,
        kind,
        counter: Some(CounterIndex(counter)),
    };
    MethodPlan {
        name: "sort".to_owned(),
        descriptor: "([I)V".to_owned(),
        access: 1,
        code_bytes: 30,
        blocks: vec![
            block(0..2, &[(0, 0x1b), (1, 0x3d)], &[12]),
            block(2..8, &[(2, 0x1c), (3, 0x9e)], &[12]),
            body,
            block(24..25, &[(24, 0xb1)], &[16]),
            block(25..27, &[(25, 0x57), (26, 0xb1)], &[17]),
        ],
        edges: vec![
            edge(Node::Entry, b(0), EdgeKind::Entry, 0),
            edge(b(0), b(1), EdgeKind::FallThrough, 1),
            edge(b(1), b(3), EdgeKind::Taken, 2),
            edge(b(1), b(2), EdgeKind::NotTaken, 3),
            edge(b(2), b(1), EdgeKind::Jump, 4),
            edge(b(3), Node::Exit, EdgeKind::Return, 5),
            edge(b(4), Node::Exit, EdgeKind::Return, 6),
        ],
        throw_points: vec![ThrowPoint {
            pc: Pc(14),
            block: BlockId(2),
            counter: CounterIndex(7),
        }],
        handlers: vec![HandlerPlan {
            block: BlockId(4),
            catches: vec!["java/lang/RuntimeException".to_owned()],
            counter: CounterIndex(8),
        }],
        loops: vec![LoopPlan {
            header: BlockId(1),
            parent: None,
            depth: 1,
            back_edges: vec![EdgeId(4)],
            entry_edges: vec![EdgeId(1)],
            reducible: true,
        }],
        ..MethodPlan::default()
    }
}

/// Straight-line method with its only counter at `counter`.
fn swap(counter: u32) -> MethodPlan {
    let b = Node::Block(BlockId(0));
    MethodPlan {
        name: "swap".to_owned(),
        descriptor: "()V".to_owned(),
        code_bytes: 1,
        blocks: vec![block(0..1, &[(0, 0xb1)], &[])],
        edges: vec![
            EdgePlan {
                from: Node::Entry,
                to: b,
                kind: EdgeKind::Entry,
                counter: Some(CounterIndex(counter)),
            },
            EdgePlan {
                from: b,
                to: Node::Exit,
                kind: EdgeKind::Return,
                counter: None,
            },
        ],
        throw_points: vec![],
        handlers: vec![],
        loops: vec![],
        ..sort()
    }
}

fn class(hash: ClassHash) -> ClassPlan {
    ClassPlan {
        version: PLAN_VERSION,
        hash,
        name: "p/Sorter".to_owned(),
        super_name: Some("java/lang/Object".to_owned()),
        interfaces: vec![],
        source_file: Some("Sorter.java".to_owned()),
        access: 1,
        major: 65,
        bytes: 700,
        counters: 10,
        methods: vec![sort(), swap(9)],
        values: None,
        transitions: None,
        strides: None,
    }
}

struct World {
    _dir: tempfile::TempDir,
    tabulator: Tabulator,
    builder: DatasetBuilder,
}

fn world(classes: &[ClassPlan]) -> World {
    let dir = tempfile::tempdir().unwrap();
    let store = PlanStore::open(dir.path()).unwrap();
    for class in classes {
        store.store(class).unwrap();
    }
    World {
        _dir: dir,
        tabulator: Tabulator::new(store, TabulateOptions::default()),
        builder: DatasetBuilder::default(),
    }
}

/// One call of `sort` with `n` full iterations, and, if `throws`, one more that ends in the handler.
fn counters(hash: ClassHash, n: u64, throws: bool) -> ClassCounters {
    let t = u64::from(throws);
    let all = [1, 1, 1 - t, n + t, n, 1 - t, t, t, t, n + t];
    let counts = all.iter().enumerate().filter(|(_, c)| **c > 0);
    ClassCounters {
        hash,
        counts: counts.map(|(i, c)| (i as u32, *c)).collect(),
    }
}

fn loaded(hash: ClassHash, name: &str) -> Record {
    Record::Class(ClassLoaded {
        hash,
        name: name.to_owned(),
        loaders: 1,
    })
}

fn trace(mut records: Vec<Record>) -> Trace {
    records.push(Record::End);
    Trace {
        records,
        complete: true,
        damage: None,
    }
}

fn plain(n: u64, throws: bool) -> Trace {
    trace(vec![
        loaded(A, "p/Sorter"),
        Record::Counters(counters(A, n, throws)),
        Record::Process(ProcessCosts {
            classes_loaded: 40,
            ..ProcessCosts::default()
        }),
    ])
}

fn named(row: &Tabulated, builder: &DatasetBuilder) -> BTreeMap<String, f64> {
    let counts = row.counts.iter();
    counts
        .map(|(id, v)| (builder.features()[id.0 as usize].name.clone(), *v))
        .collect()
}

#[test]
fn every_kind_of_feature_by_definition() {
    let mut w = world(&[class(A)]);
    let row = w
        .tabulator
        .process(&plain(5, true), &mut w.builder)
        .unwrap();
    assert_eq!(row.caveats, [] as [&str; 0]);
    let got = named(&row, &w.builder);
    for (name, count) in [
        ("p.Sorter.sort(int[]) invocations", 1.0),
        ("p.Sorter.swap() invocations", 6.0),
        ("p.Sorter.sort(int[]) block 0 (Sorter.java:12)", 1.0),
        ("p.Sorter.sort(int[]) block 1 (Sorter.java:12)", 6.0),
        ("p.Sorter.sort(int[]) block 2 (Sorter.java:13-14)", 6.0),
        ("p.Sorter.sort(int[]) block 4 (Sorter.java:17)", 1.0),
        ("p.Sorter.swap() block 0", 6.0),
        (
            "p.Sorter.sort(int[]) loop 0 at block 1 (Sorter.java:12)",
            6.0,
        ),
        (
            "p.Sorter.sort(int[]) block 1 not taken (Sorter.java:12)",
            6.0,
        ),
        (
            "p.Sorter.sort(int[]) handler 0 at block 4 (Sorter.java:17)",
            1.0,
        ),
        // `size` threw once: it was called six times, `hashCode` behind it only five.
        ("call java.util.List.size()", 6.0),
        ("call java.lang.Object.hashCode()", 5.0),
        ("base price", 1.0),
        ("classes loaded", 40.0),
        ("counted classes loaded", 1.0),
        ("bytes of counted classes", 700.0),
        ("methods first executed", 2.0),
        ("blocks first executed", 5.0),
        // 2 + 6 + 12 + 2 + 1 bytes of blocks that ran.
        ("bytecode first executed", 23.0),
        // 2 + 6·2 + 6·5 - 2 (behind the throw) + 2 in sort, 6 in swap; all interpreted.
        ("instructions interpreted", 50.0),
    ] {
        assert_eq!(got.get(name), Some(&count), "{name} in {got:#?}");
    }
    assert!(!got.contains_key("p.Sorter.sort(int[]) block 3 (Sorter.java:16)"));
    assert!(!got.keys().any(|name| name.contains("call p.Sorter")));
    let opcodes: f64 = got
        .iter()
        .filter(|(name, _)| name.starts_with("opcode "))
        .map(|(_, count)| count)
        .sum();
    assert_eq!(opcodes, 50.0);
}

#[test]
fn a_block_consists_of_its_opcodes_and_leaving_calls() {
    let mut w = world(&[class(A)]);
    let row = w
        .tabulator
        .process(&plain(3, false), &mut w.builder)
        .unwrap();
    w.builder.row(row.into_row(Observation::default(), None));
    let dataset = w.builder.finish();
    dataset.validate().unwrap();
    let block = dataset
        .feature_id("p.Sorter.sort(int[]) block 2 (Sorter.java:13-14)")
        .unwrap();
    let parts: Vec<_> = dataset.parts.iter().filter(|p| p.whole == block).collect();
    let dataset = &dataset;
    let of_kind = |kind| {
        let parts = parts
            .iter()
            .filter(move |p| dataset.feature(p.part).kind == kind);
        parts.map(|p| p.amount).sum::<f64>()
    };
    assert_eq!(of_kind(FeatureKind::Opcode), 5.0);
    assert_eq!(of_kind(FeatureKind::Call), 2.0);
    let text = dataset.feature(block).text.as_deref().unwrap();
    assert!(
        text.contains("14 invokeinterface java.util.List.size()"),
        "{text}"
    );
    // Blocks × parts gives the opcode totals, for no exception cut a block short.
    for (id, feature) in dataset.features.iter().enumerate() {
        if feature.kind != FeatureKind::Opcode {
            continue;
        }
        let from_blocks: f64 = dataset
            .parts
            .iter()
            .filter(|p| p.part.0 as usize == id)
            .map(|p| p.amount * dataset.dense(p.whole)[0])
            .sum();
        assert_eq!(
            from_blocks,
            dataset.dense(dataset.feature_id(&feature.name).unwrap())[0]
        );
    }
}

#[test]
fn open_frames_count_what_they_ran() {
    let mut w = world(&[class(A)]);
    // `System.exit` within the first call of `size`.
    let open = trace(vec![
        loaded(A, "p/Sorter"),
        Record::Counters(ClassCounters {
            hash: A,
            counts: vec![(0, 1), (1, 1), (3, 1), (9, 1)],
        }),
        Record::OpenFrame(OpenFrameRecord {
            hash: A,
            method: 0,
            pc: Pc(14),
            running: true,
        }),
    ]);
    let row = w.tabulator.process(&open, &mut w.builder).unwrap();
    assert!(
        row.caveats[0].contains("still running counted code at the end: 1;"),
        "{:?}",
        row.caveats
    );
    let got = named(&row, &w.builder);
    assert_eq!(got["call java.util.List.size()"], 1.0);
    assert!(!got.contains_key("call java.lang.Object.hashCode()"));
    // What it has not told yet would be an interval's that begins there.
    let row = w
        .tabulator
        .interval(&open, &plain(2, false), &mut w.builder)
        .unwrap();
    let at = |c: &String| c.contains("running counted code at the beginning: 1;");
    assert!(row.caveats.iter().any(at), "{:?}", row.caveats);
}

#[test]
fn nothing_is_silent() {
    let mut w = world(&[class(A)]);
    let mut bad = plain(5, false);
    bad.records[1] = Record::Counters(ClassCounters {
        hash: A,
        counts: vec![(0, 1), (1, 1), (3, 9), (4, 2), (77, 1)],
    });
    bad.records.insert(1, loaded(ClassHash(0xb), "q/Lost"));
    bad.records.insert(
        1,
        Record::Inexact("a chunk could not be allocated".to_owned()),
    );
    bad.records.insert(
        1,
        Record::Left(pricetag_trace::Left {
            class: "q/Huge".to_owned(),
            method: Some("f()V".to_owned()),
            reason: "too large".to_owned(),
        }),
    );
    bad.records.pop();
    bad.complete = false;
    let row = w.tabulator.process(&bad, &mut w.builder).unwrap();
    let all = row.caveats.join("\n");
    for part in [
        "the trace is incomplete",
        "chunk could not be allocated",
        "no probe plan for q.Lost",
        "p.Sorter.sort(int[]) is not counted exactly",
        "1 counters that no plan knows",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert_eq!(row.left, ["q.Huge.f()V: too large"]);
    assert!(!named(&row, &w.builder).keys().any(|n| n.contains("sort(")));
}

#[test]
fn two_runs_are_compared() {
    let mut w = world(&[class(A)]);
    let a = w
        .tabulator
        .process(&plain(5, false), &mut w.builder)
        .unwrap();
    let same = w
        .tabulator
        .process(&plain(5, false), &mut w.builder)
        .unwrap();
    let b = w
        .tabulator
        .process(&plain(7, false), &mut w.builder)
        .unwrap();
    assert_eq!(compare(&a, &same, &w.builder).features, []);
    let difference = compare(&a, &b, &w.builder);
    let caveat = difference.caveat.clone().unwrap();
    assert!(
        caveat.contains("differ between two counting runs"),
        "{caveat}"
    );
    w.builder
        .row(a.into_row(Observation::default(), Some(difference)));
    let dataset = w.builder.finish();
    let mark = |name: &str| {
        dataset
            .feature(dataset.feature_id(name).unwrap())
            .nondeterministic
    };
    assert_eq!(mark("p.Sorter.swap() invocations"), 1);
    assert_eq!(mark("p.Sorter.sort(int[]) invocations"), 0);
    assert_eq!(dataset.observations[0].caveats, [caveat]);
}

#[test]
fn each_invocation_is_a_row() {
    let mut w = world(&[class(A)]);
    let invocation = |sequence, n, threw| {
        Record::Invocation(Invocation {
            scope: 0,
            sequence,
            thread: 0,
            arguments: vec![],
            start_ns: 0,
            wall_ns: 1,
            cpu_ns: 1,
            allocated_bytes: 0,
            collections: 0,
            threw,
            counters: vec![counters(A, n, threw)],
            classes_loaded: 0,
        })
    };
    let t = trace(vec![
        loaded(A, "p/Sorter"),
        invocation(0, 2, false),
        invocation(1, 4, true),
    ]);
    let rows = w.tabulator.invocations(&t, &mut w.builder).unwrap();
    let first = named(&rows[0], &w.builder);
    assert_eq!(first["p.Sorter.swap() invocations"], 2.0);
    assert_eq!(first["base price"], 1.0);
    assert!(
        !first.keys().any(|name| name.starts_with("cold")),
        "a warm JVM"
    );
    assert_eq!(rows[1].caveats, ["the invocation ended by an exception"]);
    assert_eq!(
        w.tabulator.invocation(&t, 1, &mut w.builder).unwrap(),
        rows[1]
    );
    assert!(w.tabulator.invocation(&t, 2, &mut w.builder).is_err());
}

#[test]
fn classes_of_one_name_stay_apart() {
    let other = ClassHash(0xbbbb_bbbb << 96);
    let mut w = world(&[class(A), class(other)]);
    let both = trace(vec![
        loaded(A, "p/Sorter"),
        loaded(other, "p/Sorter"),
        Record::Counters(counters(A, 1, false)),
        Record::Counters(counters(other, 2, false)),
    ]);
    let row = w.tabulator.process(&both, &mut w.builder).unwrap();
    let got = named(&row, &w.builder);
    assert_eq!(got["p.Sorter.swap() invocations"], 1.0);
    assert_eq!(got["p.Sorter.swap() @bbbbbbbb invocations"], 2.0);
}

fn dataset_of(order: &[u64]) -> Dataset {
    let mut w = world(&[class(A)]);
    for n in order {
        let row = w
            .tabulator
            .process(&plain(*n, *n == 2), &mut w.builder)
            .unwrap();
        let observation = Observation {
            label: n.to_string(),
            ..Observation::default()
        };
        w.builder.row(row.into_row(observation, None));
    }
    w.builder.finish()
}

#[test]
fn the_order_of_runs_does_not_matter_to_features() {
    let (a, b) = (dataset_of(&[0, 2, 4]), dataset_of(&[4, 2, 0]));
    assert_eq!(a.features, b.features);
    assert_eq!(a.parts, b.parts);
    let dir = tempfile::tempdir().unwrap();
    let path: &Path = dir.path();
    pricetag_dataset::save(&a, path).unwrap();
    assert_eq!(pricetag_dataset::open(path).unwrap().digest(), a.digest());
    if let Ok(keep) = std::env::var("KEEP_DATASET") {
        pricetag_dataset::save(&a, Path::new(&keep)).unwrap();
    }
}

/// A comparison in `sort`, at the loop's header (block 1) or in the handler (block 4).
fn comparison(block: u32, line: Option<u16>, literal: Literal) -> ComparisonPlan {
    ComparisonPlan {
        pc: Pc(3),
        block: BlockId(block),
        line,
        literal,
    }
}

#[test]
fn numbers_of_the_code_are_ranked_by_the_executions_of_their_comparisons() {
    let mut plan = class(A);
    let fraction = Literal::Real(0.75_f64.to_bits());
    plan.methods[0].comparisons = vec![
        comparison(0, Some(12), Literal::Integer(64)),
        comparison(1, Some(13), fraction),
        comparison(4, Some(17), Literal::Integer(1000)),
    ];
    plan.methods[1].comparisons = vec![comparison(0, None, Literal::Integer(64))];
    let dir = tempfile::tempdir().unwrap();
    let store = PlanStore::open(dir.path()).unwrap();
    store.store(&plan).unwrap();
    let found = |kinds: &[FeatureKind]| {
        let mut options = TabulateOptions::default();
        options.kinds.retain(|kind| kinds.contains(kind));
        let mut tabulator = Tabulator::new(PlanStore::open(dir.path()).unwrap(), options);
        let mut builder = DatasetBuilder::default();
        for n in [2, 4] {
            let row = tabulator.process(&plain(n, false), &mut builder).unwrap();
            let observation = Observation {
                label: n.to_string(),
                ..Observation::default()
            };
            builder.row(row.into_row(observation, None));
        }
        let dataset = builder.finish();
        let constants = code_constants(&store, &dataset).unwrap();
        let plain = constants.into_iter();
        plain
            .map(|c| (c.value, c.executions, c.places))
            .collect::<Vec<_>>()
    };
    let head = "p.Sorter.sort(int[]), line 12".to_owned();
    let body = "p.Sorter.sort(int[]), line 13".to_owned();
    let handler = "p.Sorter.sort(int[]), line 17".to_owned();
    let swap = "p.Sorter.swap()".to_owned();
    // Two runs: 2 entries, 3 + 5 passes of the header, 2 + 4 swaps; the handler never ran.
    assert_eq!(
        found(&[FeatureKind::Block, FeatureKind::Method]),
        [
            (0.75, 8.0, vec![body.clone()]),
            (64.0, 8.0, vec![swap.clone(), head.clone()]),
        ]
    );
    // Methods alone: of what is in them, everything counts as often as they.
    assert_eq!(
        found(&[FeatureKind::Method]),
        [
            (64.0, 8.0, vec![swap.clone(), head.clone()]),
            (0.75, 2.0, vec![body.clone()]),
            (1000.0, 2.0, vec![handler.clone()]),
        ]
    );
    // Nothing tells.
    let names: Vec<f64> = found(&[FeatureKind::Opcode]).iter().map(|c| c.0).collect();
    assert_eq!(names, [64.0, 0.75, 1000.0]);
}
