//! The recording protocol against a scripted JVM: a shell script that understands what a JVM is told and leaves canned
//! traces. What the real JVM and agent do is tested through the command line.

mod ahead;
mod bench;
mod budget;
mod scoped;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pricetag_dataset::InputValue;
use pricetag_runner::{
    Cancel, Determinism, Progress, RecordOptions, RunnerError, Samples, Timing, record,
};

use bench::*;

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

impl Impatient {
    fn new(runs: u64, cancel: &Cancel) -> Self {
        Self(AtomicU64::new(0), runs, cancel.clone())
    }
}

impl Progress for Impatient {
    fn begin(&self, _runs: u64, _what: &str) {}
    fn started(&self, _label: &str) {}
    fn step(&self, _label: &str, _failure: Option<&str>) {
        if self.0.fetch_add(1, Ordering::SeqCst) + 1 == self.1 {
            self.2.cancel();
        }
    }
    fn found(&self, _what: &str) {}
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
    let recorded = record(&options, &Impatient::new(5, &cancel), &cancel).unwrap();
    assert!(recorded.interrupted);
    assert_eq!(
        recorded.finished,
        (2, 3),
        "a is counted and timed once, c has failed"
    );
    assert_eq!(recorded.rows[0].observation.costs["wall"].repeats.len(), 1);
    let before = bench.log().len();
    assert!(matches!(
        go(&options),
        Err(RunnerError::BeingRecorded { .. })
    ));
    drop(recorded);
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
        samples: Samples::Off,
        ..bench.options()
    };
    let first = go(&options).unwrap();
    assert_eq!(first.successes(), 0);
    drop(first);
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
fn values_of_variables_are_not_kept() {
    let bench = Bench::new(&[("a", "")]);
    let token = ("TOKEN".to_owned(), "open sesame".to_owned());
    let options = RecordOptions {
        env: [token].into(),
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    assert_eq!(recorded.meta.options["env"], "TOKEN");
    let mut folders = vec![options.dir.clone()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains("sesame"), "{}", path.display());
        }
    }
    assert!(files > 3, "{files}");
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

#[test]
fn counting_alone_measures_nothing() {
    let bench = Bench::new(&[("a", "")]);
    let options = RecordOptions {
        timing: Timing::Never,
        determinism: Determinism::None,
        samples: Samples::Off,
        ..bench.options()
    };
    let recorded = go(&options).unwrap();
    assert_eq!(bench.log(), ["count /a"]);
    assert!(recorded.rows[0].observation.costs.is_empty() && recorded.rows[0].counts.is_some());
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
