//! The conformance programs that one compiler takes, compiled together into a temporary directory.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pricetag_probe_plan::BlockId;
use pricetag_trace::{BlockName, Listed, MethodName, Region};
use tempfile::TempDir;

use crate::compare::compare;
use crate::testbed::class_path;
use crate::{
    Agent, ClassIndex, Compiler, Counts, Difference, Launch, Machine, Outcome, Program, Testbed,
    TestkitError, Verdict, io, repository,
};

/// Whether everything is to be checked, which takes long (`PRICETAG_EXACTNESS=full`), or a sample of what is unlikely to differ.
pub fn in_full() -> bool {
    std::env::var_os("PRICETAG_EXACTNESS").is_some_and(|value| value == "full")
}

/// Differences shown per program.
const SHOWN: usize = 12;

/// Compiled conformance programs.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of a run"
)]
pub struct Suite {
    /// What compiled them.
    pub compiler: Compiler,
    /// The programs, in the order of their names.
    pub programs: Vec<Program>,
    /// Their classes.
    pub classes: ClassIndex,
    /// Where they are, with the libraries they need.
    pub class_path: OsString,
    /// How many first values of variables counting runs take besides.
    pub values: u16,
    /// Whether the depths of all methods that may be reached again are among them.
    pub depths: bool,
    /// Whether they count changes of the outcome of branches besides.
    pub transitions: bool,
    /// Whether they count array reads that leave a cache line besides.
    pub strides: bool,
    /// Whether counting runs count exceptions by class where they are caught.
    pub caught: bool,
    /// Whether they count passes of loops by calling method besides.
    pub callers: bool,
    /// Whether the probes of all loops are removed.
    pub without_loops: bool,
    /// The first of the blocks that alone are asked for, every third from there on; all if none.
    pub every_third: Option<u32>,
    /// Where rewritten classes are kept, and taken from by all further runs.
    pub rewritten: Option<PathBuf>,
    _directory: TempDir,
}

/// How a program behaves without probes on one machine.
#[derive(Clone, Debug)]
pub struct Oracle {
    plain: Outcome,
    stepping: Outcome,
    stepped: Counts,
}

impl Suite {
    /// Compiles those programs of a compiler whose names contain `part`, with the pinned compilers of `testbed`.
    ///
    /// # Errors
    /// If a file cannot be read or does not compile.
    pub fn compile(
        compiler: Compiler,
        testbed: &Testbed,
        part: &str,
    ) -> Result<Self, TestkitError> {
        let (folder, extension) = compiler.sources();
        let mut programs = Program::read_all(&repository().join(folder), extension)?;
        programs.retain(|p| p.name.contains(part) && p.since <= compiler.release());
        programs.retain(|p| compiler.takes(&p.name));
        if !compiler.names_lambdas() {
            for program in &mut programs {
                program.expectations.clear();
            }
        }
        let directory = TempDir::new().map_err(io("create", Path::new("a temporary directory")))?;
        let classes = directory.path().to_path_buf();
        let sources: Vec<PathBuf> = programs.iter().map(|p| p.path.clone()).collect();
        compiler.compile(testbed, &sources, &classes)?;
        let index = ClassIndex::read(&classes)?;
        let mut paths = vec![classes];
        paths.extend(compiler.libraries(testbed)?);
        Ok(Self {
            compiler,
            programs,
            classes: index,
            class_path: class_path(&paths)?,
            values: 0,
            depths: false,
            transitions: false,
            strides: false,
            caught: false,
            callers: false,
            without_loops: false,
            every_third: None,
            rewritten: None,
            _directory: directory,
        })
    }

    /// Keeps the programs for which `wanted` holds.
    pub fn retain(&mut self, wanted: impl Fn(&Program) -> bool) {
        self.programs.retain(wanted);
    }

    /// Keeps every fourth program, starting with the one at `offset`, and those that need the compiler's own release.
    pub fn sample(&mut self, offset: usize) {
        let release = self.compiler.release();
        let mut position = 0;
        self.programs.retain(|program| {
            position += 1;
            position % 4 == offset % 4 || program.since == release
        });
    }

