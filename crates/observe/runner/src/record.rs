//! The protocol of a recording: count every input, then time every input in rounds. Where nothing tells how long the program takes, one of the timing runs goes ahead, since
//! how counting runs are best compiled depends on it ([`crate::compilation`]).
//!
//! Counts come from runs with counters, times from runs without. The rounds go over all inputs before any is timed
//! again, so that a drift of the machine spreads over all of them instead of biasing some (as in Kalibera & Jones 2013,
//! "Rigorous benchmarking in reasonable time"). Every finished run is in the journal before the next begins.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use pricetag_dataset::lacks_room;
use pricetag_dataset::secrets::without_secrets;
use pricetag_trace::{Record, Scope, Trace};

use crate::assemble::{Recorded, observed};
use crate::compilation::Compiled;
use crate::error::RunnerError;
use crate::failure;
use crate::journal::{Journal, MANIFEST_SCHEMA, Manifest, RunId, RunKind, RunNote};
use crate::options::{RecordOptions, Timing};
use crate::platform;
use crate::program;
use crate::progress::Progress;
use crate::sampling;
use crate::subject::Subject;
use crate::supervise::{Cancel, Ended, Ending, run};
use crate::trial;
use crate::workload::Case;

/// Runs the workload. Failed runs are results; an error means that recording makes no sense.
pub fn record(
    options: &RecordOptions,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Recorded, RunnerError> {
    options.check()?;
    let subject = Subject::prepare(options, cancel)?;
    let mut shaping = options.shaping();
    shaping.insert("jvm_flags".to_owned(), subject.flags.join(" "));
    let manifest = Manifest {
        schema: MANIFEST_SCHEMA,
        command: without_secrets(&options.command),
        options: shaping,
        protocol: options.protocol().into_iter().collect(),
        environment: options.environment(),
        platform: subject.platform(),
        program: program::files(options),
        replaces: false,
        cases: options.workload.cases.iter().map(Case::kept).collect(),
    };
    let journal = Journal::open(&options.dir, &manifest, options.resume, options.force)?;
    let load = platform::load_per_core();
    let mut session = Session {
        subject,
        journal,
        cancel,
        progress,
    };
    let fitted = trial::fit_budget(&session.subject, &session.journal, progress, cancel)?;
    if let Some(fitted) = &fitted {
        session.subject.skip = fitted.uncounted();
        session.subject.skip_values = fitted.without_values();
    }
    let went = session.go();
    went?;
    let notes = [
        session.subject.launcher_note(),
        session.subject.cache_note(),
    ];
    let mut recorded = Recorded::assemble(
        options,
        notes.into_iter().flatten().collect(),
        session.journal,
        manifest,
        cancel.is_cancelled(),
        load,
    )?;
    if let Some(fitted) = fitted {
        recorded.meta.notes.insert(0, fitted.note());
    }
    Ok(recorded)
}

struct Session<'a> {
    subject: Subject<'a>,
    journal: Journal,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
}

/// Runs that count, in order: every input once, then those counted again.
pub(crate) fn counting_runs(options: &RecordOptions) -> Vec<RunId> {
    let cases = options.workload.cases.len();
    let again: Vec<usize> = match options.timing {
        Timing::Separate | Timing::Never => options.determinism.chosen(cases),
        Timing::Same => Vec::new(),
    };
    let rounds = if options.timing == Timing::Same {
        options.repeat
    } else {
        1
    };
    let first = (0..rounds).flat_map(|k| {
        (0..cases).map(move |case| RunId {
            case,
            kind: RunKind::Count(k),
        })
    });
    first
        .chain(again.into_iter().map(|case| RunId {
            case,
            kind: RunKind::Count(1),
        }))
        .collect()
}

/// Runs that time, in rounds. With `--timing same` a few, to state the overhead.
pub(crate) fn timing_runs(options: &RecordOptions) -> Vec<RunId> {
    let cases = options.workload.cases.len();
    match options.timing {
        Timing::Never => Vec::new(),
        Timing::Separate => {
            let rounds = (0..options.repeat).flat_map(|k| {
                let mut order: Vec<usize> = (0..cases).collect();
                if options.shuffle {
                    order.shuffle(&mut Pcg64Mcg::seed_from_u64(k.into()));
                }
                order.into_iter().map(move |case| RunId {
                    case,
                    kind: RunKind::Time(k),
                })
            });
            rounds.collect()
        }
        Timing::Same => {
            let sample = crate::options::Determinism::Some(3).chosen(cases);
            sample
                .into_iter()
                .map(|case| RunId {
                    case,
                    kind: RunKind::Time(0),
                })
                .collect()
        }
    }
}

