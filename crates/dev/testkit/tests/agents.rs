//! Other agents beside ours, before it and behind it: JaCoCo, and a tracer that redefines and retransforms classes while they run.
//!
//! An agent in front changes a class before we see it: then the oracle runs with that agent, too, and every instruction of the changed
//! class is compared. An agent behind us changes what we have rewritten: the counts are those of the class as it was, without
//! the other's own instructions. Frames that are still open at the end stand in the changed code there, and the trace says so.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pricetag_testkit::jvm::{java_tool, run};
use pricetag_testkit::suite::in_full;
use pricetag_testkit::testbed::class_path;
use pricetag_testkit::{Agent, Compiler, Machine, Program, Suite, Testbed, Verdict, repository};

/// Programs that other agents disturb most: exceptions, constructors, threads, initialisers. Loaders of a program's own are left out: they
/// run more when they load other agents' classes, too.
const PROGRAMS: [&str; 8] = [
    "BridgeMethods",
    "CyclicInit",
    "ConstructorThrows",
    "FinallyNested",
    "NestedMonitors",
    "StaticInitialiser",
    "SwitchForms",
    "ThreadPools",
];

/// Classes whose hash, line or frames depend on which agents are there: what the comments say of addresses does not hold.
fn without_comments(program: &Program) -> Program {
    let mut program = program.clone();
    program.expectations.clear();
    program
}

struct Bench {
    suite: Suite,
    agent: Agent,
    machines: Vec<Machine>,
}

impl Bench {
    /// With the programs and machines to use; unless everything is wanted, every other program on one machine, the newest or the one on
    /// the path.
    fn new(newest: bool) -> Self {
        let testbed = Testbed::locate();
        let mut suite =
            Suite::compile(Compiler::Javac(11), &testbed, "").expect("the programs compile");
        suite.retain(|program| PROGRAMS.contains(&program.name.as_str()));
        let mut machines = testbed.runtimes().expect("the pinned runtimes");
        if !in_full() {
            machines.push(Machine::system().expect("there is a JDK"));
            let wanted = machines.len() - if newest { 2 } else { 1 };
            machines = vec![machines[wanted].clone()];
            let mut odd = false;
            suite.programs.retain(|_| {
                odd = !odd;
                odd
            });
        }
        Self {
            suite,
            agent: Agent::locate().expect("the agent builds"),
            machines,
        }
    }

    /// Runs all programs with another agent in front of ours or behind it.
    fn check(
        &self,
        what: &str,
        behind: bool,
        other: impl Fn(&Program) -> OsString,
        libraries: &[PathBuf],
    ) {
        let mut paths: Vec<PathBuf> = std::env::split_paths(&self.suite.class_path).collect();
        paths.extend(libraries.iter().cloned());
        let class_path = class_path(&paths).expect("a class path");
        let (mut failures, mut instructions) = (String::new(), 0);
        for machine in &self.machines {
            for program in &self.suite.programs {
                let changed = without_comments(program);
                let program = if behind { program } else { &changed };
                let mut launch = self.suite.launch(machine, program);
                launch.class_path = &class_path;
                let verdict = self.one(&launch, behind, other(program));
                instructions += verdict.instructions;
                for difference in verdict.differences.iter().take(5) {
                    let _ = writeln!(
                        failures,
                        "{} on {}: {difference}",
                        program.name, machine.name
                    );
                }
            }
        }
        println!("{what}: {instructions} instructions compared");
        assert!(instructions > 500, "{what}: {instructions} instructions");
        assert!(failures.is_empty(), "{what}:\n{failures}");
    }

    fn one(&self, launch: &pricetag_testkit::Launch, behind: bool, other: OsString) -> Verdict {
        let mut with = launch.clone();
        if behind {
            with.after.push(other);
        } else {
            with.before.push(other);
        }
        // Behind us the other agent's instructions are none of the program's.
        match self
            .suite
            .oracle(&self.agent, if behind { launch } else { &with })
        {
            Ok(oracle) => self.suite.held_against(&self.agent, &with, &oracle),
            Err(error) => Verdict::failed(error),
        }
    }
}

fn jacoco_option() -> OsString {
    let jar = Testbed::locate()
        .file("org.jacoco.agent-0.8.14-runtime.jar")
        .expect("JaCoCo has been fetched");
    let mut option = OsString::from("-javaagent:");
    option.push(&jar);
    option.push("=output=none");
    option
}

#[test]
fn frames_open_in_code_that_was_changed_behind_us_are_reported() {
    let testbed = Testbed::locate();
    let suite = Suite::compile(Compiler::Javac(11), &testbed, "ExitDeep").expect("it compiles");
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    let mut launch = suite.launch(&machine, &suite.programs[0]);
    let (_, alone) = agent.count(&launch).expect("it runs");
    assert_eq!(alone.inexact, [""; 0]);
    launch.after.push(jacoco_option());
    let (_, counts) = agent.count(&launch).expect("it runs");
    let reported = |method: &str| {
        let words = format!("ExitDeep.{method}: another agent changed the method");
        counts
            .inexact
            .iter()
            .any(|reason| reason.starts_with(&words))
    };
    assert!(reported("down") && reported("main"), "{:?}", counts.inexact);
}

#[test]
fn jacoco_in_front() {
    Bench::new(true).check("JaCoCo in front", false, |_| jacoco_option(), &[]);
}

#[test]
fn jacoco_behind() {
    Bench::new(false).check("JaCoCo behind", true, |_| jacoco_option(), &[]);
}

/// The tracer as an agent's archive.
fn tracer(into: &Path, asm: &Path) -> PathBuf {
    let classes = into.join("classes");
    std::fs::create_dir(&classes).expect("a directory");
    let execute = |command: Command| {
        let outcome = run(command, Duration::from_mins(1)).expect("the tool runs");
        assert_eq!(outcome.status, Some(0), "{}", outcome.error);
    };
    let mut javac = Command::new(java_tool("javac"));
    javac.args(["-nowarn", "--release", "11", "-cp"]).arg(asm);
    javac.arg("-d").arg(&classes);
    javac.arg(repository().join("subjects/agents/Tracer.java"));
    execute(javac);
    let manifest = into.join("manifest");
    let text = "Premain-Class: Tracer\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n";
    std::fs::write(&manifest, text).expect("the manifest is written");
    let archive = into.join("tracer.jar");
    let mut jar = Command::new(java_tool("jar"));
    jar.arg("cfm").arg(&archive).arg(&manifest);
    jar.arg("-C").arg(&classes).arg(".");
    execute(jar);
    archive
}

fn traced(what: &str, behind: bool) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let asm = Testbed::locate()
        .file("asm-9.8.jar")
        .expect("ASM has been fetched");
    let archive = tracer(directory.path(), &asm);
    let option = |program: &Program| {
        let mut option = OsString::from("-javaagent:");
        option.push(&archive);
        option.push(format!("={},{what}", program.name));
        option
    };
    Bench::new(what == "trace").check(what, behind, option, std::slice::from_ref(&asm));
}

#[test]
fn a_tracer_in_front() {
    traced("trace", false);
}

#[test]
fn a_tracer_behind() {
    traced("trace", true);
}

#[test]
fn classes_redefined_while_they_run() {
    traced("redefine", true);
}

#[test]
fn classes_retransformed_while_they_run() {
    traced("retransform", true);
}
