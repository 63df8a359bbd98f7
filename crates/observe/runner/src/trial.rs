//! Measures the subject with and without counters, for the overhead budget.
//!
//! Plain and counted runs alternate, so that a drift of the machine meets both; of each kind the smallest CPU time counts,
//! since interference only adds. Times are those of the whole process from the entry of `main`, compilers and collector included.
//! One input stands for the workload: the one in the middle, or if it fails the first that does not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pricetag_probe_plan::PlanStore;
use pricetag_trace::{Mode, Trace};

use crate::budget::{self, Comparison, Fitted, Group, Measurer, Work};
use crate::costs::process_costs;
use crate::error::RunnerError;
use crate::failure;
use crate::journal::{self, Journal};
use crate::operations::{self, Beside};
use crate::progress::Progress;
use crate::subject::{Subject, absolute};
use crate::supervise::{Cancel, run};
use crate::workload::Case;

/// Pairs of runs at least and at most, and the CPU time of plain runs that is enough.
const PAIRS: (usize, usize) = (3, 9);
const ENOUGH: Duration = Duration::from_secs(2);

/// What the budget leaves uncounted: found by an earlier recording that is being resumed, or now. None without a budget, or
/// if no input runs (recording then says why).
pub(crate) fn fit_budget(
    subject: &Subject<'_>,
    journal: &Journal,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Option<Fitted>, RunnerError> {
    let Some(budget) = subject.options.overhead else {
        return Ok(None);
    };
    let kept = std::fs::read_to_string(journal.budget()).ok();
    let kept = kept.and_then(|text| serde_json::from_str::<Fitted>(&text).ok());
    if kept.is_some() {
        return Ok(kept);
    }
    progress.begin(2 * PAIRS.0 as u64, "measuring the overhead");
    let mut trials = Trials {
        subject,
        folder: journal.trials(),
        progress,
        cancel,
        case: None,
        rounds: 0,
    };
    let fitted = budget::fit(budget, &mut trials);
    progress.end();
    journal::remove(&journal.trials())?;
    if let Ok(Some(fitted)) = &fitted {
        journal::write_json(&journal.budget(), fitted)?;
    }
    fitted
}

struct Trials<'a> {
    subject: &'a Subject<'a>,
    folder: PathBuf,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
    /// The input that stands for all, once one is known to run.
    case: Option<&'a Case>,
    rounds: usize,
}

impl Measurer for Trials<'_> {
    fn compare(&mut self, removed: &BTreeSet<Group>) -> Result<Option<Comparison>, RunnerError> {
        self.rounds += 1;
        let folder = self.folder.join(self.rounds.to_string());
        std::fs::create_dir_all(&folder).map_err(RunnerError::io("create", &folder))?;
        let Some(case) = self.sample(&folder)? else {
            return Ok(None);
        };
        let mut comparison = Comparison {
            plain_ns: f64::INFINITY,
            counted_ns: f64::INFINITY,
            work: BTreeMap::new(),
        };
        let mut spent = 0.0;
        for pair in 0..PAIRS.1 {
            if pair >= PAIRS.0 && spent >= ENOUGH.as_nanos() as f64 {
                break;
            }
            let plain = self.one(&folder, Mode::Time, case, removed)?;
            let counted = self.one(&folder, Mode::Count, case, removed)?;
            let (Some(plain), Some(counted)) = (plain, counted) else {
                return Ok(None);
            };
            let (without, with) = (cpu(&plain), cpu(&counted));
            spent += without;
            comparison.plain_ns = comparison.plain_ns.min(without);
            comparison.counted_ns = comparison.counted_ns.min(with);
            if pair == 0 {
                comparison.work = self.work(&counted, &plans(&folder))?;
            }
        }
        // Another comparison counts otherwise: nothing of this one is of use to it.
        journal::remove(&folder)?;
        Ok(Some(comparison))
    }
}

impl<'a> Trials<'a> {
    /// An input on which the subject runs.
    fn sample(&mut self, folder: &Path) -> Result<Option<&'a Case>, RunnerError> {
        if self.case.is_none() {
            let cases = &self.subject.options.workload.cases;
            let middle = cases.get(cases.len() / 2);
            for case in middle.into_iter().chain(cases) {
                if self
                    .one(folder, Mode::Time, case, &BTreeSet::new())?
                    .is_some()
                {
                    self.case = Some(case);
                    break;
                }
            }
        }
        Ok(self.case)
    }

    fn work(&self, counted: &Trace, plans: &Path) -> Result<BTreeMap<Group, Work>, RunnerError> {
        let unreadable = |e| RunnerError::io("read", plans)(std::io::Error::other(e));
        let store = PlanStore::open(plans).map_err(unreadable)?;
        let options = self.subject.options;
        let beside = Beside {
            caught: options.caught,
            callers: options.callers,
        };
        operations::of(counted, &store, beside).map_err(unreadable)
    }

    /// The trace of one run; none if it failed.
    fn one(
        &self,
        folder: &Path,
        mode: Mode,
        case: &Case,
        removed: &BTreeSet<Group>,
    ) -> Result<Option<Trace>, RunnerError> {
        if self.cancel.is_cancelled() {
            return Ok(None);
        }
        let [trace, options, crash] = ["trace", "options", "crash"].map(|name| folder.join(name));
        journal::remove(&trace)?;
        let mut agent = self
            .subject
            .agent_options_at(mode, &trace, &plans(folder))?;
        agent.skip = budget::regions(removed.iter(), false);
        agent.skip_values = budget::regions(removed.iter(), true);
        // As in the recording, all runs but the first take classes as that one left them.
        let rewritten = absolute(&folder.join("rewritten"))?;
        agent.rewritten = (mode == Mode::Count).then_some(rewritten);
        let launch = self
            .subject
            .launch_with(&agent, &options, &crash, case, &[])?;
        let limit = self.subject.options.timeout;
        self.progress.started(&case.label);
        let ended = run(&launch, limit, false, self.cancel)?;
        let failed = failure::reason(&ended, &crash);
        self.progress.step(&case.label, None);
        let read = Trace::read(&trace).ok();
        let sound = read.filter(|read| read.complete && process_costs(read).is_some());
        Ok(sound.filter(|_| failed.is_none()))
    }
}

fn plans(folder: &Path) -> PathBuf {
    folder.join("plans")
}

fn cpu(trace: &Trace) -> f64 {
    process_costs(trace).map_or(0.0, |costs| costs.cpu_ns as f64)
}
