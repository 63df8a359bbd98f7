//! Counting a suite once, as its baseline says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_flow::Categories;
use pricetag_gate::agents::{self, Surroundings};
use pricetag_gate::{Circumstances, Counted, Setup, test_methods};
use pricetag_runner::{RecordOptions, Timing};
use pricetag_trace::{Pattern, Scope};

use crate::arguments::{Common, GateRecordArgs, GateRunArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::scratch::Scratch;
use crate::watch::{cache, counting, watch, workload};

/// What a gate counts.
const KINDS: [FeatureKind; 5] = [
    FeatureKind::Block,
    FeatureKind::Method,
    FeatureKind::Opcode,
    FeatureKind::Call,
    FeatureKind::Base,
];

/// A suite, and how it is run here.
pub struct Counting<'a> {
    pub setup: Setup,
    pub run: &'a GateRunArgs,
    pub common: &'a Common,
    pub console: &'a Console,
}

/// How a suite is to be run, from the arguments.
pub fn setup(args: &GateRecordArgs) -> Setup {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let patterns = |patterns: &[Pattern]| patterns.iter().map(|p| p.as_str().to_owned()).collect();
    Setup {
        scope: args.scope.to_string(),
        tests: path(&args.tests),
        inputs: args.inputs.clone(),
        workload: path(&args.workload),
        stdin: args.stdin.clone(),
        cwd: path(&args.cwd),
        include: patterns(&args.include),
        exclude: patterns(&args.exclude),
        count_jdk: args.count_jdk,
        bytes: !args.no_bytes,
        starts_others: args.starts_others,
        runs: args.runs,
        // Written as 1 and not as 1.0000000000000002.
        share: (args.share * 1e8).round() / 1e6,
    }
}

impl Counting<'_> {
    /// Runs the suite once.
    pub fn once(&self) -> Result<(Dataset, Counted), Failure> {
        let scratch = Scratch::new()?;
        let options = self.options(&scratch.path().join("run"))?;
        let (dataset, recorded) = watch(&options, Some(BTreeSet::from(KINDS)), self.console)?;
        if recorded.interrupted {
            return Err(Failure::new("it was interrupted"));
        }
        for note in dataset.meta.notes.iter().filter(|_| self.console.verbose) {
            self.console.say(&format!("note: {note}"));
        }
        let mut counted = Counted::of(&dataset);
        let around = Surroundings::here(self.setup.cwd.as_ref().map(PathBuf::from));
        counted.identity.agents = agents::of(&self.run.command, &around);
        let folder = self.setup.cwd.as_ref().map(Path::new);
        counted.identity.circumstances = Circumstances::here(folder);
        counted.read_inputs(folder.unwrap_or(Path::new("")));
        Ok((dataset, counted))
    }

    fn options(&self, dir: &Path) -> Result<RecordOptions, Failure> {
        let (setup, run) = (&self.setup, self.run);
        let cwd = setup.cwd.as_ref().map(PathBuf::from);
        let table = setup.workload.as_ref().map(Path::new);
        let tests = match &setup.tests {
            Some(place) => test_methods(Path::new(place)).map_err(|e| {
                Failure::new(e.to_string())
                    .doing("looking for tests")
                    .advice("name the folder or jar of the compiled tests with --tests")
            })?,
            None => Vec::new(),
        };
        let odd = |what: &str| Failure::new(format!("the baseline's {what} is unreadable"));
        let scope = match tests.first() {
            Some(first) => Scope::Method(first.clone()),
            None => setup.scope.parse().map_err(|_| odd("scope"))?,
        };
        let patterns = |texts: &[String], what| {
            let patterns = texts.iter().map(|text| Pattern::new(text));
            patterns
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_| odd(what))
        };
        let inputs = workload(setup.inputs.as_deref(), table, cwd.as_deref())?;
        Ok(RecordOptions {
            stdin: setup.stdin.clone(),
            cwd,
            timeout: run.timeout,
            scope,
            tests,
            include: patterns(&setup.include, "include")?,
            exclude: patterns(&setup.exclude, "exclude")?,
            count_jdk: setup.count_jdk,
            categories: Categories::fine().to_text(),
            timing: if setup.bytes {
                Timing::Separate
            } else {
                Timing::Never
            },
            // Every invocation is judged.
            warmup: Some(0),
            jobs: self.common.jobs,
            show_output: run.show_output,
            cache: cache(run.cache.as_deref()),
            ..counting(run.command.clone(), inputs, dir, run.agent.as_deref())?
        })
    }
}
