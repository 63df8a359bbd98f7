//! Several recordings of one build: what repeats, what does not, and the baseline that they make.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pricetag_dataset::numbered_call;
use pricetag_finding::figure::count;
use pricetag_trace::MethodName;

use crate::baseline::{
    Baseline, Benchmark, Code, Executed, FORMAT, Method, Other, SCHEMA, Setup, Tail,
};
use crate::counted::{Counted, Counts, short};
use crate::figure::{Figure, Metric};
use crate::limits::Limits;

/// Part of the share of a listed method from which on a method has a sum of its own, of all instructions of the suite.
pub(crate) const NAMED: f64 = 0.01;

/// Recordings of one build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// At least one; their methods have the same blocks.
    pub runs: Vec<Counted>,
    /// Benchmarks that are not judged, and why.
    pub left_out: BTreeMap<String, String>,
}

/// Why recordings make no baseline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// No benchmark, or none that succeeded.
    #[error("nothing was counted: no benchmark succeeded{}", .0.as_ref().map_or_else(String::new, |(name, why)| format!("; `{name}`: {why}")))]
    Nothing(Option<(String, String)>),
    /// A benchmark failed.
    #[error("the benchmark `{benchmark}` failed: {why}")]
    Failed {
        /// Its name.
        benchmark: String,
        /// What happened.
        why: String,
    },
    /// The launcher of tests ended with an error.
    #[error("the launcher of the tests failed: {0}")]
    Launcher(String),
    /// A benchmark was not there in every run.
    #[error("the benchmark `{0}` did not run in every recording")]
    Unsteady(String),
    /// No instruction was counted.
    #[error(
        "nothing was counted in the benchmark `{0}`: none of the classes that are counted executed anything"
    )]
    Empty(String),
    /// The program starts processes and does next to nothing itself.
    #[error(
        "{who} starts {processes} processes and executes {instructions} instructions itself: what a baseline would hold is not what the program does"
    )]
    OnlyStarts {
        /// The program, or the benchmark whose JVM it is.
        who: String,
        /// Processes in a run.
        processes: u64,
        /// Counted instructions of that JVM.
        instructions: u64,
    },
}

/// The scope that is the whole process.
const MAIN: &str = "main";

/// Instructions for each started process below which what was counted is only the starting.
const OF_STARTING: u64 = 10_000;

impl RecordError {
    /// What to try.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Nothing(_) | Self::Failed { .. } => {
                "run the command by hand; --show-output passes on what it prints"
            }
            Self::Launcher(_) => {
                "a test fails, or the launcher refuses its options: run the command by hand; leave a test out that fails"
            }
            Self::Unsteady(_) => "run the same benchmarks each time",
            Self::OnlyStarts { .. } => {
                "let it do the work in its own JVM (JMH: -f 0; Surefire: -DforkCount=0), or record the command that it starts; --starts-others takes it as it is"
            }
            Self::Empty(_) => "name the classes with --include, such as --include 'org.example.**'",
        }
    }
}

impl Suite {
    /// Brings runs together: code that ran in any of them is known of all.
    pub fn of(mut runs: Vec<Counted>) -> Self {
        let mut all: BTreeMap<MethodName, Code> = BTreeMap::new();
        for run in &runs {
            for (name, code) in &run.methods {
                let known = all.entry(name.clone()).or_default();
                known.file = known.file.take().or_else(|| code.file.clone());
                for block in &code.blocks {
                    let place = known
                        .blocks
                        .binary_search_by_key(&block.number, |b| b.number);
                    if let Err(at) = place {
                        known.blocks.insert(at, block.clone());
                    }
                }
            }
        }
        for run in &mut runs {
            let old = std::mem::replace(&mut run.methods, all.clone());
            for counts in run.benchmarks.values_mut() {
                for (name, ran) in &mut counts.methods {
                    let (Some(from), Some(to)) = (old.get(name), all.get(name)) else {
                        continue;
                    };
                    let executions = from.blocks.iter().map(|b| b.number).zip(&ran.blocks);
                    let executions: BTreeMap<u32, u64> =
                        executions.map(|(number, &n)| (number, n)).collect();
                    let of = |number| executions.get(&number).copied().unwrap_or(0);
                    ran.blocks = to.blocks.iter().map(|b| of(b.number)).collect();
                }
            }
        }
        Self {
            runs,
            left_out: BTreeMap::new(),
        }
    }

    /// The first run.
    pub fn first(&self) -> Option<&Counted> {
        self.runs.first()
    }

