//! Programs count offline what they count under the agent, instruction by instruction.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_archive::{Options, Program as Archived, instrument};
use pricetag_testkit::{
    Agent, Compiler, Counts, Launch, Machine, Program, Suite, Testbed, classes,
};
use support::{archive, counts_at, derived, entries};

/// Programs of the conformance suite that run the same every time, frames left open at the end included.
const PROGRAMS: [&str; 22] = [
    "AbruptInvoke",
    "BigMethod",
    "ConstructorThrows",
    "CyclicInit",
    "ExitDeep",
    "ExitInClinit",
    "FinallyNested",
    "ForkJoin",
    "HugeMethod",
    "IntegerEdges",
    "Lambdas",
    "LoopThrows",
    "Loops",
    "NoLoss",
    "Rethrow",
    "ShutdownHook",
    "SwitchForms",
    "SynchronizedMethods",
    "ThreadPools",
    "ThreadsOneMethod",
    "TryWithResources",
    "UncaughtThread",
];

/// Counts of a program's own classes that are not zero.
fn own(counts: &Counts, program: &Program) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (method, instructions) in &counts.methods {
        if !classes::belongs(&method.class, &program.name) {
            continue;
        }
        for (pc, count) in instructions.iter().filter(|(_, count)| **count > 0) {
            let name = format!("{}.{}{} {pc}", method.class, method.name, method.descriptor);
            all.insert(name, *count);
        }
    }
    all
}

/// Runs a program from an instrumented archive.
fn offline(agent: &Agent, launch: &Launch<'_>, instrumented: &[u8], scratch: &Path) -> Counts {
    let (jar, counts) = (scratch.join("out.jar"), scratch.join("counts"));
    std::fs::write(&jar, instrumented).unwrap();
    let mut launch = Launch::new(launch.program, launch.machine, jar.as_os_str());
    launch.after = vec![format!("-Dpricetag.counts={}", counts.display()).into()];
    let outcome = agent.plain(&launch).expect("it runs");
    let program = launch.program;
    assert_eq!(
        outcome.status,
        Some(program.exit),
        "{}: {}",
        program.name,
        outcome.error
    );
    assert!(!outcome.error.contains("pricetag"), "{}", outcome.error);
    derived(instrumented, &counts_at(&counts), scratch)
}

#[test]
fn conformance_programs_count_as_under_the_agent() {
    let mut suite =
        Suite::compile(Compiler::Javac(17), &Testbed::locate(), "").expect("it compiles");
    let directory = Path::new(&suite.class_path).to_path_buf();
    let jar = archive(&entries(&directory, ""));
    let instrumented = instrument(&jar, &Options::default()).expect("it can be instrumented");
    assert!(Archived::read(&instrumented.bytes).unwrap().classes() > 100);
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    suite.retain(|program| PROGRAMS.contains(&program.name.as_str()));
    assert_eq!(suite.programs.len(), PROGRAMS.len());
    for program in &suite.programs {
        let launch = suite.launch(&machine, program);
        let (_, expected) = agent.count(&launch).expect("it counts");
        let scratch = tempfile::tempdir().unwrap();
        let found = offline(&agent, &launch, &instrumented.bytes, scratch.path());
        assert!(
            found.inexact.is_empty(),
            "{}: {:?}",
            program.name,
            found.inexact
        );
        assert!(
            found.imbalances.is_empty(),
            "{}: {:?}",
            program.name,
            found.imbalances
        );
        let (expected, found) = (own(&expected, program), own(&found, program));
        assert!(expected.len() > 5, "{}", program.name);
        let differing: Vec<_> = expected
            .iter()
            .filter(|(place, count)| found.get(*place) != Some(*count))
            .map(|(place, count)| format!("{place}: {count}, offline {:?}", found.get(place)))
            .collect();
        assert!(differing.is_empty(), "{}: {differing:#?}", program.name);
        assert_eq!(found.len(), expected.len(), "{}", program.name);
    }
}
