//! The recording protocol against a scripted JVM: a shell script that understands what a JVM is told and leaves canned
//! traces. What the real JVM and agent do is tested through the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pricetag_dataset::{InputValue, Status};
use pricetag_probe_plan::{
    BlockId, BlockPlan, ClassHash, ClassPlan, CounterIndex, EdgeKind, EdgePlan, Instruction,
    MethodOutcome, MethodPlan, Node, PLAN_VERSION, Pc, PlanStore,
};
use pricetag_runner::{
    Cancel, Counts, Determinism, Progress, RecordOptions, Recorded, RunnerError, Silent, Timing,
    Workload, record,
};
use pricetag_trace::{
    Argument, ClassCounters, Invocation, ProcessCosts, REMOVED, Record, Scope, Start,
    TRACE_VERSION, TraceWriter,
};

/// Understands `-version`; otherwise leaves the trace of its mode, then obeys the input's text.
const JAVA: &str = r#"#!/bin/sh
case "$*" in *-version*) echo '    java.version = 17.0.1' >&2; exit 0;; esac
for arg in "$@"; do
  case "$arg" in -agentpath:*) file="${arg#*=}";; esac
  last="$arg"
done
trace=$(sed -n 's/^trace=//p' "$file")
mode=$(sed -n 's/^mode=//p' "$file")
here=$(dirname "$0")
if [ "$mode" = count ] && grep -q '^skip=' "$file"; then skip=-skip; else skip=; fi
mode="$mode$skip"
if [ -d "$here/plans$skip" ]; then
  plans=$(sed -n 's/^plans=//p' "$file"); mkdir -p "$plans"; cp "$here/plans$skip/"* "$plans"
fi
echo "$mode $last" >> "$here/log"
word=$(cat "$last" 2>/dev/null)
case "$word" in
  fail) echo 'Exception in thread "main" X: boom' >&2; exit 1;;
  hang) sleep 600;;
  flaky-time) [ "$mode" = time ] && exit 9;;
  cut) head -c 60 "$here/$mode.trace" > "$trace"; exit 0;;
  cut-once) [ -e "$here/was-cut" ] || { touch "$here/was-cut"; head -c 60 "$here/$mode.trace" > "$trace"; exit 0; };;
  two-jvms) echo 'Picked up JAVA_TOOL_OPTIONS: a' >&2; echo 'Picked up JAVA_TOOL_OPTIONS: a' >&2;;
  silent) exit 0;;
  unobserved) echo 'pricetag: cannot create trace x: not today; the program runs unobserved' >&2; exit 0;;
esac
cp "$here/$mode.trace" "$trace"
"#;

struct Bench {
    dir: tempfile::TempDir,
}

fn start() -> Record {
    Record::Start(Start {
        version: TRACE_VERSION,
        pid: 1,
        properties: vec![],
        options: String::new(),
    })
}

fn process(wall: u64) -> Record {
    Record::Process(ProcessCosts {
        wall_ns: wall,
        main_wall_ns: Some(wall - 1),
        cpu_ns: 2 * wall,
        allocated_bytes: 77,
        ..ProcessCosts::default()
    })
}

fn counters(n: u64) -> ClassCounters {
    ClassCounters {
        hash: ClassHash(1),
        counts: vec![(0, n)],
    }
}

fn call(sequence: u64, argument: i64, wall: u64, count: u64) -> Record {
    Record::Invocation(Invocation {
        scope: 0,
        sequence,
        thread: 0,
        arguments: vec![Argument::Integer(argument), Argument::Size(4)],
        start_ns: 0,
        wall_ns: wall,
        cpu_ns: wall,
        allocated_bytes: 8,
        collections: 0,
        threw: false,
        counters: if count > 0 {
            vec![counters(count)]
        } else {
            vec![]
        },
        classes_loaded: 0,
    })
}

/// Writes an executable through another process: a file that this process had open for writing could be inherited by
/// a child that another test forks at that moment, and could then not be executed ("text file busy").
fn script(path: &Path, text: &str) {
    let mut install = std::process::Command::new("install")
        .args(["-m", "755", "/dev/stdin"])
        .arg(path)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    install
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(install.wait().unwrap().success());
}

