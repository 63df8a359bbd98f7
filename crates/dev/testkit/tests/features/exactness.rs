//! What is asked of a run besides its counts leaves these exact.

use std::collections::BTreeSet;
use std::path::Path;

use pricetag_dataset::Dataset;
use pricetag_testkit::suite::in_full;
use pricetag_testkit::{Agent, Compiler, Machine, Program, Suite, Testbed};

use crate::{arrivals, assert_split, dataset, invocations, passes};

/// Programs in which exceptions arrive in every way.
const THROWING: [&str; 16] = [
    "ClassUnloading",
    "ConstructorThrows",
    "DeepFinally",
    "FinallyNested",
    "Interrupts",
    "LinkageErrors",
    "LoopThrows",
    "OutOfMemory",
    "Rethrow",
    "RuntimeErrors",
    "StackOverflow",
    "StackOverflowInHandler",
    "Suppressed",
    "ThrowInHandler",
    "ThrowThroughFrames",
    "TryWithResources",
];

/// Holds the counts of these programs, or of all, against the oracle's while more is asked of a run.
fn stays_exact(
    programs: &[&str],
    what: &str,
    ask: impl FnOnce(&mut Suite),
) -> (Suite, Agent, Machine) {
    let compiler = Compiler::Javac(17);
    let mut suite = Suite::compile(compiler, &Testbed::locate(), "").expect("it compiles");
    ask(&mut suite);
    let mut least = programs.len();
    if in_full() {
        least = 86;
    } else {
        suite.retain(|program| programs.contains(&program.name.as_str()));
    }
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    let report = suite.check_all(&agent, &machine);
    report.assert_agreement(what, least);
    (suite, agent, machine)
}

/// The table of one run of a program of the suite, with all that the suite asks of it.
fn row(suite: &Suite, program: &Program, agent: &Agent, machine: &Machine) -> Dataset {
    let launch = suite.launch(machine, program);
    let read = |trace: &Path, plans: &Path| Ok(dataset(trace, plans, false));
    agent.observe(&launch, &[], read).expect("it runs").1
}

#[test]
fn counts_stay_exact_while_exceptions_are_reported() {
    let (suite, agent, machine) = stays_exact(&THROWING, "with exceptions by class", |suite| {
        suite.caught = true;
    });
    let mut handlers = 0;
    for program in &suite.programs {
        let dataset = row(&suite, program, &agent, &machine);
        for (handler, (entries, classes)) in arrivals(&dataset, 0) {
            let name = &program.name;
            assert_eq!(classes.values().sum::<f64>(), entries, "{name}: {handler}");
            // Where the stack is full nobody can be asked.
            let unknown = classes.get("unknown class").copied().unwrap_or(0.0);
            assert!(
                unknown == 0.0 || name.starts_with("StackOverflow"),
                "{name}: {handler}: {unknown}"
            );
            handlers += 1;
        }
    }
    assert!(handlers > 2 * THROWING.len(), "{handlers}");
}

/// Programs that are hard on probes: exceptions and overflows in the middle of things, exits, many locals, large methods.
const HARD: [&str; 12] = [
    "BigMethod",
    "ConstructorThrows",
    "ExitDeep",
    "InnerClasses",
    "LocalCaptures",
    "Loops",
    "ManyLocals",
    "StackOverflow",
    "StackOverflowInHandler",
    "ThreadPools",
    "ThrowMidBlock",
    "WideLocals",
];

#[test]
fn counts_stay_exact_while_values_are_taken_and_changes_counted() {
    stays_exact(&HARD, "with values and changes of outcome", |suite| {
        suite.values = 5;
        suite.depths = true;
        suite.transitions = true;
        suite.strides = true;
        suite.caught = true;
        suite.callers = true;
    });
}

