//! Which method a call arrives at, and what its column is called, on small hierarchies.

use std::collections::BTreeMap;

use pricetag_dataset::{DatasetBuilder, FeatureKind};
use pricetag_probe_plan::{
    BlockId, BlockPlan, CallSite, ClassHash, ClassPlan, CounterIndex, EdgeKind, EdgePlan,
    Instruction, MethodOutcome, MethodPlan, Node, PLAN_VERSION, Pc, PlanStore,
};
use pricetag_tabulate::{TabulateOptions, Tabulator};
use pricetag_trace::{ClassCounters, ClassLoaded, Record, Trace};

const ABSTRACT: u16 = 0x0400;
const INTERFACE: u16 = 0x0600;
const BRIDGE: u16 = 0x1040;

/// A method that makes these calls, one after another; abstract if its flags say so.
fn method(name: &str, descriptor: &str, access: u16, calls: &[(&str, &str, &str)]) -> MethodPlan {
    let sites = calls.iter().zip(0u16..);
    let sites = sites.map(|(&(owner, name, descriptor), n)| CallSite {
        pc: Pc(3 * n),
        opcode: 0xb6,
        owner: owner.into(),
        name: name.into(),
        descriptor: descriptor.into(),
    });
    let calls: Vec<CallSite> = sites.collect();
    let end = 3 * calls.len() as u16;
    let instructions = calls.iter().map(|c| (c.pc, c.opcode));
    let instructions = instructions.chain([(Pc(end), 0xb1)]);
    let block = BlockPlan {
        start: Pc(0),
        end: u32::from(end) + 1,
        loop_depth: 0,
        innermost_loop: None,
        instructions: instructions
            .map(|(pc, opcode)| Instruction { pc, opcode })
            .collect(),
        lines: Vec::new(),
        calls,
    };
    let b = Node::Block(BlockId(0));
    let edge = |from, to, kind, counter| EdgePlan {
        from,
        to,
        kind,
        counter,
    };
    let concrete = access & ABSTRACT == 0;
    MethodPlan {
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        access,
        code_bytes: u32::from(end) + 1,
        outcome: if concrete {
            MethodOutcome::Counted
        } else {
            MethodOutcome::NoCode
        },
        blocks: if concrete { vec![block] } else { Vec::new() },
        edges: if concrete {
            let counter = Some(CounterIndex(0));
            vec![
                edge(Node::Entry, b, EdgeKind::Entry, counter),
                edge(b, Node::Exit, EdgeKind::Return, None),
            ]
        } else {
            Vec::new()
        },
        ..MethodPlan::default()
    }
}

fn class(
    hash: u128,
    name: &str,
    above: &[&str],
    access: u16,
    methods: Vec<MethodPlan>,
) -> ClassPlan {
    let mut above = above.iter().map(|s| (*s).to_owned());
    ClassPlan {
        version: PLAN_VERSION,
        hash: ClassHash(hash),
        name: name.to_owned(),
        super_name: above.next(),
        interfaces: above.collect(),
        source_file: None,
        access,
        major: 61,
        bytes: 1,
        counters: 1,
        methods,
        values: None,
        transitions: None,
        strides: None,
    }
}

/// A trace in which these classes are loaded and the class `Main`, whose hash is 0, ran once.
fn trace(classes: &[&ClassPlan]) -> Trace {
    let loaded = classes.iter().map(|class| {
        Record::Class(ClassLoaded {
            hash: class.hash,
            name: class.name.clone(),
            loaders: 1,
        })
    });
    let counters = Record::Counters(ClassCounters {
        hash: ClassHash(0),
        counts: vec![(0, 1)],
    });
    Trace {
        records: loaded.chain([counters, Record::End]).collect(),
        complete: true,
        damage: None,
    }
}

/// Columns and texts after these runs.
fn contexts(runs: &[&[&ClassPlan]]) -> BTreeMap<String, (f64, String)> {
    let dir = tempfile::tempdir().unwrap();
    let store = PlanStore::open(dir.path()).unwrap();
    for class in runs.iter().copied().flatten() {
        store.store(class).unwrap();
    }
    let options = TabulateOptions {
        kinds: [FeatureKind::Context].into(),
        ..TabulateOptions::default()
    };
    let mut tabulator = Tabulator::new(store, options);
    let mut builder = DatasetBuilder::default();
    let mut columns = BTreeMap::new();
    for run in runs {
        let row = tabulator.process(&trace(run), &mut builder).unwrap();
        for (id, n) in row.counts {
            let feature = &builder.features()[id.0 as usize];
            let text = feature.text.clone().unwrap_or_default();
            columns.insert(feature.name.clone(), (n, text));
        }
    }
    columns
}