impl Bench {
    fn new(inputs: &[(&str, &str)]) -> Self {
        let bench = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(bench.path("in")).unwrap();
        for (name, text) in inputs {
            fs::write(bench.path("in").join(name), text).unwrap();
        }
        let java = bench.path("java");
        script(&java, JAVA);
        fs::write(bench.path("agent.so"), "").unwrap();
        bench.trace("count", vec![process(1500), Record::Counters(counters(3))]);
        bench.trace("time", vec![process(1000)]);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn trace(&self, mode: &str, records: Vec<Record>) {
        let path = self.path(&format!("{mode}.trace"));
        fs::remove_file(&path).ok();
        let mut writer = TraceWriter::create(&path).unwrap();
        for record in [start()].into_iter().chain(records).chain([Record::End]) {
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
    }

    fn options(&self) -> RecordOptions {
        RecordOptions {
            command: vec![
                self.path("java").display().to_string(),
                "-jar".to_owned(),
                "app.jar".to_owned(),
                "{}".to_owned(),
            ],
            workload: Workload::from_glob("in/*", self.dir.path(), Some(Path::new("/"))).unwrap(),
            stdin: None,
            env: BTreeMap::new(),
            cwd: Some("/".into()),
            timeout: Some(Duration::from_secs(20)),
            scope: Scope::Main,
            include: vec![],
            exclude: vec![],
            methods: BTreeSet::new(),
            count_jdk: false,
            values: 0,
            lengths: false,
            availability: false,
            repeat: 2,
            timing: Timing::Separate,
            jit: true,
            gc: true,
            warmup: None,
            determinism: Determinism::Some(1),
            overhead: None,
            jobs: 2,
            show_output: false,
            dir: self.path("data"),
            resume: false,
            force: false,
            agent: self.path("agent.so"),
            path: Some("/usr/bin:/bin".to_owned()),
            java_tool_options: None,
        }
    }

    fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("log")).unwrap_or_default();
        text.lines()
            .map(|l| l.replace(&self.path("in").display().to_string(), ""))
            .collect()
    }
}

fn go(options: &RecordOptions) -> Result<Recorded, RunnerError> {
    record(options, &Silent, &Cancel::default())
}

#[test]
fn counts_once_times_in_rounds_and_checks_one_input_twice() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    let options = RecordOptions {
        jobs: 1,
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    assert_eq!(
        bench.log(),
        [
            "count /a", "count /b", "count /a", "time /a", "time /b", "time /a", "time /b"
        ],
        "rounds go over all inputs before any is timed again"
    );
    assert_eq!(recorded.successes(), 2, "{:?}", recorded.rows);
    let row = &recorded.rows[0];
    assert_eq!(row.observation.label, "in/a");
    assert_eq!(row.observation.costs["wall"].repeats, [1000.0, 1000.0]);
    assert_eq!(row.observation.costs["main_wall"].repeats, [999.0, 999.0]);
    assert_eq!(row.observation.costs["alloc"].repeats, [77.0, 77.0]);
    assert_eq!(
        row.observation.inputs["input.bytes"],
        InputValue::Number(0.0)
    );
    assert!(row.recount.is_some() && recorded.rows[1].recount.is_none());
    assert!(
        recorded.meta.notes.iter().any(|n| n.contains("by 50 %")),
        "{:?}",
        recorded.meta.notes
    );
    assert_eq!(recorded.meta.cost_units["wall"], "ns");
    recorded.close().unwrap();
    assert!(!bench.path("data/.recording").exists());
}

#[test]
fn a_failure_is_one_failed_row_and_the_rest_goes_on() {
    let inputs = [
        ("a", ""),
        ("b", "fail"),
        ("c", "hang"),
        ("d", "flaky-time"),
        ("e", "cut"),
        ("f", "silent"),
        ("g", ""),
    ];
    let bench = Bench::new(&inputs);
    let recorded = go(&RecordOptions {
        timeout: Some(Duration::from_secs(1)),
        ..bench.options()
    })
    .unwrap();
    let reason = |i: usize| {
        recorded.rows[i]
            .observation
            .reason
            .clone()
            .unwrap_or_default()
    };
    assert_eq!(recorded.rows.len(), 7);
    assert_eq!(recorded.successes(), 2);
    assert_eq!(
        reason(1),
        "counting run 1: exit code 1: Exception in thread \"main\" X: boom"
    );
    assert_eq!(
        reason(2),
        "counting run 1: did not end within 1 s and was killed"
    );
    assert_eq!(reason(3), "timing run 1: exit code 9");
    assert!(
        reason(4).contains("trace is incomplete") || reason(4).contains("unreadable"),
        "{}",
        reason(4)
    );
    assert_eq!(reason(5), "counting run 1: the JVM left no trace");
    assert!(recorded.rows[1].counts.is_none() && recorded.rows[1].observation.costs.is_empty());
    assert!(
        !bench.log().contains(&"time /b".to_owned()),
        "a failed input is not timed"
    );
}

/// Cancels after so many runs.
struct Impatient(AtomicU64, u64, Cancel);

impl Progress for Impatient {
    fn begin(&self, _runs: u64, _what: &str) {}
    fn step(&self, _label: &str, _failure: Option<&str>) {
        if self.0.fetch_add(1, Ordering::SeqCst) + 1 == self.1 {
            self.2.cancel();
        }
    }
    fn end(&self) {}
}

