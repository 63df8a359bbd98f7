//! `pricetag record --attach`: intervals of a running JVM to a dataset.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pricetag_dataset::{Dataset, DatasetBuilder, FeatureKind, save};
use pricetag_probe_plan::PlanStore;
use pricetag_runner::attach::{AttachError, Attached, prepare};
use pricetag_runner::intervals::{IntervalError, Schedule, Watched, watch};
use pricetag_tabulate::{TabulateOptions, Tabulator};
use pricetag_trace::{AgentOptions, Mode, Scope, Trace};
use serde_json::json;

use crate::arguments::RecordArgs;
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::interrupt::Attention;
use crate::recording::{CATEGORIES, categories};
use crate::watch::{
    asked_for, asks_for, find_agent, first_values, kinds, splits_invocations, splits_loops,
};

/// Folder in the dataset's directory for the agent's options, its trace and plans.
pub const FOLDER: &str = ".agent";
/// Time between two snapshots.
const EVERY: Duration = Duration::from_secs(10);

pub fn run(pid: u32, args: &RecordArgs, console: &Console) -> Result<ExitCode, Failure> {
    let doing = format!("observing process {pid}");
    if first_values(&args.subject) > 0 || args.subject.availability {
        let why = "values, lengths, depths and availability are not recorded of a running program";
        return Err(Failure::usage(why).doing(doing).advice(
            "leave out --values, --lengths, --depths, --availability and `values` in --features",
        ));
    }
    if args.output.join("meta.json").exists() && !args.subject.force {
        let why = format!("{} already holds a dataset", args.output.display());
        return Err(Failure::new(why)
            .doing(doing)
            .advice("use --force to replace it, or another -o"));
    }
    let attached = match Attached::find(pid) {
        Ok(attached) if !attached.came_late() => attached,
        Ok(_) | Err(AttachError::NotLoaded { .. }) => {
            load(pid, args).map_err(|f| f.doing(&doing))?
        }
        Err(error) => return Err(advised(&error).doing(doing)),
    };
    let visit = Visit(&attached);
    let schedule = Schedule {
        every: args.every.unwrap_or(EVERY),
        length: args.length,
    };
    let (cancel, _attention) = Attention::of_recording()?;
    let watched = watch(&attached, schedule, &console.progress(), &cancel)
        .map_err(|error| refused(&error).doing(&doing));
    drop(visit);
    let watched = watched?;
    let dataset = tabulate(&attached, &watched, args).map_err(|f| f.doing(&doing))?;
    let kept = save(&dataset, &args.output);
    for file in &watched.snapshots {
        std::fs::remove_file(file).ok();
    }
    kept.map_err(|e| Failure::from(e).doing(format!("writing dataset {}", args.output.display())))?;
    tell(&dataset, &args.output, console)
}

fn refused(error: &IntervalError) -> Failure {
    match error {
        IntervalError::Attach(error) => advised(error),
        _ => Failure::new(error.to_string()),
    }
}

fn advised(error: &AttachError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        AttachError::Silent { .. } => {
            failure.advice("give this command as the user who runs the program; a JVM with -XX:+DisableAttachMechanism takes no requests")
        }
        _ => failure,
    }
}

/// Ends what was begun: an agent that came late leaves the program as it was.
struct Visit<'a>(&'a Attached);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if self.0.came_late() {
            // A program that has ended needs nothing more.
            let _ = self.0.leave();
        }
    }
}

/// Loads the agent into a JVM that runs without it, or says how to start it.
fn load(pid: u32, args: &RecordArgs) -> Result<Attached, Failure> {
    let agent = find_agent(args.subject.agent.as_deref())?;
    let options = agent_options(args)?;
    let folder = std::path::absolute(args.output.join(FOLDER)).map_err(io("find", &args.output))?;
    Attached::load(pid, &agent, &folder, &options).map_err(|error| {
        let AttachError::NotTaken { .. } = error else {
            return advised(&error);
        };
        match prepare(&agent, &folder, &options) {
            Ok(line) => Failure::new(error.to_string()).advice(format!(
                "start the program again as `java {line} …` and give this command once more with its new process id"
            )),
            Err(error) => io("write", &folder)(error),
        }
    })
}

/// What the agent is asked to do.
fn agent_options(args: &RecordArgs) -> Result<AgentOptions, Failure> {
    let subject = &args.subject;
    let scopes = match &subject.scope {
        Scope::Main => Vec::new(),
        scope @ Scope::Method(_) => vec![scope.clone()],
    };
    Ok(AgentOptions {
        include: subject.include.clone(),
        exclude: subject.exclude.clone(),
        keep: asked_for(subject)?,
        count_jdk: subject.count_jdk,
        transitions: asks_for(subject, FeatureKind::Transition),
        strides: asks_for(subject, FeatureKind::Stride),
        callers: splits_loops(subject),
        invocations: splits_invocations(subject),
        scopes,
        ..AgentOptions::new(Mode::Count, "%p.trace")
    })
}

fn tabulate(attached: &Attached, watched: &Watched, args: &RecordArgs) -> Result<Dataset, Failure> {
    let mut choice = TabulateOptions {
        categories: categories(&args.subject.categories)?,
        ..TabulateOptions::default()
    };
    choice.kinds = kinds(&args.subject).unwrap_or(choice.kinds);
    let grouped = choice.categories.to_text();
    let plans = attached.options.plans.clone().unwrap_or_default();
    let store = PlanStore::open(plans).map_err(|e| Failure::new(e.to_string()))?;
    let mut tabulator = Tabulator::new(store, choice);
    let mut meta = watched.meta.clone();
    meta.options.insert(CATEGORIES.to_owned(), grouped);
    env!("CARGO_PKG_VERSION").clone_into(&mut meta.pricetag);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    meta.created = now.map_or(0, |d| d.as_secs());
    let mut builder = DatasetBuilder::new(meta);
    let mut left = BTreeSet::new();
    for interval in &watched.intervals {
        let [before, after] = [&interval.before, &interval.after].map(|file| Trace::read(file));
        let row = tabulator
            .interval(&before?, &after?, &mut builder)
            .map_err(|e| Failure::new(e.to_string()))?;
        left.extend(row.left.iter().cloned());
        builder.row(row.into_row(interval.observation.clone(), None));
    }
    builder.meta_mut().left = left.into_iter().collect();
    let plans: Vec<_> = tabulator.plans().collect();
    let unmatched = attached.options.keep.unmatched(&plans);
    builder.meta_mut().notes.extend(unmatched);
    Ok(builder.finish())
}

fn tell(dataset: &Dataset, output: &Path, console: &Console) -> Result<ExitCode, Failure> {
    let (intervals, features) = (dataset.observations.len(), dataset.features.len());
    let notes = &dataset.meta.notes;
    console.say(&format!(
        "{intervals} intervals, {features} features in {}",
        output.display()
    ));
    for note in notes {
        console.say(&format!("note: {note}"));
    }
    let outcome = json!({
        "schema": 1,
        "dataset": output,
        "intervals": intervals,
        "features": features,
        "uncounted": dataset.meta.left.len(),
        "notes": notes,
    });
    console.result(&outcome, String::new)?;
    Ok(ExitCode::SUCCESS)
}