    /// A benchmark in each run that has it.
    pub fn of_benchmark<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Counts> {
        self.runs.iter().filter_map(|run| run.benchmarks.get(name))
    }

    /// What each run counted of a benchmark.
    pub fn counts(&self, benchmark: &str, metric: Metric) -> Vec<u64> {
        let of = |counts: &Counts| match metric {
            Metric::Instructions => Some(counts.instructions),
            Metric::Calls => Some(counts.calls),
            Metric::Bytes => counts.bytes,
        };
        self.of_benchmark(benchmark).filter_map(of).collect()
    }

    /// Names of all benchmarks, failed ones among them.
    pub fn names(&self) -> BTreeSet<String> {
        let of = |run: &Counted| -> Vec<String> {
            run.benchmarks
                .keys()
                .chain(run.failed.keys())
                .cloned()
                .collect()
        };
        self.runs.iter().flat_map(of).collect()
    }

    /// Leaves tests out that are not there in every run, count nothing or do not repeat: there are others. A run that failed is left: it may have
    /// ended before its last test.
    #[must_use]
    pub fn without_unsteady(mut self) -> Self {
        let tests: BTreeSet<String> = self
            .runs
            .iter()
            .flat_map(|run| run.benchmarks.keys().cloned())
            .collect();
        for name in tests {
            if let Some(why) = self.unsteady(&name) {
                self.left_out.insert(name, why);
            }
        }
        for run in &mut self.runs {
            run.benchmarks
                .retain(|name, _| !self.left_out.contains_key(name));
        }
        self
    }

    fn unsteady(&self, name: &str) -> Option<String> {
        let instructions = self.counts(name, Metric::Instructions);
        if instructions.len() < self.runs.len() {
            return Some("it did not run in every recording".to_owned());
        }
        let least = instructions.iter().min().copied()?;
        let most = instructions.iter().max().copied()?;
        match (least, most) {
            (_, 0) => Some("it executes nothing that is counted".to_owned()),
            _ if least < most => Some(format!(
                "it does not repeat: {} to {} instructions",
                count(least as f64),
                count(most as f64)
            )),
            _ => None,
        }
    }

    /// Whether it can be a baseline.
    ///
    /// # Errors
    /// If a benchmark failed, was not always there or counted nothing; if there is none; if a JVM only starts processes and `setup` does not allow that.
    pub fn check(&self, setup: &Setup) -> Result<(), RecordError> {
        let failed = self.runs.iter().flat_map(|run| &run.failed).next();
        let failed = failed.map(|(name, why)| (name.clone(), why.clone()));
        let any = self.runs.iter().any(|run| !run.benchmarks.is_empty());
        match failed {
            // What fails is the one process that runs them all.
            Some((_, why)) if setup.tests.is_some() => return Err(RecordError::Launcher(why)),
            failed if !any => return Err(RecordError::Nothing(failed)),
            Some((benchmark, why)) => return Err(RecordError::Failed { benchmark, why }),
            None => {}
        }
        for name in self.names() {
            if self.of_benchmark(&name).count() < self.runs.len() {
                return Err(RecordError::Unsteady(name));
            }
            if self
                .of_benchmark(&name)
                .any(|counts| counts.instructions == 0)
            {
                return Err(RecordError::Empty(name));
            }
        }
        if setup.starts_others {
            return Ok(());
        }
        self.runs.iter().try_for_each(|run| only_starts(setup, run))
    }

    /// The baseline of this build. Checked first: see [`Suite::check`].
    ///
    /// # Errors
    /// As there.
    pub fn baseline(
        &self,
        suite: &str,
        recorded: &str,
        pricetag: &str,
        setup: Setup,
        limits: Limits,
    ) -> Result<Baseline, RecordError> {
        self.check(&setup)?;
        let first = self.first().ok_or(RecordError::Nothing(None))?;
        let share = setup.share / 100.0;
        let mut baseline = Baseline {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            pricetag: pricetag.to_owned(),
            suite: suite.to_owned(),
            recorded: recorded.to_owned(),
            command: first.identity.command.clone(),
            java: first.identity.java.clone(),
            flags: first.identity.flags.clone(),
            program: first.identity.program.clone(),
            agents: Some(first.identity.agents.clone()),
            circumstances: Some(first.identity.circumstances.clone()),
            processes: true,
            setup,
            limits,
            left_out: self.left_out.clone(),
            uncounted: self
                .runs
                .iter()
                .flat_map(|run| run.uncounted.clone())
                .collect(),
            ..Baseline::default()
        };
        for name in first.benchmarks.keys() {
            baseline.benchmarks.extend(
                self.benchmark(name)
                    .map(|benchmark| (name.clone(), benchmark)),
            );
        }
        for counts in first.benchmarks.values() {
            for (callee, times) in &counts.leaving {
                *baseline.leaving.entry(callee.clone()).or_default() += times;
            }
        }
        self.sort(&mut baseline, first, share);
        Ok(baseline)
    }

