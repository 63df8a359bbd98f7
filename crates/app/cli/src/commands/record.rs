//! `pricetag record`: runs the workload and writes a dataset.

use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, Status, directory, save};
use pricetag_quantity::counted;
use pricetag_runner::journal::Journal;
use pricetag_runner::{RecordOptions, same_as_finished};
use serde::Serialize;

use crate::analysis::open_dataset;
use crate::arguments::{Common, RecordArgs, SubjectArgs};
use crate::commands::attach;
use crate::console::Console;
use crate::failure::{FAILED, Failure};
use crate::watch::{kinds, main_reason, options, watch};

/// Failed observations named without `--verbose`.
const NAMED: usize = 3;

/// What came of a recording.
#[derive(Debug, Serialize)]
pub struct Outcome {
    schema: u32,
    dataset: String,
    interrupted: bool,
    planned_inputs: usize,
    finished_inputs: usize,
    ok: usize,
    failed: Vec<Failed>,
    warm_up: usize,
    features: usize,
    uncounted: usize,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Failed {
    label: String,
    reason: String,
}

pub fn run(args: &RecordArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(pid) = args.attach {
        return attach::run(pid, args, console);
    }
    let options = options(&args.subject, common, &args.output)?;
    let (dataset, outcome) = recorded(&options, &args.subject, console)?;
    tell(&outcome, console);
    check(&dataset, &outcome)?;
    console.result(&outcome, String::new)?;
    if options.calls.is_some() && !outcome.interrupted {
        console.say(&format!("next: pricetag patterns {}", outcome.dataset));
    } else {
        next(&outcome, console);
    }
    Ok(if outcome.interrupted {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Says how to go on.
pub fn next(outcome: &Outcome, console: &Console) {
    let data = &outcome.dataset;
    console.say(&if outcome.interrupted {
        format!("next: the same command with --resume, or `pricetag fit {data}` with what there is")
    } else {
        format!("next: pricetag fit {data} && pricetag explain {data}/model.json")
    });
}

/// Records and saves; used by `mine`, too.
pub fn recorded(
    options: &RecordOptions,
    subject: &SubjectArgs,
    console: &Console,
) -> Result<(Dataset, Outcome), Failure> {
    if let Some(dataset) = finished(options)? {
        console.say(&format!(
            "{} is finished: nothing was left to run",
            options.dir.display()
        ));
        let inputs = options.workload.cases.len();
        let outcome = Outcome::of(&dataset, false, (inputs, inputs), &options.dir);
        return Ok((dataset, outcome));
    }
    let (dataset, recorded) = watch(options, kinds(subject), console)?;
    let outcome = Outcome::of(
        &dataset,
        recorded.interrupted,
        recorded.finished,
        &options.dir,
    );
    // What stands is replaced only by what is whole, and worth it.
    let waits = recorded.replaces() && (outcome.interrupted || outcome.ok == 0);
    if waits {
        let dir = &outcome.dataset;
        console.say(&format!(
            "note: {dir} still holds the dataset that was to be replaced"
        ));
    }
    if !waits && !dataset.observations.is_empty() {
        let doing = format!("writing dataset {}", options.dir.display());
        save(&dataset, &options.dir).map_err(|e| {
            Failure::from(e)
                .doing(doing)
                .advice("make room, or write permission, then use --resume: finished runs are kept")
        })?;
    }
    if waits && !outcome.interrupted {
        recorded.abandon()?;
    } else if !outcome.interrupted {
        recorded.close()?;
    }
    Ok((dataset.with_turns(), outcome))
}

/// The dataset that is to be resumed, if no run of it is missing.
fn finished(options: &RecordOptions) -> Result<Option<Dataset>, Failure> {
    let dir = &options.dir;
    if !options.resume || Journal::find(dir)?.is_some() || !directory::exists(dir) {
        return Ok(None);
    }
    let dataset = open_dataset(dir)?;
    same_as_finished(options, &dataset.meta, &dataset.observations)?;
    Ok(Some(dataset))
}

impl Outcome {
    fn of(dataset: &Dataset, interrupted: bool, finished: (usize, usize), dir: &Path) -> Self {
        let count = |status| {
            dataset
                .observations
                .iter()
                .filter(|o| o.status == status)
                .count()
        };
        let failed = dataset
            .observations
            .iter()
            .filter(|o| o.status == Status::Failed);
        Self {
            schema: 1,
            dataset: dir.display().to_string(),
            interrupted,
            planned_inputs: finished.1,
            finished_inputs: finished.0,
            ok: count(Status::Ok),
            failed: failed
                .map(|o| Failed {
                    label: o.label.clone(),
                    reason: o.reason.clone().unwrap_or_default(),
                })
                .collect(),
            warm_up: count(Status::WarmUp),
            features: dataset.features.len(),
            uncounted: dataset.meta.left.len(),
            notes: dataset.meta.notes.clone(),
        }
    }

    /// Whether no observation failed.
    pub fn all_succeeded(&self) -> bool {
        self.failed.is_empty()
    }

    /// Whether the user stopped it.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }
}

/// Prose about a recording.
pub fn tell(outcome: &Outcome, console: &Console) {
    let mut parts = vec![counted(outcome.ok, "observation")];
    if outcome.warm_up > 0 {
        parts.push(format!("{} of warm-up", outcome.warm_up));
    }
    if !outcome.failed.is_empty() {
        parts.push(format!("{} failed", outcome.failed.len()));
    }
    console.say(&format!(
        "{}, {} features in {}",
        parts.join(", "),
        outcome.features,
        outcome.dataset
    ));
    let shown = if console.verbose {
        outcome.failed.len()
    } else {
        NAMED
    };
    for failed in outcome.failed.iter().take(shown) {
        console.say(&format!("  failed {}: {}", failed.label, failed.reason));
    }
    if outcome.failed.len() > shown {
        console.say(&format!(
            "  … {} more; `pricetag inspect {}` lists them",
            outcome.failed.len() - shown,
            outcome.dataset
        ));
    }
    for note in &outcome.notes {
        console.say(&format!("note: {note}"));
    }
    if outcome.interrupted {
        console.say("finished runs are kept: give the same command with --resume to continue");
    }
}

/// A recording without any success is a failure, though a documented one.
pub fn check(dataset: &Dataset, outcome: &Outcome) -> Result<(), Failure> {
    if outcome.interrupted || outcome.ok > 0 {
        return Ok(());
    }
    let all = dataset.observations.len();
    let (reason, times) =
        main_reason(&dataset.observations).unwrap_or(("nothing was observed".to_owned(), 0));
    let why = format!("none of {all} observations succeeded; {times} failed because: {reason}");
    let failure = Failure::new(why).doing(format!("recording into {}", outcome.dataset));
    // Linters and the like say by their exit code what they found.
    let exits = reason.contains("exit code");
    Err(failure.advice(if exits {
        "run the command by hand on one input (--show-output passes on what it prints); if it is meant to exit so, call it from a script that ends with `exit 0`"
    } else {
        "run the command by hand on one input; --show-output passes on what it prints"
    }))
}
