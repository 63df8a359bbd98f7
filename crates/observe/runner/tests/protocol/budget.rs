//! The overhead budget: probes removed until a measured run fits.

use pricetag_probe_plan::{
    BlockId, BlockPlan, ClassHash, ClassPlan, CounterIndex, EdgeId, EdgeKind, EdgePlan,
    Instruction, LineStart, LoopPlan, MethodOutcome, MethodPlan, Node, PLAN_VERSION, Pc, PlanStore,
};
use pricetag_runner::{RecordOptions, RunnerError};
use pricetag_trace::{ClassCounters, REMOVED, Record};

use crate::bench::*;

fn planned(bench: &Bench, folder: &str, skipped: bool) {
    let method = |name: &str, counter: Option<u32>| {
        let edge = |from, to, kind, counter: Option<u32>| EdgePlan {
            from,
            to,
            kind,
            counter: counter.map(CounterIndex),
        };
        let block = Node::Block(BlockId(0));
        MethodPlan {
            name: name.to_owned(),
            descriptor: "()V".to_owned(),
            access: 8,
            code_bytes: 1,
            outcome: match counter {
                Some(_) => MethodOutcome::Counted,
                None => MethodOutcome::Left(REMOVED.to_owned()),
            },
            blocks: vec![BlockPlan {
                start: Pc(0),
                end: 1,
                loop_depth: 0,
                innermost_loop: None,
                instructions: vec![Instruction {
                    pc: Pc(0),
                    opcode: 0xb1,
                }],
                lines: vec![],
                calls: vec![],
            }],
            edges: vec![
                edge(Node::Entry, block, EdgeKind::Entry, counter),
                edge(block, Node::Exit, EdgeKind::Return, None),
            ],
            ..MethodPlan::default()
        }
    };
    let plan = ClassPlan {
        version: PLAN_VERSION,
        hash: ClassHash(1),
        name: "a/B".to_owned(),
        super_name: None,
        interfaces: vec![],
        source_file: None,
        access: 0,
        major: 61,
        bytes: 1,
        counters: 2,
        methods: vec![
            method("hot", (!skipped).then_some(1)),
            method("cool", Some(0)),
        ],
        values: None,
        transitions: None,
        strides: None,
    };
    let store = PlanStore::open(bench.path(folder)).unwrap();
    store.store(&plan).unwrap();
}

/// A method of three blocks, of which the middle one is a loop that may be without its counter.
fn planned_loop(bench: &Bench, folder: &str, removed: bool) {
    let node = |b| Node::Block(BlockId(b));
    let edge = |from, to, kind, counter: Option<u32>| EdgePlan {
        from,
        to,
        kind,
        counter: counter.map(CounterIndex),
    };
    let block = |pc: u16, around: Option<u32>| BlockPlan {
        start: Pc(pc),
        end: u32::from(pc) + 1,
        loop_depth: u32::from(around.is_some()),
        innermost_loop: around,
        instructions: vec![Instruction {
            pc: Pc(pc),
            opcode: 0,
        }],
        lines: vec![LineStart {
            at: 0,
            line: pc + 30,
        }],
        calls: vec![],
    };
    planned(bench, folder, false);
    let store = PlanStore::open(bench.path(folder)).unwrap();
    let mut plan = store.load(ClassHash(1)).unwrap().unwrap();
    plan.methods[0] = MethodPlan {
        blocks: vec![block(0, None), block(4, Some(0)), block(9, None)],
        edges: vec![
            edge(Node::Entry, node(0), EdgeKind::Entry, None),
            edge(node(0), node(1), EdgeKind::FallThrough, None),
            edge(node(1), node(1), EdgeKind::Taken, (!removed).then_some(1)),
            edge(node(1), node(2), EdgeKind::NotTaken, None),
            edge(node(2), Node::Exit, EdgeKind::Return, Some(0)),
        ],
        loops: vec![LoopPlan {
            header: BlockId(1),
            parent: None,
            depth: 1,
            back_edges: vec![EdgeId(2)],
            entry_edges: vec![EdgeId(1)],
            reducible: true,
        }],
        removed_loops: Vec::from_iter(removed.then_some(0)),
        ..plan.methods[0].clone()
    };
    plan.methods.truncate(1);
    store.store(&plan).unwrap();
}

#[test]
fn the_budget_removes_the_hot_loop_and_keeps_its_method() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    planned_loop(&bench, "plans", false);
    planned_loop(&bench, "plans-skip", true);
    bench.trace("count", counted(1500, &[(0, 1), (1, 98)]));
    bench.trace("count-skip", counted(1020, &[(0, 1)]));
    let options = RecordOptions {
        jobs: 1,
        overhead: Some(0.05),
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    let note = &recorded.meta.notes[0];
    // 98 of 100 operations: one entry, and the update behind the loop.
    let named = "one group of probes removed";
    let removed = "the loop at line 34 of a/B.hot()V (49.0 %)";
    assert!(note.contains(named) && note.ends_with(removed), "{note}");
    let kept = std::fs::read_to_string(bench.path("data/.recording/budget.json"));
    assert!(kept.unwrap().contains("a/B.hot()V@4"));
}

fn counted(wall: u64, counts: &[(u32, u64)]) -> Vec<Record> {
    let counts = counts.to_vec();
    let hash = ClassHash(1);
    vec![
        process(wall),
        Record::Counters(ClassCounters { hash, counts }),
    ]
}