/// `main` of class `Main`, which calls these methods once each.
fn main(calls: &[(&str, &str, &str)]) -> ClassPlan {
    class(
        0,
        "Main",
        &["java/lang/Object"],
        1,
        vec![method("main", "()V", 9, calls)],
    )
}

fn one(text: &str) -> (f64, String) {
    (1.0, text.to_owned())
}

#[test]
fn only_receivers_of_the_named_class_count() {
    let m = |access| method("m", "()V", access, &[]);
    let a = class(1, "A", &["java/lang/Object"], 1, vec![m(1)]);
    let b = class(2, "B", &["A"], 1, vec![]);
    let c = class(3, "C", &["A"], 1, vec![m(1)]);
    let of_b = main(&[("B", "m", "()V")]);
    let found = contexts(&[&[&of_b, &a, &b, &c]]);
    // A receiver is a B, so the method of C cannot run.
    assert_eq!(
        found["A.m() called from Main.main()"],
        one("calls made there")
    );
    let of_a = main(&[("A", "m", "()V")]);
    let found = contexts(&[&[&of_a, &a, &b, &c]]);
    assert_eq!(
        found["A.m() called from Main.main()"],
        one("calls made there, of 2 implementations together")
    );
}

#[test]
fn an_inherited_method_implements_an_interface() {
    let i = class(
        1,
        "I",
        &["java/lang/Object"],
        INTERFACE,
        vec![method("m", "()V", ABSTRACT | 1, &[])],
    );
    let a = class(
        2,
        "A",
        &["java/lang/Object"],
        1,
        vec![method("m", "()V", 1, &[])],
    );
    let b = class(3, "B", &["A", "I"], 1, vec![]);
    let c = class(
        4,
        "C",
        &["java/lang/Object", "I"],
        1,
        vec![method("m", "()V", 1, &[])],
    );
    let main = main(&[("I", "m", "()V")]);
    let found = contexts(&[&[&main, &i, &a, &b, &c]]);
    assert_eq!(
        found["I.m() called from Main.main()"],
        one("calls made there, of 2 implementations together")
    );
}

#[test]
fn the_most_implementations_of_any_run_are_told() {
    let m = || method("m", "()V", 1, &[]);
    let a = class(1, "A", &["java/lang/Object"], 1, vec![m()]);
    let b = class(2, "B", &["A"], 1, vec![m()]);
    let c = class(3, "C", &["A"], 1, vec![m()]);
    let main = main(&[("A", "m", "()V")]);
    for runs in [
        [
            &[&main, &a][..],
            &[&main, &a, &b, &c][..],
            &[&main, &a, &b][..],
        ],
        [
            &[&main, &a, &b, &c][..],
            &[&main, &a][..],
            &[&main, &a, &b][..],
        ],
    ] {
        let found = contexts(&runs);
        assert_eq!(
            found["A.m() called from Main.main()"],
            one("calls made there, of 3 implementations together")
        );
    }
}

#[test]
fn a_method_and_its_bridge_have_columns_of_their_own() {
    let methods = vec![
        method("copy", "()LA;", 1, &[]),
        method(
            "copy",
            "()Ljava/lang/Object;",
            BRIDGE | 1,
            &[("A", "copy", "()LA;")],
        ),
    ];
    let a = class(1, "A", &["java/lang/Object"], 1, methods);
    let main = main(&[
        ("A", "copy", "()LA;"),
        ("A", "copy", "()Ljava/lang/Object;"),
    ]);
    let found = contexts(&[&[&main, &a]]);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "A.copy()LA; called from Main.main()",
            "A.copy()Ljava/lang/Object; called from Main.main()"
        ]
    );
}

#[test]
fn classes_of_one_name_are_told_apart_as_callees() {
    let m = || method("m", "()V", 1, &[]);
    let first = class(1 << 96, "A", &["java/lang/Object"], 1, vec![m()]);
    let second = class(2 << 96, "A", &["java/lang/Object"], 1, vec![m()]);
    let main = main(&[("A", "m", "()V")]);
    let found = contexts(&[&[&main, &first], &[&main, &second]]);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "A.m() @00000002 called from Main.main()",
            "A.m() called from Main.main()"
        ]
    );
}

#[test]
fn what_hides_a_counted_method_without_being_counted_has_no_column() {
    let a = class(
        1,
        "A",
        &["java/lang/Object"],
        1,
        vec![method("m", "()V", 1, &[])],
    );
    let mut left = method("m", "()V", 1, &[]);
    left.outcome = MethodOutcome::Left("too large".to_owned());
    let b = class(2, "B", &["A"], 1, vec![left]);
    let main = main(&[("B", "m", "()V")]);
    assert_eq!(contexts(&[&[&main, &a, &b]]), BTreeMap::new());
}
