//! Compiles small Java programs and runs them with the agent of this build.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pricetag_probe_plan::{ClassPlan, PlanStore};
use pricetag_testkit::Outcome;
use pricetag_testkit::jvm::{compile, java_tool, run};
use pricetag_trace::{AgentOptions, Invocation, Mode, ProcessCosts, Record, Trace};

/// Longest run of one program.
const LIMIT: Duration = Duration::from_mins(1);

/// Java sources, compiled into a directory of their own.
pub struct Subject {
    directory: tempfile::TempDir,
}

impl Subject {
    /// Compiles one file of the given name, `Name.java`.
    pub fn new(file: &str, source: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join(file);
        std::fs::write(&path, source).expect("the source is written");
        let classes = directory.path().join("classes");
        std::fs::create_dir(&classes).expect("a directory");
        compile(&[path], &classes).expect("the source compiles");
        Self { directory }
    }

    /// A path beside the classes.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Options for a run; the trace is named after the mode.
    pub fn options(&self, mode: Mode) -> AgentOptions {
        let trace = self.path(&format!("{mode}.trace"));
        let _ = std::fs::remove_file(&trace);
        AgentOptions {
            plans: Some(self.path("plans")),
            ..AgentOptions::new(mode, trace)
        }
    }

    /// The command for a run without the agent.
    pub fn java(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(java_tool("java"));
        command.arg("-cp").arg(self.path("classes")).args(arguments);
        command
    }

    /// The command for a run with the agent.
    pub fn observed(&self, options: &AgentOptions, arguments: &[&str]) -> Command {
        let file = self.path("options");
        options.write(&file).expect("the options are written");
        self.with_file(&file, arguments)
    }

    /// The command for a run with the agent and any options file.
    pub fn with_file(&self, file: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(java_tool("java"));
        command.arg(format!(
            "-agentpath:{}={}",
            agent().display(),
            file.display()
        ));
        command.arg("-cp").arg(self.path("classes")).args(arguments);
        command
    }

    /// Runs with the agent and reads the trace.
    pub fn trace(&self, options: &AgentOptions, arguments: &[&str]) -> (Outcome, Trace) {
        let outcome = execute(self.observed(options, arguments));
        let trace =
            Trace::read(&options.trace).unwrap_or_else(|error| panic!("{error}; {outcome:?}"));
        assert!(
            trace.complete,
            "{:?}; {outcome:?}",
            trace.incomplete_reason()
        );
        (outcome, trace)
    }
}

/// Runs a command to its end.
pub fn execute(command: Command) -> Outcome {
    run(command, LIMIT).expect("the command ends")
}

/// The agent, which cargo builds for the tests of its crate.
pub fn agent() -> PathBuf {
    let own = std::env::current_exe().expect("the test's own path");
    let path = own.with_file_name("libpricetag_agent.so");
    assert!(
        path.exists(),
        "{} is missing: cargo build -p pricetag-agent makes it",
        path.display()
    );
    path
}

/// The costs of the process.
pub fn process(trace: &Trace) -> &ProcessCosts {
    let costs = trace.records.iter().find_map(|record| match record {
        Record::Process(costs) => Some(costs),
        _ => None,
    });
    costs.unwrap_or_else(|| panic!("no process costs in\n{trace}"))
}

/// The invocations in the order of entry.
pub fn invocations(trace: &Trace) -> Vec<&Invocation> {
    let mut all: Vec<&Invocation> = trace
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Invocation(invocation) => Some(invocation),
            _ => None,
        })
        .collect();
    all.sort_by_key(|invocation| invocation.sequence);
    all
}

/// The plans of the classes that a trace has counters of, with these counters.
pub fn counted_classes(trace: &Trace, plans: &Path) -> Vec<(ClassPlan, Vec<u64>)> {
    let store = PlanStore::open(plans).expect("a store");
    let records = trace.records.iter().filter_map(|record| match record {
        Record::Counters(counters) => Some(counters),
        _ => None,
    });
    let classes = records.map(|record| {
        let plan = store.load(record.hash).expect("readable").expect("a plan");
        let mut counters = vec![0; plan.counters as usize];
        for &(counter, count) in &record.counts {
            counters[counter as usize] = count;
        }
        (plan, counters)
    });
    classes.collect()
}
