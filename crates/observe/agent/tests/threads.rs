//! Two threads that count at once lose nothing, however the second came to run counted code.

mod support;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use pricetag_testkit::{Compiler, Counts, Machine, MethodKey, Testbed, jdk, repository};
use pricetag_trace::{AgentOptions, Mode, Pattern};
use support::{agent, execute};

/// How often each of the two threads calls the method.
const CALLS: u64 = 300_000;
/// How often the main thread calls it, besides, by a stub for native code.
const WARM: u64 = 60_000;

/// What may count beside the main thread.
struct Kind {
    /// The program's argument.
    name: &'static str,
    /// Options of the JVM.
    options: &'static [&'static str],
    /// Releases that have it.
    on: RangeInclusive<u16>,
    /// Releases that run it on a thread which they show to no agent, and have to say so.
    out_of_sight: RangeInclusive<u16>,
    /// How often `step` is called.
    calls: u64,
}

/// No release.
#[expect(clippy::reversed_empty_ranges, reason = "that is what it is")]
const NONE: RangeInclusive<u16> = 1..=0;

/// Every way by which a thread comes to counted code.
fn kinds() -> Vec<Kind> {
    let kind = |name| Kind {
        name,
        options: &[],
        on: 0..=u16::MAX,
        out_of_sight: NONE,
        calls: 3 * CALLS,
    };
    let names = "thread pool timer finalizer cleaner signal parallel hook end attached";
    let mut kinds: Vec<Kind> = names.split(' ').map(kind).collect();
    kinds.extend([
        Kind {
            calls: CALLS,
            ..kind("nobody")
        },
        Kind {
            out_of_sight: 0..=16,
            ..kind("notification")
        },
        Kind {
            options: &["-XX:-UseNotificationThread"],
            on: 17..=24,
            out_of_sight: 0..=u16::MAX,
            ..kind("notification")
        },
        Kind {
            on: 21..=u16::MAX,
            ..kind("virtual")
        },
        Kind {
            options: &["-Xbatch", "--enable-native-access=ALL-UNNAMED"],
            on: 21..=u16::MAX,
            calls: 3 * CALLS + WARM,
            ..kind("upcall")
        },
        Kind {
            on: 0..=18,
            ..kind("manager")
        },
    ]);
    kinds
}

/// How often `step` was called in a run.
fn second(machine: &Machine, classes: &Path, kind: &Kind) -> u64 {
    let name = format!("{} {:?} on {}", kind.name, kind.options, machine.name);
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| scratch.path().join(name);
    let options = AgentOptions {
        plans: Some(at("plans")),
        include: vec!["Second*".parse::<Pattern>().expect("a pattern")],
        ..AgentOptions::new(Mode::Count, at("trace"))
    };
    options.write(&at("options")).expect("options");
    let mut java = Command::new(&machine.java);
    java.arg(format!(
        "-agentpath:{}={}",
        agent().display(),
        at("options").display()
    ));
    java.args(kind.options).arg("-cp").arg(classes);
    java.args(["Second", kind.name]);
    let outcome = execute(java);
    // Of security managers, JDK 17, and of native code, JDK 25.
    let errors: Vec<&str> = outcome.error.lines().collect();
    let silent = errors
        .iter()
        .all(|line| line.is_empty() || line.starts_with("WARNING: "));
    assert!(
        outcome.status == Some(0) && silent,
        "{name}: {:?}, {errors:?}",
        outcome.status
    );
    let counts = Counts::from_trace(&at("trace"), &at("plans")).expect("counts");
    let caveats = &counts.inexact;
    let expected = usize::from(kind.out_of_sight.contains(&machine.feature));
    assert_eq!(caveats.len(), expected, "{name}: {caveats:?}");
    let step = counts.methods.get(&MethodKey {
        class: "Second".into(),
        name: "step".into(),
        descriptor: "(I)I".into(),
    });
    step.expect("counted")[&0]
}

/// Builds the library of `subjects/threads/attach.c` there.
fn build_attach(directory: &Path) {
    let include = jdk::home().join("include");
    let library: PathBuf = directory.join("libattach.so");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-pthread", "-o"]).arg(library);
    cc.arg(format!("-I{}", include.display()));
    cc.arg(format!("-I{}", include.join("linux").display()));
    cc.arg(repository().join("subjects/threads/attach.c"));
    let built = cc.output().expect("a C compiler");
    assert!(built.status.success(), "{built:?}");
}

#[test]
fn whatever_counts_beside_the_main_thread_loses_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = repository().join("subjects/threads/Second.java");
    let testbed = Testbed::locate();
    let compiled = Compiler::Javac(11).compile(&testbed, &[source], directory.path());
    compiled.expect("it compiles");
    build_attach(directory.path());
    let machines = testbed.runtimes();
    let machines = machines.expect("the JDKs of the conformance suite");
    let kinds = kinds();
    let runs = machines.iter().flat_map(|machine| {
        let offered = move |kind: &&Kind| kind.on.contains(&machine.feature);
        kinds
            .iter()
            .filter(offered)
            .map(move |kind| (machine, kind))
    });
    let runs = Mutex::new(runs);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((machine, kind)) = runs.lock().expect("no panic").next() else {
                        break;
                    };
                    let name = format!("{} {:?} on {}", kind.name, kind.options, machine.name);
                    let calls = second(machine, directory.path(), kind);
                    assert_eq!(calls, kind.calls, "{name}");
                }
            });
        }
    });
}
