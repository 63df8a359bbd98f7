//! The same counts on every release of Java, with every collector, with and without compressed references, and however bytecode is run.
//!
//! Per release each program is single-stepped once; every configuration is held against that. `PRICETAG_EXACTNESS=full` runs all programs
//! of all compilers (`PRICETAG_CONFORMANCE=Part`: those whose name contains `Part`); otherwise a few that a configuration might tell apart,
//! and a quarter of all on the newest release.
//!
//! All runs share one folder of rewritten classes: those of the first to meet a class count in all others, of whatever release.

use pricetag_testkit::suite::in_full;
use pricetag_testkit::{Agent, Compiler, Machine, Suite, Testbed};

/// Programs with exceptions, deep stacks, full heaps, threads, exits and classes made on the fly.
const TELLING: [&str; 8] = [
    "ConstructorThrows",
    "ExitDeep",
    "FinallyNested",
    "NoLoss",
    "OutOfMemory",
    "StackOverflow",
    "ThreadPools",
    "VirtualThreads",
];

/// What compiles for a release.
fn java(machine: &Machine) -> Compiler {
    match machine.feature {
        ..17 => Compiler::Javac(11),
        17..21 => Compiler::Javac(17),
        _ => Compiler::Javac21,
    }
}

#[test]
fn counts_are_the_same_in_every_configuration() {
    let testbed = Testbed::locate();
    let agent = Agent::locate().expect("the agent builds");
    let part = std::env::var("PRICETAG_CONFORMANCE").unwrap_or_default();
    let mut failures = String::new();
    let kept = tempfile::tempdir().expect("a temporary directory");
    let mut all_runs = 0;
    for machine in testbed.runtimes().expect("the pinned runtimes") {
        let mut compilers = vec![java(&machine)];
        let mut configurations = machine.configurations();
        if in_full() {
            compilers.extend([
                Compiler::Kotlin,
                Compiler::Scala,
                Compiler::Groovy,
                Compiler::Bytecode,
            ]);
        } else {
            let like_others = ["Parallel", "Serial", "compact headers"];
            configurations.retain(|c| !like_others.iter().any(|s| c.name.ends_with(s)));
        }
        for compiler in compilers {
            let mut suite =
                Suite::compile(compiler, &testbed, &part).expect("the programs compile");
            suite.rewritten = Some(kept.path().to_owned());
            if !in_full() {
                suite.retain(|program| TELLING.contains(&program.name.as_str()));
            }
            let programs = suite.runnable(&machine).len();
            let report = suite.check_configurations(&agent, &machine, &configurations);
            let what = format!("{} on {}", compiler.name(), machine.name);
            println!("{what}: {}", report.summary());
            failures += &report.differences();
            let least = if part.is_empty() { 2 } else { 0 };
            let runs = programs.max(least) * configurations.len();
            assert_eq!(report.verdicts.len(), runs, "{what}: runs");
            all_runs += runs;
        }
    }
    // A run has a file of those that nobody met before.
    let keeping = std::fs::read_dir(kept.path()).expect("readable").count();
    println!("{keeping} of {all_runs} runs kept classes");
    let shared = 0 < keeping && keeping < all_runs / 2;
    assert!(shared || !part.is_empty(), "{keeping} of {all_runs}");
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn the_newest_release_counts_what_it_steps() {
    let testbed = Testbed::locate();
    let agent = Agent::locate().expect("the agent builds");
    let Some(machine) = testbed.runtimes().expect("the pinned runtimes").pop() else {
        panic!("there is a runtime");
    };
    let compiler = java(&machine);
    let mut suite = Suite::compile(compiler, &testbed, "").expect("the programs compile");
    if !in_full() {
        suite.sample(1);
    }
    let report = suite.check_all(&agent, &machine);
    report.assert_agreement(&format!("{} on {}", compiler.name(), machine.name), 20);
}