    fn benchmark(&self, name: &str) -> Option<Benchmark> {
        let figure = |metric| Figure::of(&self.counts(name, metric));
        let digests: BTreeSet<String> = self
            .runs
            .iter()
            .filter_map(|run| Some(run.benchmarks.get(name)?.digest(&run.methods)))
            .collect();
        let caveats: BTreeSet<String> = self
            .of_benchmark(name)
            .flat_map(|counts| counts.caveats.clone())
            .collect();
        let complete = self.counts(name, Metric::Bytes).len() == self.runs.len();
        Some(Benchmark {
            instructions: figure(Metric::Instructions)?,
            calls: figure(Metric::Calls)?,
            bytes: Figure::of_bytes(&self.counts(name, Metric::Bytes)).filter(|_| complete),
            digest: digests.first().filter(|_| digests.len() == 1).cloned(),
            inputs: self.of_benchmark(name).next()?.inputs.clone(),
            content: self.of_benchmark(name).next()?.content.clone(),
            caveats: caveats.into_iter().collect(),
        })
    }

    /// Methods by how much they execute: listed, named, or part of the tail.
    fn sort(&self, baseline: &mut Baseline, first: &Counted, share: f64) {
        let all: u64 = first.benchmarks.values().map(|c| c.instructions).sum();
        let mut tail = String::new();
        for (name, code) in &first.methods {
            let ran: Vec<(&String, &Counts, &Executed)> = first
                .benchmarks
                .iter()
                .filter_map(|(benchmark, counts)| {
                    Some((benchmark, counts, counts.methods.get(name)?))
                })
                .collect();
            let notable = ran.iter().any(|(_, counts, ran)| {
                ran.instructions(code) as f64 >= share * counts.instructions as f64
            });
            let varies = self.varies(name);
            let instructions = ran
                .iter()
                .map(|(_, _, ran)| ran.instructions(code))
                .sum::<u64>();
            let calls = ran.iter().map(|(_, _, ran)| ran.calls).sum();
            if instructions == 0 && calls == 0 && !varies {
                continue;
            }
            if notable {
                let ran = ran.into_iter();
                let method = Method {
                    varies,
                    price: None,
                    code: code.clone(),
                    ran: ran
                        .map(|(benchmark, _, ran)| (benchmark.clone(), ran.clone()))
                        .collect(),
                };
                baseline.methods.insert(name.clone(), method);
            } else if varies || instructions as f64 >= NAMED * share * all as f64 {
                let other = Other {
                    calls,
                    instructions,
                    size: code.size(),
                    code: code.digest(),
                    varies,
                    price: None,
                };
                baseline.others.insert(name.clone(), other);
            } else {
                baseline.tail.methods += 1;
                baseline.tail.instructions += instructions;
                let _ = writeln!(tail, "{name} {calls} {instructions} {}", code.digest());
            }
        }
        baseline.tail = Tail {
            digest: short(&tail),
            ..baseline.tail.clone()
        };
    }

    /// Whether a method's counts differ between runs of some benchmark.
    pub fn varies(&self, name: &MethodName) -> bool {
        self.varies_in(name, |_| true)
    }

    /// Whether they differ between runs of one of these benchmarks.
    pub fn varies_in(&self, name: &MethodName, is_meant: impl Fn(&str) -> bool) -> bool {
        let Some(first) = self.first() else {
            return false;
        };
        let nothing = Executed::default();
        let ran = |run: &Counted, benchmark: &String| -> Option<(u64, Vec<u64>)> {
            let ran = run
                .benchmarks
                .get(benchmark)?
                .methods
                .get(name)
                .unwrap_or(&nothing);
            let mut blocks = ran.blocks.clone();
            // What did not run has no counts, or zeros.
            while blocks.last() == Some(&0) {
                blocks.pop();
            }
            Some((ran.calls, blocks))
        };
        let mut benchmarks = first.benchmarks.keys().filter(|name| is_meant(name));
        benchmarks.any(|benchmark| {
            let of: BTreeSet<_> = self
                .runs
                .iter()
                .filter_map(|run| ran(run, benchmark))
                .collect();
            of.len() > 1
        })
    }
}

