//! From finished runs to rows: which trace holds an observation's counts, which its costs, and what is wrong with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pricetag_dataset::{Measured, Meta, Observation, Status};
use pricetag_profile::Profile;
use pricetag_quantity::{mean_interval, median, relative_spread};
use pricetag_trace::{ProcessCosts, Record, Scope, Trace};

use crate::costs::{cost_units, named_costs, process_costs, queued};
use crate::error::RunnerError;
use crate::journal::{Journal, Manifest, RunId, RunKind, RunNote};
use crate::options::{RecordOptions, Timing};
use crate::overhead;
use crate::program::of_all;
use crate::reopen::PROGRAM;
use crate::sampling;
use crate::scope;

/// Load per core above which a machine is not quiet.
pub const BUSY: f64 = 0.5;
/// Spread of repeats above which times deserve a note.
const RESTLESS: f64 = 0.10;

/// Where the counts of an observation are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// The counters at the end of this trace.
    Process(PathBuf),
    /// The counters of one invocation.
    Invocation {
        /// The trace.
        trace: PathBuf,
        /// Which of the trace's invocation records, from 0.
        index: usize,
    },
}

/// One observation and where its counts are.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Everything but the counts.
    pub observation: Observation,
    /// None for failed observations.
    pub counts: Option<Counts>,
    /// The same counted a second time.
    pub recount: Option<Counts>,
}

/// All that was recorded.
#[derive(Debug)]
pub struct Recorded {
    /// Provenance; without list of uncounted classes, creation time and program version.
    pub meta: Meta,
    /// Finished observations in the order of the workload.
    pub rows: Vec<Row>,
    /// Probe plans of all counted classes.
    pub plans: PathBuf,
    /// What sampled runs say, if there were any.
    pub profile: Option<Profile>,
    /// Whether the user interrupted it.
    pub interrupted: bool,
    /// Inputs that are finished, and inputs of the workload.
    pub finished: (usize, usize),
    journal: Journal,
}

impl Recorded {
    /// Observations that succeeded.
    pub fn successes(&self) -> usize {
        self.rows
            .iter()
            .filter(|r| r.observation.status == Status::Ok)
            .count()
    }

    /// Whether there is a dataset that is to be replaced only by a whole one.
    pub fn replaces(&self) -> bool {
        self.journal.replaces()
    }

    /// Forgets the finished runs, once the dataset is written.
    pub fn close(self) -> Result<(), RunnerError> {
        self.journal.close()
    }

    /// Forgets all runs: what it was to replace stays.
    pub fn abandon(self) -> Result<(), RunnerError> {
        self.journal.abandon()
    }

    pub(crate) fn assemble(
        options: &RecordOptions,
        of_subject: Vec<String>,
        journal: Journal,
        manifest: Manifest,
        interrupted: bool,
        load: Option<f64>,
    ) -> Result<Self, RunnerError> {
        let mut meta = Meta {
            schema: pricetag_dataset::DATASET_SCHEMA,
            subject: manifest.command,
            scope: options.scope.to_string(),
            cost_units: cost_units(&options.scope),
            platform: manifest.platform,
            options: manifest.options,
            ..Meta::default()
        };
        meta.options.extend(manifest.protocol);
        if !manifest.program.is_empty() {
            meta.options
                .insert(PROGRAM.to_owned(), of_all(&manifest.program));
        }
        if let Some(load) = load {
            meta.platform
                .insert("load_per_core".to_owned(), format!("{load:.2}"));
        }
        let reader = Reader {
            options,
            journal: &journal,
        };
        let mut notes = Vec::new();
        let (rows, finished) = reader.rows(interrupted, &mut notes)?;
        let any_success = rows
            .iter()
            .any(|r: &Row| r.observation.status == Status::Ok);
        let runs_fine = !rows.iter().any(|r| r.observation.status == Status::Failed);
        if let (Scope::Method(_), false, true, false) =
            (&options.scope, any_success, runs_fine, interrupted)
        {
            let runs = options.workload.cases.len();
            return Err(RunnerError::ScopeNeverEntered {
                scope: match options.tests.len() {
                    0 | 1 => options.scope.to_string(),
                    tests => format!("{}, or one of {} other tests,", options.scope, tests - 1),
                },
                why: reader.refusal(),
                runs,
            });
        }
        if options.scope == Scope::Main {
            notes.extend(reader.overhead_note());
        }
        notes.extend(quietness(load, &rows));
        notes.extend(of_subject);
        if interrupted {
            let planned = options.workload.cases.len();
            notes.push(if finished == planned {
                "interrupted: every input is measured, but not as often as asked".to_owned()
            } else {
                format!("interrupted: {finished} of {planned} inputs are measured")
            });
        }
        let profile = sampling::profile(options, &journal, &rows, &mut notes);
        meta.notes = notes;
        let finished = (finished, options.workload.cases.len());
        Ok(Self {
            meta,
            rows,
            plans: journal.plans(),
            profile,
            interrupted,
            finished,
            journal,
        })
    }
}

