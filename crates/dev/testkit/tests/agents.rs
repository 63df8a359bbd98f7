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
use pricetag_testkit::{
    Agent, Compiler, Launch, Machine, Program, Suite, Testbed, Verdict, repository,
};

/// Programs that other agents disturb most: exceptions, constructors, threads, initialisers. If everything is wanted, they run on all
/// machines, and all others on the newest.
const TELLING: [&str; 8] = [
    "BridgeMethods",
    "CyclicInit",
    "ConstructorThrows",
    "FinallyNested",
    "NestedMonitors",
    "StaticInitialiser",
    "SwitchForms",
    "ThreadPools",
];

/// Programs whose own class loaders the tracer's classes are asked of, which runs their code more often than without.
const ASKED: [&str; 4] = [
    "ClassUnloading",
    "LinkageErrors",
    "OptResolvedBefore",
    "TwoLoaders",
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
        suite.retain(|program| in_full() || TELLING.contains(&program.name.as_str()));
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

    fn leave_out(&mut self, names: &[&str]) {
        let wanted = |program: &Program| !names.contains(&program.name.as_str());
        self.suite.retain(wanted);
    }

    /// Those to run on a machine.
    fn programs(&self, machine: &Machine) -> impl Iterator<Item = &Program> {
        let newest = self.machines.last() == Some(machine);
        let programs = self.suite.programs.iter();
        programs.filter(move |p| newest || TELLING.contains(&p.name.as_str()))
    }

    /// That of the programs, and what another agent needs.
    fn class_path(&self, libraries: &[PathBuf]) -> OsString {
        let mut paths: Vec<PathBuf> = std::env::split_paths(&self.suite.class_path).collect();
        paths.extend(libraries.iter().cloned());
        class_path(&paths).expect("a class path")
    }

    /// Runs all programs with another agent in front of ours or behind it.
    fn check(
        &self,
        what: &str,
        behind: bool,
        other: impl Fn(&Program) -> OsString,
        libraries: &[PathBuf],
    ) {
        let class_path = self.class_path(libraries);
        let (mut failures, mut instructions, mut reported) = (String::new(), 0, 0);
        for machine in &self.machines {
            for program in self.programs(machine) {
                let changed = without_comments(program);
                let program = if behind { program } else { &changed };
                let mut launch = self.suite.launch(machine, program);
                launch.class_path = &class_path;
                if behind && self.leaves_frames_open(&launch) {
                    launch.after.push(other(program));
                    self.is_reported(&launch);
                    reported += 1;
                    continue;
                }
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
        println!(
            "{what}: {instructions} instructions compared, {reported} programs with open frames"
        );
        // `ExitDeep` is one of them.
        assert_eq!(reported > 0, behind && in_full(), "{what}");
        assert!(instructions > 500, "{what}: {instructions} instructions");
        assert!(failures.is_empty(), "{what}:\n{failures}");
    }

    fn leaves_frames_open(&self, launch: &Launch) -> bool {
        let (_, alone) = self.agent.count(launch).expect("it runs");
        alone.open_frames > 0
    }

    /// What is not known of open frames in methods that were changed behind us is said.
    fn is_reported(&self, launch: &Launch) {
        let (_, counts) = self.agent.count(launch).expect("it runs");
        let said = |reason: &String| reason.contains(": another agent changed the method after");
        let program = &launch.program.name;
        assert!(
            counts.inexact.iter().any(said),
            "{program}: {:?}",
            counts.inexact
        );
    }

    fn one(&self, launch: &Launch, behind: bool, other: OsString) -> Verdict {
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

/// The tracer, built, and the library it needs.
struct Traced {
    _directory: tempfile::TempDir,
    archive: PathBuf,
    asm: PathBuf,
}

impl Traced {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let asm = Testbed::locate()
            .file("asm-9.8.jar")
            .expect("ASM has been fetched");
        Self {
            archive: tracer(directory.path(), &asm),
            _directory: directory,
            asm,
        }
    }

    fn option(&self, program: &Program, what: &str) -> OsString {
        let mut option = OsString::from("-javaagent:");
        option.push(&self.archive);
        option.push(format!("={},{what}", program.name));
        option
    }

    fn check(&self, what: &str, behind: bool) {
        let mut bench = Bench::new(what == "trace");
        if behind {
            bench.leave_out(&ASKED);
        }
        bench.check(
            what,
            behind,
            |program| self.option(program, what),
            std::slice::from_ref(&self.asm),
        );
    }
}

#[test]
fn a_tracer_in_front() {
    Traced::new().check("trace", false);
}

#[test]
fn a_tracer_behind() {
    Traced::new().check("trace", true);
}

#[test]
fn classes_redefined_while_they_run() {
    Traced::new().check("redefine", true);
}

#[test]
fn classes_retransformed_while_they_run() {
    Traced::new().check("retransform", true);
}

/// Redefinition clears the oracle's breakpoints. The tracer changes a class to the same again, so that its counts are those of a run in which
/// it was changed once, which equal the oracle's. (A transformer that can retransform comes behind ours wherever its agent stands.)
#[test]
fn classes_redefined_by_an_agent_in_front() {
    let traced = Traced::new();
    let mut bench = Bench::new(false);
    bench.leave_out(&ASKED);
    let class_path = bench.class_path(std::slice::from_ref(&traced.asm));
    for machine in &bench.machines {
        for program in bench.programs(machine) {
            let counts = |what: &str| {
                let mut launch = bench.suite.launch(machine, program);
                launch.class_path = &class_path;
                launch.before.push(traced.option(program, what));
                let (outcome, counts) = bench.agent.count(&launch).expect("it runs");
                assert_eq!(outcome.status, Some(program.exit), "{}", outcome.error);
                let mut methods = counts.methods;
                methods.retain(|method, _| !program.varies.contains(&method.name));
                methods
            };
            let once = counts("trace");
            let on = format!("{} on {}", program.name, machine.name);
            assert!(!once.is_empty(), "{on}");
            assert_eq!(counts("redefine"), once, "{on}");
        }
    }
}