    /// One way to run one of the programs.
    pub fn launch<'a>(&'a self, machine: &'a Machine, program: &'a Program) -> Launch<'a> {
        Launch {
            values: self.values,
            depths: self.depths,
            transitions: self.transitions,
            strides: self.strides,
            caught: self.caught,
            callers: self.callers,
            rewritten: self.rewritten.clone(),
            keep: self
                .every_third
                .map_or(Listed::Everything, |first| self.thirds(program, first)),
            skip: if self.without_loops {
                self.anywhere(program)
            } else {
                BTreeSet::new()
            },
            ..Launch::new(program, machine, &self.class_path)
        }
    }

    /// All loops of a program: every address is named, those that are none mean nothing. Methods that are very long keep theirs.
    fn anywhere(&self, program: &Program) -> BTreeSet<Region> {
        let methods = self.classes.of_program(&program.name);
        let methods = methods.filter(|(_, code)| code.code.len() < 4000);
        let regions = methods.flat_map(|(key, code)| {
            let method = MethodName {
                class: key.class.clone(),
                name: key.name.clone(),
                descriptor: key.descriptor.clone(),
            };
            (0..code.code.len() as u16).map(move |pc| Region {
                method: method.clone(),
                header: Some(pc),
            })
        });
        regions.collect()
    }

    /// Every third block of all methods; numbers beyond the last block mean nothing.
    fn thirds(&self, program: &Program, first: u32) -> Listed {
        let methods = self.classes.of_program(&program.name);
        let blocks = methods.flat_map(|(key, code)| {
            let behind = first + code.code.len() as u32;
            let numbers = (first..behind).step_by(3);
            numbers.map(|number| BlockName {
                class: key.class.clone(),
                method: key.name.clone(),
                parameters: key.descriptor.clone(),
                hash: None,
                block: BlockId(number),
                place: None,
            })
        });
        Listed::Blocks(blocks.collect())
    }

    /// Runs a program plainly and single-stepped.
    ///
    /// # Errors
    /// If one of the runs does not start or end.
    pub fn oracle(&self, agent: &Agent, launch: &Launch) -> Result<Oracle, TestkitError> {
        let plain = agent.plain(launch)?;
        let (stepping, stepped) = agent.step(launch)?;
        Ok(Oracle {
            plain,
            stepping,
            stepped,
        })
    }

    /// Runs a program counted and holds the result against an oracle's.
    pub fn held_against(&self, agent: &Agent, launch: &Launch, oracle: &Oracle) -> Verdict {
        let (counting, derived) = match agent.count(launch) {
            Ok(result) => result,
            Err(error) => return Verdict::failed(error),
        };
        let mut verdict = compare(launch.program, &self.classes, &derived, &oracle.stepped);
        let plain = &oracle.plain;
        if plain.status != Some(launch.program.exit) {
            verdict.differences.push(Difference::Other(format!(
                "exit status {:?} instead of {}: {}",
                plain.status, launch.program.exit, plain.error
            )));
        }
        for (how, outcome) in [("counted", &counting), ("single-stepped", &oracle.stepping)] {
            if (outcome.status, &outcome.output) != (plain.status, &plain.output) {
                verdict.differences.push(Difference::Other(format!(
                    "{how} it behaves differently: status {:?} instead of {:?}, output {:?} instead of {:?}; it said: {}",
                    outcome.status,
                    plain.status,
                    outcome.output,
                    plain.output,
                    outcome.error.lines().take(8).collect::<Vec<_>>().join(" | ")
                )));
            }
        }
        verdict
    }

    /// Runs one program plainly, counted and single-stepped, and compares.
    pub fn check(&self, agent: &Agent, machine: &Machine, program: &Program) -> Verdict {
        let launch = self.launch(machine, program);
        match self.oracle(agent, &launch) {
            Ok(oracle) => self.held_against(agent, &launch, &oracle),
            Err(error) => Verdict::failed(error),
        }
    }

    /// Programs that a machine can run.
    pub fn runnable(&self, machine: &Machine) -> Vec<&Program> {
        let able = |p: &&Program| p.since.max(self.compiler.release()) <= machine.feature;
        self.programs.iter().filter(able).collect()
    }

    /// Checks all programs that a machine can run, two at a time.
    pub fn check_all(&self, agent: &Agent, machine: &Machine) -> Report {
        let all = self.each(machine, |program| {
            vec![(machine.name.clone(), self.check(agent, machine, program))]
        });
        Report { verdicts: all }
    }

    /// Checks all programs on one machine under several configurations of it, against one oracle each.
    pub fn check_configurations(
        &self,
        agent: &Agent,
        machine: &Machine,
        configurations: &[Machine],
    ) -> Report {
        let verdicts = self.each(machine, |program| {
            let launch = self.launch(machine, program);
            let oracle = self.oracle(agent, &launch);
            let under = |configuration: &Machine| match &oracle {
                Ok(oracle) => {
                    self.held_against(agent, &self.launch(configuration, program), oracle)
                }
                Err(error) => Verdict::failed(error),
            };
            let configurations = configurations.iter();
            configurations
                .map(|configuration| (configuration.name.clone(), under(configuration)))
                .collect()
        });
        Report { verdicts }
    }

    /// Works on the programs that a machine can run, two at a time; verdicts come with the name of what they are about.
    pub fn each(
        &self,
        machine: &Machine,
        work: impl Fn(&Program) -> Vec<(String, Verdict)> + Sync,
    ) -> BTreeMap<(String, String), Verdict> {
        let programs = self.runnable(machine);
        let next = AtomicUsize::new(0);
        let verdicts = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let results = work(program);
                        if let Ok(mut all) = verdicts.lock() {
                            for (machine, verdict) in results {
                                all.insert((program.name.clone(), machine), verdict);
                            }
                        }
                    }
                });
            }
        });
        verdicts.into_inner().unwrap_or_default()
    }
}

