//! What recordings remember of a program, however they end.

use std::fs;
use std::time::Duration;

use pricetag_runner::{Cancel, Determinism, RecordOptions, RunnerError, Samples, Timing, record};

use crate::Impatient;
use crate::bench::*;

/// A JVM with the optimising compiler, and what its recordings keep.
fn optimising(inputs: &[(&str, &str)]) -> (Bench, RecordOptions) {
    let bench = Bench::new(inputs);
    let property = "java.version = 17.0.1";
    let java = JAVA.replace(
        property,
        &format!("{property}\n    java.vm.name = A Server VM"),
    );
    fs::remove_file(bench.path("java")).unwrap();
    script(&bench.path("java"), &java);
    let options = RecordOptions {
        determinism: Determinism::None,
        samples: Samples::Off,
        jobs: 1,
        force: true,
        cache: Some(bench.path("cache")),
        ..bench.options()
    };
    (bench, options)
}

/// Of every recording that is remembered, whether only a first run is.
fn remembered(bench: &Bench) -> Vec<bool> {
    let entries = fs::read_dir(bench.path("cache/lengths"));
    let files: Vec<_> = entries.into_iter().flatten().flatten().collect();
    assert!(files.len() <= 1, "one program: {files:?}");
    let texts = files.iter().map(|file| fs::read_to_string(file.path()));
    let text: String = texts.map(Result::unwrap).collect();
    let lines = text.lines().skip(1);
    lines.map(|line| line.starts_with("first ")).collect()
}

#[test]
fn a_recording_that_is_cut_short_leaves_what_it_knows_and_one_that_goes_on_nothing() {
    let (bench, options) = optimising(&[("a", ""), ("b", "")]);
    let cancelled_after = |runs| {
        let cancel = Cancel::default();
        let recorded = record(&options, &Impatient::new(runs, &cancel), &cancel).unwrap();
        assert!(recorded.interrupted);
    };
    cancelled_after(1);
    assert_eq!(bench.log(), ["time /a"], "nothing else tells its length");
    assert_eq!(
        remembered(&bench),
        [true; 0],
        "what counting takes it does not"
    );
    cancelled_after(2);
    assert_eq!(remembered(&bench), [true]);
    let resumed = RecordOptions {
        resume: true,
        force: false,
        ..options.clone()
    };
    go(&resumed).unwrap();
    assert_eq!(remembered(&bench), [true]);
    cancelled_after(1);
    assert_eq!(remembered(&bench), [true, true]);
    let nothing_kept = RecordOptions {
        cache: None,
        ..options.clone()
    };
    go(&nothing_kept).unwrap();
    assert_eq!(remembered(&bench).len(), 2);
    go(&options).unwrap();
    assert_eq!(remembered(&bench).len(), 3);
}

#[test]
fn a_recording_that_fails_half_way_leaves_what_it_knows_and_one_in_which_nothing_ran_nothing() {
    let (bench, options) = optimising(&[("a", "fail"), ("b", "unobserved")]);
    let failed = go(&options);
    assert!(matches!(failed, Err(RunnerError::Unobserved { .. })));
    assert_eq!(remembered(&bench), [true; 0]);
    fs::write(bench.path("in/a"), "").unwrap();
    let failed = go(&options);
    assert!(matches!(failed, Err(RunnerError::Unobserved { .. })));
    assert_eq!(remembered(&bench), [true]);
}

#[test]
fn timing_runs_go_ahead_until_one_succeeds_and_the_first_counting_run_goes_alone_all_the_same() {
    let (bench, options) = optimising(&[("a", "fail"), ("b", ""), ("c", "")]);
    let options = RecordOptions { jobs: 2, ..options };
    go(&options).unwrap();
    let log = bench.log();
    assert_eq!(log[..3], ["time /a", "time /b", "count /b"]);
    assert_eq!(log[3..], ["count /c", "time /c", "time /b", "time /c"]);
    // When they are over they rewrite what they loaded, and others do not.
    let beforehand = |bench: &Bench| {
        let inputs = fs::read_to_string(bench.path("beforehand")).unwrap_or_default();
        let names = inputs.lines().filter_map(|line| line.rsplit('/').next());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(beforehand(&bench), ["a", "b"]);
    go(&options).unwrap();
    assert_eq!(beforehand(&bench).len(), 2, "it is known");

    // One time alone may be that of a run which found files that nobody had read; and a recording that goes on has its order.
    for other in [
        RecordOptions {
            repeat: 1,
            cache: None,
            ..options.clone()
        },
        RecordOptions {
            timing: Timing::Never,
            cache: None,
            ..options.clone()
        },
    ] {
        let before = bench.log().len();
        go(&other).unwrap();
        assert_eq!(bench.log()[before], "count /a");
    }
    assert_eq!(beforehand(&bench).len(), 2);
    for (timeout, expected) in [(None, 1), (Some(19), 0)] {
        let (bench, options) = optimising(&[("a", "")]);
        let hurried = RecordOptions {
            timeout: timeout.map(Duration::from_secs),
            ..options
        };
        go(&hurried).unwrap();
        assert_eq!(beforehand(&bench).len(), expected, "{timeout:?}");
    }
}

#[test]
fn a_program_is_as_short_as_its_trace_says_whatever_the_agent_does_when_it_is_over() {
    let (bench, options) = optimising(&[("a", "lingers")]);
    go(&options).unwrap();
    assert_eq!(bench.log()[..2], ["time /a", "count /a"]);
    let short = fs::read_to_string(bench.path("first-tier")).unwrap();
    assert_eq!(short.lines().count(), 1, "{short}");
}
