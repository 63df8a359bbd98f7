//! Which runs go ahead of a recording, and how those that follow are compiled.

use std::fs;
use std::time::Duration;

use pricetag_runner::{Determinism, RecordOptions, Samples, Timing};

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
