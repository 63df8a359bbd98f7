//! The conformance programs, compiled together into a temporary directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::jvm::compile;
use crate::{
    Agent, ClassIndex, Difference, Program, TestkitError, Verdict, compare, io, repository,
};

/// Compiled conformance programs.
#[derive(Debug)]
pub struct Suite {
    /// The programs, in the order of their names.
    pub programs: Vec<Program>,
    /// Their classes.
    pub classes: ClassIndex,
    directory: TempDir,
}

impl Suite {
    /// Reads and compiles `subjects/conformance`, restricted to names that contain `part`.
    ///
    /// # Errors
    /// If a file cannot be read or does not compile.
    pub fn conformance(part: &str) -> Result<Self, TestkitError> {
        Self::compile(&repository().join("subjects/conformance"), part)
    }

    /// Reads and compiles the programs of a directory whose names contain `part`.
    ///
    /// # Errors
    /// If a file cannot be read or does not compile.
    pub fn compile(sources: &Path, part: &str) -> Result<Self, TestkitError> {
        let mut programs = Program::read_all(sources)?;
        programs.retain(|program| program.name.contains(part));
        let directory = TempDir::new().map_err(io("create", Path::new("a temporary directory")))?;
        let classes = directory.path().join("classes");
        std::fs::create_dir(&classes).map_err(io("create", &classes))?;
        let paths: Vec<PathBuf> = programs.iter().map(|p| p.path.clone()).collect();
        if !paths.is_empty() {
            compile(&paths, &classes)?;
        }
        Ok(Self {
            programs,
            classes: ClassIndex::read(&classes)?,
            directory,
        })
    }

    /// Runs one program plainly, counted and single-stepped, and compares.
    pub fn check(&self, agent: &Agent, program: &Program) -> Verdict {
        self.try_check(agent, program)
            .unwrap_or_else(|error| Verdict {
                differences: vec![Difference::Other(error.to_string())],
                ..Verdict::default()
            })
    }

    fn try_check(&self, agent: &Agent, program: &Program) -> Result<Verdict, TestkitError> {
        let scratch = self.directory.path();
        let classes = scratch.join("classes");
        let plain = agent.plain(program, &classes)?;
        let (counting, derived) = agent.count(program, &classes, scratch)?;
        let (stepping, stepped) = agent.step(program, &classes, scratch)?;
        let mut verdict = compare::compare(program, &self.classes, &derived, &stepped);
        if plain.status != Some(program.exit) {
            verdict.differences.push(Difference::Other(format!(
                "exit status {:?} instead of {}: {}",
                plain.status, program.exit, plain.error
            )));
        }
        for (how, outcome) in [("counted", &counting), ("single-stepped", &stepping)] {
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
        Ok(verdict)
    }

    /// Checks all programs, `at_once` at a time; results in the order of names.
    pub fn check_all(&self, agent: &Agent, at_once: usize) -> BTreeMap<&str, Verdict> {
        let next = AtomicUsize::new(0);
        let verdicts = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..at_once.max(1) {
                scope.spawn(|| {
                    while let Some(program) =
                        self.programs.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let verdict = self.check(agent, program);
                        if let Ok(mut all) = verdicts.lock() {
                            all.insert(program.name.as_str(), verdict);
                        }
                    }
                });
            }
        });
        verdicts.into_inner().unwrap_or_default()
    }
}