#[test]
fn the_budget_removes_the_hot_method_and_resuming_keeps_the_choice() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    planned(&bench, "plans", false);
    planned(&bench, "plans-skip", true);
    bench.trace("count", counted(1500, &[(0, 1), (1, 99)]));
    bench.trace("count-skip", counted(1020, &[(0, 1)]));
    let options = RecordOptions {
        jobs: 1,
        overhead: Some(0.05),
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    let log = bench.log();
    let (plain, count) = ("bare /b", "count /b");
    // One run that rewrites all classes, and three pairs, which are enough to see that it is too slow.
    let trials = [count, plain, count, count, plain, plain, count];
    assert_eq!(log[..7], trials, "plain and counted runs alternate");
    let skipping: Vec<usize> = log
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("count-skip"))
        .map(|(at, _)| at)
        .collect();
    assert_eq!(
        skipping.len(),
        (1 + 15) + (1 + 30) + 3,
        "a look at what is left, what confirms it, and the recording itself: {log:?}"
    );
    assert_eq!(skipping[0], trials.len());
    let note = &recorded.meta.notes[0];
    assert!(
        note.contains("cost 50.0 %, now 2.0 % (upper bound 2.0 %)")
            && note.contains("a/B.hot()V (49.5 %)"),
        "{note}"
    );
    assert_eq!(recorded.meta.options["overhead_budget"], "5.0 %");
    assert!(!bench.path("data/.recording/trials").exists());
    drop(recorded);
    go(&RecordOptions {
        resume: true,
        repeat: 3,
        ..options.clone()
    })
    .unwrap();
    assert_eq!(bench.log()[log.len()..], ["time /a", "time /b"]);
    let other = RecordOptions {
        resume: true,
        overhead: Some(0.1),
        ..options
    };
    assert!(matches!(
        go(&other),
        Err(RunnerError::ResumeMismatch { .. })
    ));
}

#[test]
fn a_budget_that_cannot_be_met_says_what_could() {
    let bench = Bench::new(&[("a", "")]);
    let error = go(&RecordOptions {
        overhead: Some(0.05),
        ..bench.options()
    })
    .unwrap_err();
    assert!(matches!(error, RunnerError::OverBudget { .. }), "{error}");
    assert!(
        error.to_string().contains("50.0 % with all probes"),
        "{error}"
    );
    assert!(error.advice().is_some());
}

#[test]
fn a_budget_does_not_hide_why_nothing_runs() {
    let bench = Bench::new(&[("a", "fail"), ("b", "fail")]);
    let recorded = go(&RecordOptions {
        overhead: Some(0.05),
        ..bench.options()
    })
    .unwrap();
    assert_eq!(recorded.successes(), 0);
    assert!(
        recorded.rows[0]
            .observation
            .reason
            .as_ref()
            .unwrap()
            .contains("boom")
    );
}

#[test]
fn an_input_that_can_be_counted_stands_for_all() {
    let bench = Bench::new(&[("a", ""), ("b", "fail-count")]);
    bench.trace("count", counted(1010, &[(0, 1)]));
    go(&RecordOptions {
        jobs: 1,
        overhead: Some(0.05),
        ..bench.options()
    })
    .unwrap();
    let tried = bench.log();
    assert_eq!(tried[..4], ["count /b", "bare /b", "count /a", "bare /a"]);
}

#[test]
fn a_budget_is_not_dropped_where_counting_alone_fails() {
    let bench = Bench::new(&[("a", "fail"), ("b", "fail-count")]);
    let error = go(&RecordOptions {
        overhead: Some(0.05),
        ..bench.options()
    })
    .unwrap_err();
    assert!(
        matches!(&error, RunnerError::BudgetUnmeasured { input, why, .. } if input.contains('b') && why.contains("exit code 9")),
        "{error}"
    );
    let tried = ["count /b", "bare /b", "count /a", "count /b"];
    assert_eq!(bench.log(), tried);
}

#[test]
fn a_run_that_fails_once_is_made_again_and_one_that_fails_ever_again_is_an_error() {
    let bench = Bench::new(&[("a", "fail-count-once")]);
    bench.trace("count", counted(1010, &[(0, 1)]));
    let options = RecordOptions {
        jobs: 1,
        overhead: Some(0.05),
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    let note = &recorded.meta.notes[0];
    assert!(note.contains("nothing was removed"), "{note}");
    let log = bench.log();
    assert_eq!(log[..4], ["count /a", "bare /a", "count /a", "bare /a"]);

    let bench = Bench::new(&[("a", "fail-bare")]);
    let error = go(&RecordOptions {
        overhead: Some(0.05),
        ..bench.options()
    })
    .unwrap_err();
    assert!(
        matches!(error, RunnerError::BudgetUnmeasured { .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("failed 3 times") && error.to_string().contains("exit code 9")
    );
    assert!(error.advice().is_some());
    let tried = bench.log();
    let plain = tried.iter().filter(|line| *line == "bare /a");
    assert_eq!(plain.count(), 3, "{tried:?}");
}

#[test]
fn the_runs_of_a_pair_are_at_the_same_time_if_they_may_be() {
    for jobs in [1, 2] {
        let bench = Bench::new(&[("a", "slow")]);
        bench.trace("count", counted(1010, &[(0, 1)]));
        let options = RecordOptions {
            jobs,
            overhead: Some(0.05),
            ..bench.options()
        };
        let recorded = go(&options).unwrap();
        assert!(recorded.meta.notes[0].contains("nothing was removed"));
        let spans = std::fs::read_to_string(bench.path("spans")).unwrap();
        let together = spans.matches("begins\nbegins\nends\nends\n").count();
        assert_eq!(together > 0, jobs > 1, "{jobs}: {spans}");
    }
}