/// Reads the runs of a recording back.
pub(crate) struct Reader<'a> {
    pub(crate) options: &'a RecordOptions,
    pub(crate) journal: &'a Journal,
}

/// What is known of one input's runs.
pub(crate) enum Runs {
    /// Not all planned runs are there, and the recording was not interrupted late enough to use them.
    Unfinished,
    /// One failed.
    Failed(String),
    /// All that were needed.
    Done(Finished),
}

/// Runs of one input that observed something.
#[derive(Default)]
pub(crate) struct Finished {
    pub(crate) counting: Vec<RunId>,
    pub(crate) timing: Vec<RunId>,
    pub(crate) remarks: Vec<String>,
    /// Why one of them failed, if invocations of a scope were observed before.
    pub(crate) failure: Option<String>,
}

impl Reader<'_> {
    fn note(&self, id: RunId) -> Option<RunNote> {
        self.journal
            .finished(id, &self.options.workload.cases[id.case].label)
    }

    /// The rows of all inputs, and how many inputs are finished.
    fn rows(
        &self,
        interrupted: bool,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<Row>, usize), RunnerError> {
        let cases = 0..self.options.workload.cases.len();
        if self.options.scope == Scope::Main {
            let rows: Vec<Row> = cases
                .filter_map(|case| self.process(case, interrupted))
                .collect();
            let finished = rows.len();
            return Ok((rows, finished));
        }
        let parts = cases.map(|case| scope::part(self, case, interrupted, notes));
        let parts: Vec<scope::Part> = parts.collect::<Result<_, _>>()?;
        let finished = parts.iter().filter(|part| part.is_finished()).count();
        Ok((scope::join(parts, notes), finished))
    }

    /// The runs of one input. After an interruption an input counts as finished once it is counted and timed at least once.
    pub(crate) fn runs(&self, case: usize, interrupted: bool) -> Runs {
        let of_case = |runs: Vec<RunId>| {
            runs.into_iter()
                .filter(|r| r.case == case)
                .collect::<Vec<_>>()
        };
        let planned_counting = of_case(crate::record::counting_runs(self.options));
        let planned_timing = of_case(crate::record::timing_runs(self.options));
        let mut found = Finished::default();
        for &id in planned_counting.iter().chain(&planned_timing) {
            let Some(note) = self.note(id) else { continue };
            if let Some(why) = note.failure {
                let why = format!("{}: {why}", id.kind);
                found.failure.get_or_insert(why);
                if self.options.scope == Scope::Main || !observed(&self.journal.trace(id)) {
                    continue;
                }
            }
            for remark in note.remarks {
                if !found.remarks.contains(&remark) {
                    found.remarks.push(remark);
                }
            }
            match id.kind {
                RunKind::Count(_) => found.counting.push(id),
                RunKind::Time(_) => found.timing.push(id),
                RunKind::Sample => {}
            }
        }
        let all = found.counting.len() == planned_counting.len()
            && found.timing.len() == planned_timing.len();
        let first = RunId {
            case,
            kind: RunKind::Count(0),
        };
        let enough = found.counting.contains(&first)
            && (self.options.timing != Timing::Separate || !found.timing.is_empty());
        match &found.failure {
            Some(why) if self.options.scope == Scope::Main || !enough => Runs::Failed(why.clone()),
            failure if all || (enough && (interrupted || failure.is_some())) => Runs::Done(found),
            _ => Runs::Unfinished,
        }
    }

    /// A trace whose run succeeded.
    pub(crate) fn trace(&self, id: RunId) -> Result<Trace, RunnerError> {
        let path = self.journal.trace(id);
        Trace::read(&path).map_err(|e| RunnerError::io("read", &path)(std::io::Error::other(e)))
    }

    /// What the agent had against the scope, in the first run that says so.
    fn refusal(&self) -> Option<String> {
        const PREFIX: &str = "not observed: ";
        let first = |case| RunId {
            case,
            kind: RunKind::Count(0),
        };
        let mut traces = (0..self.options.workload.cases.len())
            .filter_map(|case| Trace::read(&self.journal.trace(first(case))).ok());
        traces.find_map(|trace| {
            trace.records.iter().find_map(|record| match record {
                Record::Left(left) => left.reason.strip_prefix(PREFIX).map(str::to_owned),
                _ => None,
            })
        })
    }

    /// The trace of a whole process, whose counts are at its end: a damaged one is none.
    fn whole(&self, id: RunId) -> Result<Trace, String> {
        self.journal
            .whole(id)
            .map_err(|why| format!("{}: {why}", id.kind))
    }

    /// The observation of a whole process.
    fn process(&self, case: usize, interrupted: bool) -> Option<Row> {
        let Finished {
            counting,
            timing,
            remarks: caveats,
            ..
        } = match self.runs(case, interrupted) {
            Runs::Unfinished => return None,
            Runs::Failed(why) => return Some(self.failed(case, why)),
            Runs::Done(runs) => runs,
        };
        let timed = if self.options.timing == Timing::Same {
            &counting
        } else {
            &timing
        };
        let mut costs: BTreeMap<String, Measured> = BTreeMap::new();
        let mut untimed = counting.iter().filter(|id| !timed.contains(id));
        if let Some(why) = untimed.find_map(|&id| self.whole(id).err()) {
            return Some(self.failed(case, why));
        }
        for &id in timed {
            let trace = match self.whole(id) {
                Ok(trace) => trace,
                Err(why) => return Some(self.failed(case, why)),
            };
            let Some(process) = process_costs(&trace) else {
                let why = format!("{}: `main` was never entered", id.kind);
                return Some(self.failed(case, why));
            };
            for (name, value) in named_costs(&process).into_iter().chain(queued(&trace)) {
                costs
                    .entry(name.to_owned())
                    .or_default()
                    .repeats
                    .push(value);
            }
        }
        let counts = |k| {
            let id = RunId {
                case,
                kind: RunKind::Count(k),
            };
            counting
                .contains(&id)
                .then(|| Counts::Process(self.journal.trace(id)))
        };
        let observation = Observation {
            status: Status::Ok,
            costs,
            caveats,
            ..self.blank(case)
        };
        Some(Row {
            observation,
            counts: counts(0),
            recount: counts(1),
        })
    }

    /// An observation of an input without any result.
    pub(crate) fn blank(&self, case: usize) -> Observation {
        let case = &self.options.workload.cases[case];
        Observation {
            label: case.label.clone(),
            group: case.label.clone(),
            inputs: case.inputs.clone(),
            ..Observation::default()
        }
    }

    pub(crate) fn failed(&self, case: usize, why: String) -> Row {
        let observation = Observation {
            status: Status::Failed,
            reason: Some(why),
            ..self.blank(case)
        };
        Row {
            observation,
            counts: None,
            recount: None,
        }
    }

    /// How much more processor time counting made the subject's threads take, over inputs that were run both ways. Compilers are left out:
    /// they do other work where code is counted.
    fn overhead_note(&self) -> Option<String> {
        let of = |costs: fn(&ProcessCosts) -> u64| {
            let cost = |id: RunId| {
                let note = self.note(id).filter(|n| n.failure.is_none())?;
                process_costs(&self.trace(note.id).ok()?).map(|p| costs(&p) as f64)
            };
            // Runs that are looked at stop again and again.
            let undisturbed = |case: &usize| !self.options.looks_at(*case);
            let cases = (0..self.options.workload.cases.len()).filter(undisturbed);
            let ratios = cases.filter_map(|case| {
                let kind = RunKind::Count(0);
                let with = cost(RunId { case, kind })?;
                let kind = RunKind::Time(0);
                let without = cost(RunId { case, kind })?;
                (without > 0.0 && with > 0.0).then(|| (with / without).ln())
            });
            ratios.collect::<Vec<f64>>()
        };
        let threads = (of(|p| p.thread_cpu_ns), "processor time of its threads");
        let (logarithms, what) = if threads.0.is_empty() {
            (of(|p| p.wall_ns), "wall time")
        } else {
            threads
        };
        let inputs = logarithms.len();
        let mean = (inputs > 0).then(|| logarithms.iter().sum::<f64>() / inputs as f64)?;
        let range = mean_interval(&logarithms, 0.95).map(|i| (i.low.exp_m1(), i.high.exp_m1()));
        let of = format!("the subject ({what}, mean of {inputs} inputs)");
        Some(overhead::sentence(mean.exp_m1(), range, &of, self.options))
    }
}

/// Whether a run of a scope finished an invocation, however it ended itself.
pub(crate) fn observed(trace: &Path) -> bool {
    let read = Trace::read(trace);
    let finished = |record: &Record| matches!(record, Record::Invocation(_));
    read.is_ok_and(|trace| trace.records.iter().any(finished))
}

/// Says so when the machine was not quiet.
fn quietness(load: Option<f64>, rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(load) = load.filter(|&l| l > BUSY) {
        notes.push(format!(
            "the machine was busy when recording began: load average {load:.2} per core"
        ));
    }
    let spreads: Vec<f64> = rows
        .iter()
        .filter_map(|r| r.observation.costs.get("wall"))
        .filter_map(|m| (m.repeats.len() > 1).then(|| relative_spread(&m.repeats))?)
        .collect();
    if let Some(spread) = median(&spreads).filter(|&s| s > RESTLESS) {
        notes.push(format!(
            "repeated times of one input differ by {:.0} % (median) as measured, slow stretches included: the machine was not quiet",
            spread * 100.0
        ));
    }
    notes
}