impl Session<'_> {
    fn go(&self) -> Result<(), RunnerError> {
        let options = self.subject.options;
        let (counting, timing) = (counting_runs(options), timing_runs(options));
        self.progress
            .begin((counting.len() + timing.len()) as u64, "running");
        let failed = Mutex::new(BTreeSet::new());
        let jobs = if options.timing == Timing::Same {
            1
        } else {
            options.jobs
        };
        let outcome = self.ahead(&timing, &failed).and_then(|timing| {
            // The first counting run goes alone: it finds out whether the agent loads at all.
            let first = counting.iter().position(|id| !has_failed(&failed, id.case));
            let (first, rest) = counting.split_at(first.map_or(0, |at| at + 1));
            self.all(first, 1, &failed)?;
            self.all(rest, jobs, &failed)?;
            self.all(timing, 1, &failed)?;
            self.samples(&[&counting, timing], &failed)
        });
        self.progress.end();
        outcome
    }

    /// Samples as many inputs as are asked for, or as the recording so far leaves time for.
    fn samples(
        &self,
        before: &[&[RunId]],
        failed: &Mutex<BTreeSet<usize>>,
    ) -> Result<(), RunnerError> {
        let options = self.subject.options;
        let cases = &options.workload.cases;
        let spent = |id: &RunId| {
            let note = self.journal.finished(*id, &cases[id.case].label)?;
            note.failure.is_none().then_some((id.kind, note.process_ns))
        };
        let spent: Vec<(RunKind, u64)> =
            before.iter().copied().flatten().filter_map(spent).collect();
        let runs = sampling::runs(options, &spent);
        self.progress.begin(runs.len() as u64, "sampling");
        // A sampled run that fails takes nothing from what is known of its input.
        let ignored = Mutex::new(
            failed
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        );
        self.all(&runs, 1, &ignored)
    }

    /// Times runs, until one succeeds, where nothing else tells how long runs are; returns those that are still to be timed. Such a run may find files that nobody has read yet, so there
    /// have to be others of the same input.
    fn ahead<'r>(
        &self,
        timing: &'r [RunId],
        failed: &Mutex<BTreeSet<usize>>,
    ) -> Result<&'r [RunId], RunnerError> {
        let options = self.subject.options;
        let mut left = timing;
        if options.repeat > 1 && !options.resume {
            while let Some((next, others)) = left.split_first()
                && self.subject.compilation.asks()
                && !self.cancel.is_cancelled()
            {
                self.all(std::slice::from_ref(next), 1, failed)?;
                left = others;
            }
        }
        Ok(left)
    }

    /// Executes runs on `jobs` threads, leaving out inputs that failed already.
    fn all(
        &self,
        runs: &[RunId],
        jobs: usize,
        failed: &Mutex<BTreeSet<usize>>,
    ) -> Result<(), RunnerError> {
        let next = AtomicUsize::new(0);
        let error = Mutex::new(None);
        let work = || {
            while let Some(&id) = runs.get(next.fetch_add(1, Ordering::SeqCst)) {
                let stopped = error
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .is_some();
                if stopped || self.cancel.is_cancelled() {
                    return;
                }
                if has_failed(failed, id.case) {
                    self.progress.step("", None);
                    continue;
                }
                match self.one(id) {
                    Ok(Some(note)) => {
                        self.progress.step(&note.label, note.failure.as_deref());
                        if note.failure.is_none() {
                            self.took(id, &note);
                        }
                        if note.failure.is_some() && !self.keeps(id) {
                            let mut locked = failed.lock().unwrap_or_else(PoisonError::into_inner);
                            locked.insert(id.case);
                        }
                    }
                    Ok(None) => return,
                    Err(e) => {
                        *error.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.min(runs.len()) {
                scope.spawn(work);
            }
            work();
        });
        error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// Notes how long a run that succeeded took.
    fn took(&self, id: RunId, note: &RunNote) {
        let compilation = &self.subject.compilation;
        let wall = Duration::from_nanos(note.process_ns);
        match id.kind {
            RunKind::Count(_) => compilation.counted(wall),
            // What the agent does when the program is over is not the program's.
            RunKind::Time(_) if compilation.asks() => {
                compilation.timed(self.of_program(id).unwrap_or(wall));
            }
            RunKind::Time(_) => compilation.timed(wall),
            RunKind::Sample => {}
        }
    }

    /// From the entry of a run's `main` until the program was over, if its trace tells.
    fn of_program(&self, id: RunId) -> Option<Duration> {
        let trace = Trace::read(&self.journal.trace(id)).ok()?;
        let mut walls = trace.records.iter().filter_map(|record| match record {
            Record::Process(costs) => Some(Duration::from_nanos(costs.wall_ns)),
            _ => None,
        });
        walls.next()
    }

    /// Whether a failed run is worth more runs of its input: invocations of a scope that it finished are observations.
    fn keeps(&self, id: RunId) -> bool {
        self.subject.options.scope != Scope::Main && observed(&self.journal.trace(id))
    }

    /// One run, or its note from an earlier recording; none when cancelled.
    fn one(&self, id: RunId) -> Result<Option<RunNote>, RunnerError> {
        let case = &self.subject.options.workload.cases[id.case];
        if let Some(note) = self
            .journal
            .finished(id, &case.label)
            .filter(|note| !note.retry)
            .filter(|note| note.failure.is_some() || self.journal.whole(id).is_ok())
        {
            return Ok(Some(note));
        }
        self.journal.clear(id)?;
        self.progress.started(&case.label);
        let ended = self.run(id, case)?;
        if ended.ending == Ending::Cancelled {
            self.journal.clear(id)?;
            return Ok(None);
        }
        let trace = self.journal.trace(id);
        let trace_bytes = std::fs::metadata(&trace)
            .ok()
            .map(|m| m.len())
            .filter(|&n| n > 0);
        if trace_bytes.is_none() && id.kind != RunKind::Sample {
            self.explain_silence(&ended)?;
        }
        let crash_log = self.journal.crash_log(id);
        let own = failure::reason(&ended, &crash_log);
        let own = own.map(|own| match failure::too_little_room(&ended) {
            Some(advice) if matches!(id.kind, RunKind::Count(_)) => format!("{own} ({advice})"),
            _ => own,
        });
        let untold = || match trace_bytes {
            None => Some("the JVM left no trace".to_owned()),
            Some(_) => self.journal.whole(id).err(),
        };
        let retry = own.is_none() && trace_bytes.is_some();
        let failure = match own {
            Some(own) => Some(own),
            None => untold(),
        };
        if failure.is_some() {
            // A full disk cuts traces short and makes subjects fail: that is no finding about the input.
            room(&self.journal.plans()).inspect_err(|_| {
                self.journal.clear(id).ok();
            })?;
        }
        let remarks = remarks(&ended);
        let failed = failure.is_some();
        let note = RunNote {
            id,
            label: case.label.clone(),
            failure,
            trace_bytes,
            process_ns: u64::try_from(ended.wall.as_nanos()).unwrap_or(u64::MAX),
            remarks,
            retry: retry && failed,
        };
        self.journal.finish(&note)?;
        Ok(Some(note))
    }

    /// The process of a run, from start to end.
    fn run(&self, id: RunId, case: &Case) -> Result<Ended, RunnerError> {
        let compilation = &self.subject.compilation;
        if !matches!(id.kind, RunKind::Count(_)) {
            return self.run_compiled(id, case, Compiled::default());
        }
        let compiled = compilation.next();
        let ended = self.run_compiled(id, case, compiled)?;
        if !matches!(ended.ending, Ending::TimedOut(_)) {
            return Ok(ended);
        }
        compilation.timed_out();
        if !compiled.for_short_runs {
            return Ok(ended);
        }
        // It may be in time if it is optimised.
        self.journal.clear(id)?;
        self.run_compiled(id, case, compilation.next())
    }

    fn run_compiled(
        &self,
        id: RunId,
        case: &Case,
        compiled: Compiled,
    ) -> Result<Ended, RunnerError> {
        let options = self.subject.options;
        let launch = self.subject.launch(&self.journal, id, case, compiled)?;
        run(&launch, options.timeout, options.show_output, self.cancel)
    }

    /// A run without trace: if no run can leave one, that ends the recording.
    fn explain_silence(&self, ended: &Ended) -> Result<(), RunnerError> {
        let stderr = ended.stderr.text();
        if let Some(why) = failure::unobserved(&stderr) {
            room(&self.journal.plans())?;
            let why = why.to_owned();
            return Err(RunnerError::Unobserved { why });
        }
        // A script starts whatever JVM it finds.
        if let Some(RunnerError::JavaTooOld {
            java,
            found,
            needed,
        }) = &self.subject.doubt
        {
            return Err(RunnerError::JavaTooOld {
                java: java.clone(),
                found: found.clone(),
                needed: *needed,
            });
        }
        let agent = [
            "Could not find agent library",
            "agent library failed",
            "Agent_OnLoad",
        ]
        .iter()
        .any(|s| stderr.contains(s));
        if agent {
            let said = ended.stderr.last_lines(3);
            return Err(RunnerError::AgentNotLoaded {
                agent: self.subject.options.agent.clone(),
                said,
            });
        }
        let started_jvm = stderr.contains("Picked up JAVA_TOOL_OPTIONS");
        if self.subject.launcher == crate::jvm::Launcher::Other && !started_jvm {
            let program = self
                .subject
                .options
                .command
                .first()
                .cloned()
                .unwrap_or_default();
            return Err(RunnerError::NotJava {
                program,
                said: ended.stderr.last_lines(3),
            });
        }
        Ok(())
    }
}

/// Whether no more runs of an input are worth their time.
fn has_failed(failed: &Mutex<BTreeSet<usize>>, case: usize) -> bool {
    let failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
    failed.contains(&case)
}

/// Fails if the disk has no room for another trace.
fn room(folder: &Path) -> Result<(), RunnerError> {
    const NEEDED: usize = 1 << 16;
    let probe = folder.join(".room");
    let written = std::fs::write(&probe, vec![1; NEEDED]);
    std::fs::remove_file(&probe).ok();
    match written {
        Err(source) if lacks_room(&source) => Err(RunnerError::io("write", folder)(source)),
        _ => Ok(()),
    }
}

/// Things worth knowing about a run that ended.
fn remarks(ended: &Ended) -> Vec<String> {
    let mut remarks = Vec::new();
    if ended.leftovers {
        remarks.push("the subject left processes running; they were killed".to_owned());
    }
    let jvms = ended
        .stderr
        .text()
        .matches("Picked up JAVA_TOOL_OPTIONS")
        .count();
    if jvms > 1 {
        remarks.push(format!(
            "the command started {jvms} JVMs; only the first was observed"
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Case;

    #[test]
    fn shuffled_rounds_have_all_inputs_each_in_an_order_of_its_own() {
        let mut options = crate::reopen::options_of(Path::new("."), &Manifest::default());
        options.workload.cases = vec![Case::default(); 20];
        options.repeat = 2;
        let rounds = |options: &RecordOptions| {
            let runs: Vec<usize> = timing_runs(options).iter().map(|id| id.case).collect();
            (runs[..20].to_vec(), runs[20..].to_vec())
        };
        let (first, second) = rounds(&options);
        assert!(first.is_sorted() && first == second);
        options.shuffle = true;
        let (mut first, mut second) = rounds(&options);
        assert!(!first.is_sorted() && first != second);
        assert_eq!(rounds(&options).0, first, "the same when resumed");
        first.sort_unstable();
        second.sort_unstable();
        assert!(first == second && first == (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_disk_is_an_error_and_no_failed_observation() {
        let dir = tempfile::tempdir().unwrap();
        room(dir.path()).unwrap();
        std::os::unix::fs::symlink("/dev/full", dir.path().join(".room")).unwrap();
        let error = room(dir.path()).unwrap_err();
        assert!(error.advice().unwrap().contains("--resume"), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
