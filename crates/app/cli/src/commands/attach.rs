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
        Ok(attached) => attached,
        Err(error @ AttachError::NotLoaded { .. }) => {
            let line = line_to_paste(args).map_err(|f| f.doing(&doing))?;
            let advice = format!(
                "start the program again as `java {line} …` and give this command once more with its new process id"
            );
            return Err(Failure::new(error.to_string()).doing(doing).advice(advice));
        }
        Err(error) => return Err(Failure::new(error.to_string()).doing(doing)),
    };
    let schedule = Schedule {
        every: args.every.unwrap_or(EVERY),
        length: args.length,
    };
    let (cancel, _attention) = Attention::of_recording()?;
    let watched = watch(&attached, schedule, &console.progress(), &cancel)
        .map_err(|error| refused(&error).doing(&doing));
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
    let failure = Failure::new(error.to_string());
    match error {
        IntervalError::Attach(AttachError::Silent { .. }) => {
            failure.advice("give this command as the user who runs the program; a JVM with -XX:+DisableAttachMechanism takes no requests")
        }
        _ => failure,
    }
}

/// Writes options for the agent; the JVM options that make a program observable.
fn line_to_paste(args: &RecordArgs) -> Result<String, Failure> {
    let subject = &args.subject;
    let agent = find_agent(subject.agent.as_deref())?;
    let scopes = match &subject.scope {
        Scope::Main => Vec::new(),
        scope @ Scope::Method(_) => vec![scope.clone()],
    };
    let options = AgentOptions {
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
    };
    let folder = args.output.join(FOLDER);
    prepare(&agent, &folder, &options).map_err(io("write", &folder))
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