#[test]
fn an_interrupted_recording_is_resumed_without_repeating_anything() {
    let bench = Bench::new(&[("a", ""), ("b", ""), ("c", "fail")]);
    let options = RecordOptions {
        jobs: 1,
        ..bench.options()
    };
    let cancel = Cancel::default();
    let recorded = record(
        &options,
        &Impatient(AtomicU64::new(0), 5, cancel.clone()),
        &cancel,
    )
    .unwrap();
    assert!(recorded.interrupted);
    assert_eq!(
        recorded.finished,
        (2, 3),
        "a is counted and timed once, c has failed"
    );
    assert_eq!(recorded.rows[0].observation.costs["wall"].repeats.len(), 1);
    let before = bench.log().len();
    assert!(matches!(go(&options), Err(RunnerError::OutputTaken { .. })));
    let resumed = go(&RecordOptions {
        resume: true,
        ..options.clone()
    })
    .unwrap();
    assert!(!resumed.interrupted);
    assert_eq!((resumed.finished, resumed.successes()), ((3, 3), 2));
    let (mut all, again) = (bench.log(), bench.log()[before..].to_vec());
    assert_eq!(again, ["time /b", "time /a", "time /b"]);
    all.sort();
    let mut once = [
        "count /a", "count /a", "count /b", "count /c", "time /a", "time /a", "time /b", "time /b",
    ]
    .to_vec();
    once.sort_unstable();
    assert_eq!(all, once);
    let other = RecordOptions {
        resume: true,
        jit: false,
        ..options
    };
    assert!(matches!(
        go(&other),
        Err(RunnerError::ResumeMismatch { .. })
    ));
}

#[test]
fn resuming_tries_runs_again_whose_trace_was_cut_short_but_not_failures_of_the_subject() {
    let bench = Bench::new(&[("a", "cut-once"), ("b", "fail")]);
    let options = RecordOptions {
        determinism: Determinism::None,
        ..bench.options()
    };
    let first = go(&options).unwrap();
    assert_eq!(first.successes(), 0);
    let again = go(&RecordOptions {
        resume: true,
        ..options
    })
    .unwrap();
    assert_eq!(again.successes(), 1);
    let counted = |label: &str| bench.log().iter().filter(|l| *l == label).count();
    assert_eq!((counted("count /a"), counted("count /b")), (2, 1));
}

#[test]
fn a_command_that_starts_several_jvms_is_doubted() {
    let bench = Bench::new(&[("a", "two-jvms")]);
    let recorded = go(&bench.options()).unwrap();
    assert!(recorded.rows[0].observation.caveats[0].contains("started 2 JVMs"));
}

#[test]
fn more_repeats_can_be_added_by_resuming() {
    let bench = Bench::new(&[("a", "")]);
    let options = bench.options();
    go(&options).unwrap();
    let more = go(&RecordOptions {
        resume: true,
        repeat: 5,
        ..options
    })
    .unwrap();
    assert_eq!(more.rows[0].observation.costs["wall"].repeats.len(), 5);
    assert_eq!(bench.log().len(), 2 + 5);
}

#[test]
fn times_of_the_counting_run_come_with_their_overhead() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    let recorded = go(&RecordOptions {
        timing: Timing::Same,
        ..bench.options()
    })
    .unwrap();
    assert_eq!(
        recorded.rows[0].observation.costs["wall"].repeats,
        [1500.0, 1500.0]
    );
    assert!(
        recorded
            .meta
            .notes
            .iter()
            .any(|n| n.contains("50 %") && n.contains("contain it")),
        "{:?}",
        recorded.meta.notes
    );
}