/// Results of many programs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By name of the program and of the machine.
    pub verdicts: BTreeMap<(String, String), Verdict>,
}

impl Report {
    /// Sums: `70 runs, 16000 instructions and 1300 comments compared, 0 runs differ`.
    pub fn summary(&self) -> String {
        let instructions: u64 = self.verdicts.values().map(|v| v.instructions).sum();
        let comments: u64 = self.verdicts.values().map(|v| v.comments).sum();
        format!(
            "{} runs, {instructions} instructions and {comments} comments compared, {} runs differ",
            self.verdicts.len(),
            self.failed()
        )
    }

    /// Runs in which something does not agree.
    pub fn failed(&self) -> usize {
        let wrong = |v: &&Verdict| !v.differences.is_empty();
        self.verdicts.values().filter(wrong).count()
    }

    /// What does not agree, by program.
    pub fn differences(&self) -> String {
        let mut text = String::new();
        for ((name, machine), verdict) in &self.verdicts {
            if verdict.differences.is_empty() {
                continue;
            }
            let number = verdict.differences.len();
            let _ = writeln!(text, "{name} on {machine}: {number} differences");
            for difference in verdict.differences.iter().take(SHOWN) {
                let _ = writeln!(text, "    {difference}");
            }
        }
        text
    }

    /// Fails with the differences if there are any, or if fewer than `least` programs ran.
    ///
    /// # Panics
    /// Then.
    pub fn assert_agreement(&self, what: &str, least: usize) {
        println!("{what}: {}", self.summary());
        assert!(
            self.failed() == 0,
            "{what}: {} of {} runs differ\n{}",
            self.failed(),
            self.verdicts.len(),
            self.differences()
        );
        assert!(
            self.verdicts.len() >= least,
            "{what}: only {} runs",
            self.verdicts.len()
        );
    }
}
