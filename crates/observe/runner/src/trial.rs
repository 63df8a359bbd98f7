//! Measures the subject with and without counters, for the overhead budget.
//!
//! Plain and counted runs alternate, and which of them goes first does, so that a drift of the machine meets both; with `--jobs` the two of a pair run at the same time, so that what disturbs one
//! disturbs the other. A plain run is the program without the agent. What is compared is the CPU time of the whole process from its start to its end, seen from outside: with the JVM's own threads and the agent's. One input stands for the workload: the one in the middle, or if it fails when counted the first that does not.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use pricetag_probe_plan::PlanStore;
use pricetag_trace::{Mode, Trace};

use crate::budget::{self, Fitted, Group, Measurer, Work};
use crate::error::RunnerError;
use crate::failure;
use crate::journal::{self, Journal};
use crate::jvm::Java;
use crate::operations::{self, Beside};
use crate::progress::Progress;
use crate::slow_down::{Care, Pairs, SlowDown};
use crate::subject::{HUGE_METHODS, Subject, absolute};
use crate::supervise::{Cancel, Ending, Launch, run};
use crate::workload::Case;

/// How many runs may fail before there is no measuring.
const FAILURES: usize = 3;

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
    let mut trials = Trials {
        subject,
        budget,
        folder: journal.trials(),
        progress,
        cancel,
        case: None,
        work: BTreeMap::new(),
        rounds: 0,
        failures: 0,
    };
    let fitted = budget::fit(budget, &mut trials);
    journal::remove(&journal.trials())?;
    if let Ok(Some(fitted)) = &fitted {
        journal::write_json(&journal.budget(), fitted)?;
    }
    fitted
}

struct Trials<'a> {
    subject: &'a Subject<'a>,
    budget: f64,
    folder: PathBuf,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
    /// The input that stands for all, once one is known to run.
    case: Option<&'a Case>,
    work: BTreeMap<Group, Work>,
    rounds: usize,
    /// Runs that failed, of an input that ran before.
    failures: usize,
}

impl Measurer for Trials<'_> {
    fn compare(
        &mut self,
        removed: &BTreeSet<Group>,
        care: Care,
    ) -> Result<Option<SlowDown>, RunnerError> {
        // The first one counts only, to rewrite the classes.
        let runs = 1 + 2 * care.pairs() as u64;
        self.progress.begin(runs, "measuring the overhead");
        let compared = self.compared(removed, care);
        if let Ok(Some(slow)) = &compared {
            let counted = match removed.len() {
                0 => "with all probes".to_owned(),
                n => {
                    let ran = self.work.values().filter(|work| work.operations > 0);
                    format!("without {n} of {} groups that ran", ran.count())
                }
            };
            self.progress.found(&format!("overhead {counted}: {slow}"));
        }
        self.progress.end();
        compared
    }

    fn work(&self) -> &BTreeMap<Group, Work> {
        &self.work
    }
}

impl<'a> Trials<'a> {
    fn compared(
        &mut self,
        removed: &BTreeSet<Group>,
        care: Care,
    ) -> Result<Option<SlowDown>, RunnerError> {
        self.rounds += 1;
        let folder = self.folder.join(self.rounds.to_string());
        std::fs::create_dir_all(&folder).map_err(RunnerError::io("create", &folder))?;
        // The first counted run rewrites all classes, the others take them as it left them, as in a recording.
        let first = match self.case {
            None => self.sample(&folder, removed)?,
            Some(case) => self
                .again(case, |trials| trials.counted(&folder, case, removed))?
                .map(|counted| (case, counted)),
        };
        let Some((case, first)) = first else {
            return Ok(None);
        };
        if removed.is_empty() {
            self.work = self.work_of(&first.trace, &plans(&folder))?;
        }
        let mut pairs = Pairs::new(care);
        let slow_down = loop {
            let begun = Instant::now();
            let counted_first = pairs.count() % 2 == 1;
            let pair = self.pair(&folder, case, removed, counted_first)?;
            let Some([plain, counted]) = pair else {
                return Ok(None);
            };
            pairs.add(plain, counted, begun.elapsed());
            if let Some(slow_down) = pairs.verdict(self.budget) {
                break slow_down;
            }
        };
        // Most others count otherwise: nothing of this one is of use to them.
        journal::remove(&folder)?;
        Ok(Some(slow_down))
    }