/// The benchmarks of a run by the JVM that they ran in: each its own; with a method for a scope, one for each input; with tests, one for all.
pub(crate) fn jvms<'r>(setup: &Setup, run: &'r Counted) -> BTreeMap<&'r str, Vec<&'r String>> {
    let mut jvms: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for name in run.benchmarks.keys() {
        let jvm = match numbered_call(name) {
            _ if setup.tests.is_some() => "",
            Some((jvm, _)) if setup.scope != MAIN => jvm,
            _ => name,
        };
        jvms.entry(jvm).or_default().push(name);
    }
    jvms
}

/// Refuses a run with a JVM that started processes and did next to nothing beside that.
fn only_starts(setup: &Setup, run: &Counted) -> Result<(), RecordError> {
    let jvms = jvms(setup, run);
    let single = jvms.len() == 1;
    for (jvm, names) in jvms {
        let counts = names.iter().filter_map(|name| run.benchmarks.get(*name));
        // What a JVM started is said of each of its benchmarks.
        let processes = counts.clone().map(Counts::started).max().unwrap_or(0);
        let instructions: u64 = counts.map(|counts| counts.instructions).sum();
        if instructions < OF_STARTING.saturating_mul(processes) {
            let who = if single {
                "the program".to_owned()
            } else {
                format!("the program, run for `{jvm}`,")
            };
            return Err(RecordError::OnlyStarts {
                who,
                processes,
                instructions,
            });
        }
    }
    Ok(())
}

impl Code {
    /// Instructions of all blocks.
    pub fn size(&self) -> u32 {
        self.blocks.iter().map(|block| block.size).sum()
    }

    /// Digest of all blocks.
    pub fn digest(&self) -> String {
        let blocks: Vec<&str> = self.blocks.iter().map(|b| b.code.as_str()).collect();
        short(&blocks.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use pricetag_trace::processes::caveat;

    use super::*;

    /// A run of benchmarks with so many instructions, each with so many processes started in its JVM.
    fn run(benchmarks: &[(&str, u64, u64)]) -> Counted {
        let counts = benchmarks.iter().map(|&(name, instructions, processes)| {
            let counts = Counts {
                instructions,
                caveats: vec![caveat(processes)],
                ..Counts::default()
            };
            (name.to_owned(), counts)
        });
        Counted {
            benchmarks: counts.collect(),
            ..Counted::default()
        }
    }

    fn setup(scope: &str, tests: bool) -> Setup {
        Setup {
            scope: scope.to_owned(),
            tests: tests.then(|| "classes".to_owned()),
            ..Setup::default()
        }
    }

    #[test]
    fn each_jvm_has_to_do_more_than_start_others() {
        // Inputs have a JVM each: what one of them executes is not what another one lets others do.
        let runs = run(&[("in/1", 5_000, 1), ("in/2", 900_000, 1)]);
        let refused = only_starts(&setup("main", false), &runs).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the program, run for `in/1`, starts 1 processes and executes 5000 instructions itself: what a baseline would hold is not what the program does"
        );
        assert!(refused.advice().contains("--starts-others"));
        // Tests share one, and so do the calls of a scope: the sum counts, and what was started is said of each.
        let runs = run(&[("C#a", 5_000, 2), ("C#b", 16_000, 2)]);
        assert_eq!(only_starts(&setup("main", true), &runs), Ok(()));
        let runs = run(&[("C#a #1", 5_000, 2), ("C#a #2", 16_000, 2)]);
        assert_eq!(only_starts(&setup("C#a", false), &runs), Ok(()));
        // With several inputs there is a JVM for each.
        let runs = run(&[("in/1 #1", 5_000, 2), ("in/2 #1", 16_000, 2)]);
        assert!(only_starts(&setup("C#a", false), &runs).is_err());
    }

    #[test]
    fn who_wants_it_records_a_program_that_only_starts_others() {
        let mut wanted = setup("main", false);
        let suite = Suite::of(vec![run(&[("run", 5_000, 2)]); 2]);
        let refused = suite.check(&wanted).unwrap_err().to_string();
        assert!(
            refused.starts_with("the program starts 2 processes"),
            "{refused}"
        );
        wanted.starts_others = true;
        assert_eq!(suite.check(&wanted), Ok(()));
    }
}
