//! While one thread alone counts the helper asks no thread who it is; whatever runs counted code beside it, not a count is lost.

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
/// First release that shows agents every thread which may run a program's code.
const ALL_SHOWN: u16 = 17;

/// What may count beside the main thread.
struct Kind {
    /// The program's argument.
    name: &'static str,
    /// Options of the JVM.
    options: &'static [&'static str],
    /// Whether an agent is there that runs Java code when it is asked about a class.
    asked: bool,
    /// Releases that have it.
    on: RangeInclusive<u16>,
    /// Releases that have to say of one thing that counts may not be exact.
    inexact: RangeInclusive<u16>,
    /// How often `step` is called, on releases where the helper changes and on others.
    calls: [u64; 2],
    /// How often the helper changes.
    changes: usize,
}

/// No release.
#[expect(clippy::reversed_empty_ranges, reason = "that is what it is")]
const NONE: RangeInclusive<u16> = 1..=0;

/// Every way by which a thread comes to counted code.
fn kinds() -> Vec<Kind> {
    let kind = |name| Kind {
        name,
        options: &[],
        asked: false,
        on: 0..=u16::MAX,
        inexact: NONE,
        calls: [3 * CALLS; 2],
        changes: 2,
    };
    let names = "thread pool timer finalizer cleaner signal parallel hook end budget attached";
    let mut kinds: Vec<Kind> = names.split(' ').map(kind).collect();
    let asked = ["thread", "budget", "hook"].map(|name| Kind {
        asked: true,
        ..kind(name)
    });
    kinds.extend(asked);
    kinds.extend([
        Kind {
            calls: [CALLS; 2],
            changes: 1,
            ..kind("nobody")
        },
        Kind {
            inexact: 0..=ALL_SHOWN - 1,
            ..kind("notification")
        },
        Kind {
            options: &["-XX:-UseNotificationThread"],
            on: ALL_SHOWN..=24,
            inexact: 0..=u16::MAX,
            ..kind("notification")
        },
        Kind {
            on: 21..=u16::MAX,
            ..kind("virtual")
        },
        Kind {
            options: &["-Xbatch", "--enable-native-access=ALL-UNNAMED"],
            on: 21..=u16::MAX,
            calls: [3 * CALLS + WARM; 2],
            ..kind("upcall")
        },
        Kind {
            on: 0..=18,
            ..kind("manager")
        },
        // The agent calls `step` while the helper changes: where it does, not every count can be vouched for.
        Kind {
            asked: true,
            inexact: ALL_SHOWN..=u16::MAX,
            calls: [3 * CALLS + 1, 3 * CALLS],
            ..kind("asked")
        },
    ]);
    kinds
}

/// How often `step` was called in a run, and how often the helper was changed.
fn second(machine: &Machine, classes: &Path, kind: &Kind) -> (u64, usize) {
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
    if kind.asked {
        java.arg(format!("-agentpath:{}", asked(classes).display()));
    }
    java.arg(format!(
        "-Xlog:redefine+class+load=info:file={}",
        at("log").display()
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
    let expected = usize::from(kind.inexact.contains(&machine.feature));
    assert_eq!(caveats.len(), expected, "{name}: {caveats:?}");
    let step = counts.methods.get(&MethodKey {
        class: "Second".into(),
        name: "step".into(),
        descriptor: "(I)I".into(),
    });
    let log = std::fs::read_to_string(at("log")).expect("the JVM's log");
    let changes = log.matches("redefined name=java.lang.Pricetag").count();
    (step.expect("counted")[&0], changes)
}

/// The library of `subjects/agents/asked.c`.
fn asked(directory: &Path) -> PathBuf {
    directory.join("libasked.so")
}

/// Builds it there.
fn build_asked(directory: &Path) {
    let include = jdk::home().join("include");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-pthread", "-o"])
        .arg(asked(directory));
    cc.arg(format!("-I{}", include.display()));
    cc.arg(format!("-I{}", include.join("linux").display()));
    cc.arg(repository().join("subjects/agents/asked.c"));
    let built = cc.output().expect("a C compiler");
    assert!(built.status.success(), "{built:?}");
}

/// The JDKs of the conformance suite; `subjects/threads/Second.java` is compiled for them.
fn ready(directory: &Path) -> Vec<Machine> {
    let source = repository().join("subjects/threads/Second.java");
    let testbed = Testbed::locate();
    let compiled = Compiler::Javac(11).compile(&testbed, &[source], directory);
    compiled.expect("it compiles");
    let machines = testbed.runtimes();
    machines.expect("the JDKs of the conformance suite")
}

#[test]
fn whatever_counts_beside_the_main_thread_loses_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let machines = ready(directory.path());
    build_asked(directory.path());
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
                    let (calls, changes) = second(machine, directory.path(), kind);
                    let [there, without] = kind.calls;
                    let expected = if machine.feature >= ALL_SHOWN {
                        (there, kind.changes)
                    } else {
                        (without, 0)
                    };
                    assert_eq!((calls, changes), expected, "{name}");
                }
            });
        }
    });
}

#[test]
fn a_start_loads_next_to_no_class_of_the_jdk_besides() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for machine in ready(directory.path()) {
        let options = AgentOptions {
            plans: Some(directory.path().join("plans")),
            include: vec!["Second*".parse::<Pattern>().expect("a pattern")],
            ..AgentOptions::new(Mode::Count, directory.path().join(&machine.name))
        };
        let file = directory.path().join("options");
        options.write(&file).expect("options");
        let loaded = |counted: bool| {
            let log = directory.path().join("log");
            let mut java = Command::new(&machine.java);
            if counted {
                java.arg(format!(
                    "-agentpath:{}={}",
                    agent().display(),
                    file.display()
                ));
            }
            // With the agent there is no shared archive.
            java.arg("-Xshare:off");
            java.arg(format!("-Xlog:class+load=info:file={}", log.display()));
            java.arg("-cp")
                .arg(directory.path())
                .args(["Second", "nobody"]);
            assert_eq!(execute(java).status, Some(0), "{}", machine.name);
            let log = std::fs::read_to_string(log).expect("the JVM's log");
            log.matches(" source: ").count()
        };
        let [alone, counted] = [false, true].map(loaded);
        // To initialise `SecurityManager` takes 165 more on JDK 17.
        assert!(
            alone > 300 && counted <= alone + 40,
            "{}: {alone} classes, {counted} when counted",
            machine.name
        );
    }
}