    /// An input on which the subject can be counted, from now on the one that stands for all, and its first run. That there is none is an error unless
    /// none runs without the agent either.
    fn sample(
        &mut self,
        folder: &Path,
        removed: &BTreeSet<Group>,
    ) -> Result<Option<(&'a Case, Counted)>, RunnerError> {
        let cases = &self.subject.options.workload.cases;
        let middle = cases.get(cases.len() / 2);
        let (mut failures, mut fails_counted) = (0, None);
        for case in middle.into_iter().chain(cases) {
            match self.counted(folder, case, removed)? {
                Outcome::Ran(counted) => {
                    self.case = Some(case);
                    return Ok(Some((case, counted)));
                }
                Outcome::Cancelled => return Ok(None),
                Outcome::Failed(why) => {
                    failures += 1;
                    let runs = || self.plain(folder, case);
                    if fails_counted.is_none() && matches!(runs()?, Outcome::Ran(_)) {
                        fails_counted = Some((case, why));
                    }
                }
            }
        }
        // Whoever went on would drop the budget in silence.
        match fails_counted {
            Some((case, why)) => Err(unmeasured(failures, case, why)),
            None => Ok(None),
        }
    }

    /// CPU times of a plain and a counted run, ns; none if that was cancelled.
    fn pair(
        &mut self,
        folder: &Path,
        case: &Case,
        removed: &BTreeSet<Group>,
        counted_first: bool,
    ) -> Result<Option<[f64; 2]>, RunnerError> {
        if self.subject.options.jobs > 1 {
            return self.again(case, |trials| trials.together(folder, case, removed));
        }
        let mut order = [false, true];
        if counted_first {
            order.reverse();
        }
        let mut used = [0.0; 2];
        for counts in order {
            let one = |trials: &Self| {
                if counts {
                    let counted = trials.counted(folder, case, removed)?;
                    Ok(counted.map(|counted| counted.cpu))
                } else {
                    trials.plain(folder, case)
                }
            };
            let Some(cpu) = self.again(case, one)? else {
                return Ok(None);
            };
            used[usize::from(counts)] = cpu;
        }
        Ok(Some(used))
    }

    /// The same of runs at the same time.
    fn together(
        &self,
        folder: &Path,
        case: &Case,
        removed: &BTreeSet<Group>,
    ) -> Result<Outcome<[f64; 2]>, RunnerError> {
        let (plain, counted) = thread::scope(|scope| {
            let plain = scope.spawn(|| self.plain(folder, case));
            let counted = self.counted(folder, case, removed);
            (plain.join().unwrap_or_else(|p| resume_unwind(p)), counted)
        });
        Ok(match (plain?, counted?) {
            (Outcome::Ran(plain), Outcome::Ran(counted)) => Outcome::Ran([plain, counted.cpu]),
            (Outcome::Cancelled, _) | (_, Outcome::Cancelled) => Outcome::Cancelled,
            (Outcome::Failed(why), _) | (_, Outcome::Failed(why)) => Outcome::Failed(why),
        })
    }

    /// What comes of an input that ran before, which is run again if it fails now and then; none if that was cancelled.
    fn again<T>(
        &mut self,
        case: &Case,
        run: impl Fn(&Self) -> Result<Outcome<T>, RunnerError>,
    ) -> Result<Option<T>, RunnerError> {
        loop {
            match run(self)? {
                Outcome::Ran(ran) => return Ok(Some(ran)),
                Outcome::Cancelled => return Ok(None),
                Outcome::Failed(why) => self.failed(case, why)?,
            }
        }
    }

    /// Notes that a run failed of an input that ran before.
    fn failed(&mut self, case: &Case, why: String) -> Result<(), RunnerError> {
        self.failures += 1;
        if self.failures < FAILURES {
            return Ok(());
        }
        Err(unmeasured(self.failures, case, why))
    }