#[test]
fn counts_stay_exact_while_loops_are_split_by_caller() {
    let programs: BTreeSet<&str> = HARD.into_iter().chain(THROWING).collect();
    let programs: Vec<&str> = programs.into_iter().collect();
    let (suite, agent, machine) = stays_exact(&programs, "with loops by caller", |suite| {
        suite.callers = true;
        suite.caught = true;
    });
    let mut split = 0;
    for program in &suite.programs {
        let dataset = row(&suite, program, &agent, &machine);
        assert_split(&dataset, 0, &program.name);
        for (name, (_, callers)) in passes(&dataset, 0) {
            // The run may end in the middle of a pass, of each thread that is in the loop.
            let unknown = callers.get("an unknown method").copied().unwrap_or(0.0);
            let ended = match program.name.as_str() {
                "RunningAtExit" => 1.0,
                "RunningInLoops" => 2.0,
                _ => 0.0,
            };
            assert!(unknown <= ended, "{}: {name}: {unknown}", program.name);
            split += callers.len();
        }
        for (name, (all, callers)) in invocations(&dataset, 0) {
            let by_caller: f64 = callers.values().sum();
            assert_eq!(by_caller, all, "{}: {name}", program.name);
            let unknown = callers.get("an unknown method").copied().unwrap_or(0.0);
            assert!(unknown == 0.0, "{}: {name}: {unknown}", program.name);
            split += callers.len();
        }
    }
    assert!(split > 3 * programs.len(), "{split}");
}

#[test]
fn counts_stay_exact_where_they_follow_without_loops() {
    let programs: BTreeSet<&str> = HARD.into_iter().chain(THROWING).collect();
    let programs: Vec<&str> = programs.into_iter().collect();
    let (suite, agent, machine) = stays_exact(&programs, "without loops", |suite| {
        suite.without_loops = true;
        suite.transitions = true;
        suite.strides = true;
        suite.caught = true;
        suite.callers = true;
    });
    let mut gone = 0;
    for program in &suite.programs {
        let dataset = row(&suite, program, &agent, &machine);
        let mut names = dataset.features.iter().map(|f| &f.name);
        assert!(!names.any(|name| name.contains("an unknown method")));
        let removed = |left: &&String| left.ends_with("with what needs its counts");
        gone += dataset.meta.left.iter().filter(removed).count();
    }
    assert!(gone > programs.len(), "{gone}");
}

#[test]
fn counts_stay_exact_where_blocks_are_listed() {
    let programs: BTreeSet<&str> = HARD.into_iter().chain(THROWING).collect();
    let programs: Vec<&str> = programs.into_iter().collect();
    let (suite, agent, machine) = stays_exact(&programs, "with listed blocks", |suite| {
        suite.every_third = Some(1);
    });
    let mut listed = 0;
    for program in &suite.programs {
        let dataset = row(&suite, program, &agent, &machine);
        let blocks = dataset.features.iter().filter_map(|f| f.block);
        for block in blocks {
            assert_eq!(block % 3, 1, "{}", program.name);
            listed += 1;
        }
    }
    assert!(listed > 3 * programs.len(), "{listed}");
}

#[test]
fn counts_stay_exact_on_virtual_threads_while_values_are_taken_and_changes_counted() {
    let testbed = Testbed::locate();
    let machine = testbed.runtime(21).expect("the pinned runtime");
    let mut suite =
        Suite::compile(Compiler::Javac21, &testbed, "VirtualThreads").expect("it compiles");
    suite.values = 5;
    suite.depths = true;
    suite.transitions = true;
    suite.strides = true;
    suite.caught = true;
    suite.callers = true;
    let agent = Agent::locate().expect("the agent builds");
    suite
        .check_all(&agent, &machine)
        .assert_agreement("virtual threads with values", 1);
    let mut split = 0;
    for program in &suite.programs {
        let dataset = row(&suite, program, &agent, &machine);
        assert_split(&dataset, 0, &program.name);
        split += passes(&dataset, 0).len();
    }
    assert!(split > 0);
}