/// A class with a hot and a cool method, as the agent would have planned it.
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
            throw_points: vec![],
            handlers: vec![],
            loops: vec![],
            this_initialised_at: None,
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
    };
    let store = PlanStore::open(bench.path(folder)).unwrap();
    store.store(&plan).unwrap();
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
    let trials = ["time /b", "time /b", "count /b", "time /b", "count /b"];
    assert_eq!(log[..5], trials, "plain and counted runs alternate");
    let skipping: Vec<usize> = log
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("count-skip"))
        .map(|(at, _)| at)
        .collect();
    // One run to see whether the input runs, then nine pairs of both rounds each.
    assert_eq!(
        skipping.len(),
        9 + 3,
        "the second round, and the recording itself: {log:?}"
    );
    assert_eq!(skipping[0], 1 + 18 + 1);
    let note = &recorded.meta.notes[0];
    assert!(
        note.contains("cost 50.0 %, now 2.0 %") && note.contains("a/B.hot()V (49.5 %)"),
        "{note}"
    );
    assert_eq!(recorded.meta.options["overhead_budget"], "5 %");
    assert!(!bench.path("data/.recording/trials").exists());
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
fn counting_alone_measures_nothing() {
    let bench = Bench::new(&[("a", "")]);
    let options = RecordOptions {
        timing: Timing::Never,
        determinism: Determinism::None,
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    assert_eq!(bench.log(), ["count /a"]);
    assert!(recorded.rows[0].observation.costs.is_empty() && recorded.rows[0].counts.is_some());
}

fn scoped(bench: &Bench) -> RecordOptions {
    let scope = "org.example.Search#query".parse().unwrap();
    RecordOptions {
        scope,
        ..bench.options()
    }
}

#[test]
fn invocations_of_two_runs_are_matched_and_warm_up_is_set_aside() {
    let bench = Bench::new(&[("a", "")]);
    let wall = |i: u64| if i < 10 { 9000 } else { 1000 };
    bench.trace(
        "count",
        (0..60)
            .map(|i| call(i, (i % 30) as i64, 2 * wall(i), 10))
            .chain([process(9)])
            .collect(),
    );
    bench.trace(
        "time",
        (0..60)
            .map(|i| call(i, (i % 30) as i64, wall(i), 0))
            .chain([process(9)])
            .collect(),
    );
    let recorded = go(&scoped(&bench)).unwrap();
    assert_eq!(recorded.rows.len(), 60);
    assert_eq!(
        recorded
            .rows
            .iter()
            .filter(|r| r.observation.status == Status::WarmUp)
            .count(),
        10
    );
    let row = &recorded.rows[31];
    assert_eq!(row.observation.label, "Search#query #32");
    assert_eq!(row.observation.costs["wall"].repeats, [1000.0, 1000.0]);
    assert_eq!(row.observation.inputs["arg0"], InputValue::Number(1.0));
    assert_eq!(row.observation.inputs["arg1.size"], InputValue::Number(4.0));
    assert_eq!(
        row.observation.group, recorded.rows[1].observation.group,
        "equal arguments share a group"
    );
    assert!(matches!(
        &row.counts,
        Some(Counts::Invocation { index: 31, .. })
    ));
    let given = go(&RecordOptions {
        warmup: Some(3),
        resume: true,
        ..scoped(&bench)
    })
    .unwrap();
    assert_eq!(
        given
            .rows
            .iter()
            .filter(|r| r.observation.status == Status::WarmUp)
            .count(),
        3
    );
}

#[test]
fn runs_that_differ_fall_back_to_one_run_and_say_so() {
    let bench = Bench::new(&[("a", "")]);
    bench.trace(
        "count",
        (0..4)
            .map(|i| call(i, i as i64, 3000, 10))
            .chain([process(9)])
            .collect(),
    );
    bench.trace(
        "time",
        (0..3)
            .map(|i| call(i, 50 + i as i64, 2000, 0))
            .chain([process(9)])
            .collect(),
    );
    let recorded = go(&scoped(&bench)).unwrap();
    assert_eq!(recorded.rows[0].observation.costs["wall"].repeats, [3000.0]);
    assert!(
        recorded
            .meta
            .notes
            .iter()
            .any(|n| n.contains("different invocations") && n.contains("50 % slower")),
        "{:?}",
        recorded.meta.notes
    );
}

#[test]
fn a_scope_that_is_never_entered_is_an_error() {
    let bench = Bench::new(&[("a", "")]);
    assert!(matches!(
        go(&scoped(&bench)),
        Err(RunnerError::ScopeNeverEntered { .. })
    ));
}

#[test]
fn what_is_no_java_command_is_told_at_once() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    let command = vec!["cat".to_owned(), "{}".to_owned()];
    let error = go(&RecordOptions {
        command,
        ..bench.options()
    })
    .unwrap_err();
    assert!(
        error.to_string().contains("`cat` is not a Java command"),
        "{error}"
    );
    let command = vec!["/no/such/java".to_owned(), "{}".to_owned()];
    assert!(matches!(
        go(&RecordOptions {
            command,
            force: true,
            ..bench.options()
        }),
        Err(RunnerError::ProgramNotFound { .. })
    ));
}

#[test]
fn an_agent_that_cannot_begin_ends_the_recording_in_its_own_words() {
    let bench = Bench::new(&[("a", "unobserved"), ("b", "unobserved")]);
    let error = go(&bench.options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent could not observe the program: cannot create trace x: not today"
    );
    assert_eq!(bench.log(), ["count /a"]);
}

#[test]
fn an_input_that_is_not_used_is_refused() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    let command = vec![bench.path("java").display().to_string(), "App".to_owned()];
    let error = go(&RecordOptions {
        command: command.clone(),
        ..bench.options()
    })
    .unwrap_err();
    assert!(error.is_usage(), "{error}");
    go(&RecordOptions {
        command,
        stdin: Some("{}".to_owned()),
        ..bench.options()
    })
    .unwrap();
}