    fn work_of(&self, counted: &Trace, plans: &Path) -> Result<BTreeMap<Group, Work>, RunnerError> {
        let unreadable = |e| RunnerError::io("read", plans)(std::io::Error::other(e));
        let store = PlanStore::open(plans).map_err(unreadable)?;
        let options = self.subject.options;
        let beside = Beside {
            caught: options.caught,
            callers: options.callers,
            // What a script starts is most likely the usual JVM.
            optimised: options.jit && self.subject.java.as_ref().is_none_or(Java::optimises),
        };
        operations::of(counted, &store, beside).map_err(unreadable)
    }

    /// CPU time of the program without the agent, ns. What counted runs get of the JVM's options it has, too: the difference is
    /// what the counters cost.
    fn plain(&self, folder: &Path, case: &Case) -> Result<Outcome<f64>, RunnerError> {
        let crash = folder.join("plain.crash");
        let launch = self
            .subject
            .launch_with(None, &crash, case, &[HUGE_METHODS])?;
        self.ended(&launch, &crash, case)
    }

    fn counted(
        &self,
        folder: &Path,
        case: &Case,
        removed: &BTreeSet<Group>,
    ) -> Result<Outcome<Counted>, RunnerError> {
        let [trace, options, crash] =
            ["trace", "options", "crash"].map(|name| folder.join(format!("count.{name}")));
        journal::remove(&trace)?;
        let mut agent = self
            .subject
            .agent_options_at(Mode::Count, &trace, &plans(folder))?;
        agent.skip = budget::regions(removed.iter(), false);
        agent.skip_values = budget::regions(removed.iter(), true);
        agent.rewritten = Some(absolute(&folder.join("rewritten"))?);
        let agent = Some((&agent, options.as_path()));
        let launch = self.subject.launch_with(agent, &crash, case, &[])?;
        let ended = self.ended(&launch, &crash, case)?;
        Ok(ended.and_then(|cpu| match Trace::read(&trace) {
            Ok(trace) if trace.complete => Outcome::Ran(Counted { cpu, trace }),
            Ok(_) => Outcome::Failed("its trace is not complete".to_owned()),
            Err(why) => Outcome::Failed(why.to_string()),
        }))
    }

    /// CPU time of a process, ns.
    fn ended(
        &self,
        launch: &Launch,
        crash: &Path,
        case: &Case,
    ) -> Result<Outcome<f64>, RunnerError> {
        if self.cancel.is_cancelled() {
            return Ok(Outcome::Cancelled);
        }
        let options = self.subject.options;
        self.progress.started(&case.label);
        let ended = run(launch, options.timeout, false, self.cancel)?;
        self.progress.step(&case.label, None);
        if ended.ending == Ending::Cancelled {
            return Ok(Outcome::Cancelled);
        }
        if let Some(why) = failure::reason(&ended, crash) {
            return Ok(Outcome::Failed(why));
        }
        let cpu = (options.cpu)(&ended);
        Ok(if cpu.is_zero() {
            Outcome::Failed("its CPU time is not known".to_owned())
        } else {
            Outcome::Ran(cpu.as_nanos() as f64)
        })
    }
}

/// A run that was counted.
struct Counted {
    /// CPU time, ns.
    cpu: f64,
    trace: Trace,
}

/// What became of a run.
enum Outcome<T> {
    Ran(T),
    Failed(String),
    Cancelled,
}

impl<T> Outcome<T> {
    fn map<U>(self, with: impl FnOnce(T) -> U) -> Outcome<U> {
        self.and_then(|ran| Outcome::Ran(with(ran)))
    }

    fn and_then<U>(self, with: impl FnOnce(T) -> Outcome<U>) -> Outcome<U> {
        match self {
            Self::Ran(ran) => with(ran),
            Self::Failed(why) => Outcome::Failed(why),
            Self::Cancelled => Outcome::Cancelled,
        }
    }
}

fn unmeasured(failures: usize, case: &Case, why: String) -> RunnerError {
    RunnerError::BudgetUnmeasured {
        failures,
        input: case.label.clone(),
        why,
    }
}

fn plans(folder: &Path) -> PathBuf {
    folder.join("plans")
}
