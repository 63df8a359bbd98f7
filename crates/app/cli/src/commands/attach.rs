//! `pricetag record --attach`: intervals of a running JVM to a dataset.

mod agreement;
mod table;

use std::io::ErrorKind;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use pricetag_dataset::{Dataset, FeatureKind, directory, save};
use pricetag_file::raw;
use pricetag_runner::attach::{AttachError, Attached, prepare};
use pricetag_runner::intervals::{IntervalError, Schedule, begun, watch};
use pricetag_runner::lock::Lock;
use pricetag_tabulate::TabulateOptions;
use pricetag_trace::{AgentOptions, Mode};
use serde_json::json;

use self::table::{ROWS, Table};
use crate::arguments::{RecordArgs, SubjectArgs};
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::interrupt::Attention;
use crate::recording::categories;
use crate::watch::{
    asked_for, asks_for, find_agent, first_values, kinds, splits_invocations, splits_loops,
};

/// Folder in the dataset's directory for the agent's options, its trace and plans.
pub const FOLDER: &str = ".agent";
/// Folder in it for the plans.
const PLANS: &str = "plans";
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
    if args.subject.features.iter().any(|group| group.0.is_empty()) {
        let why = "invocations are not written down of a running program";
        return Err(Failure::usage(why)
            .doing(doing)
            .advice("leave `calls` out of --features, or start the program with `record`"));
    }
    let schedule = schedule(args).map_err(|f| f.doing(&doing))?;
    let choice = choice(&args.subject).map_err(|f| f.doing(&doing))?;
    let lock = || Lock::on_dataset(&args.output).map_err(|e| Failure::from(e).doing(&doing));
    // A dataset that another recording is still writing is no reason to replace it.
    let held = args.output.is_dir().then(lock).transpose()?;
    if directory::exists(&args.output) && !args.subject.force {
        let why = format!("{} already holds a dataset", args.output.display());
        return Err(Failure::new(why)
            .doing(&doing)
            .advice("use --force to replace it, or another -o"));
    }
    // Before there are counters that an end would leave in the program.
    let (cancel, _attention) = Attention::of_recording();
    let there = match Attached::find(pid) {
        Ok(attached) if !attached.came_late() => {
            agreement::check(&attached.options, &args.subject).map_err(|f| f.doing(&doing))?;
            Some(attached)
        }
        Ok(_) | Err(AttachError::NotLoaded { .. } | AttachError::NoTrace { .. }) => None,
        Err(error) => return Err(advised(&error).doing(doing)),
    };
    std::fs::create_dir_all(&args.output).map_err(io("create", &args.output))?;
    let _own = held.map_or_else(lock, Ok)?;
    let attached = there
        .map_or_else(|| load(pid, args), Ok)
        .map_err(|f| f.doing(&doing))?;
    let visit = Visit {
        attached: &attached,
        console,
    };
    let begun = begun(&attached, schedule);
    let mut table =
        Table::new(&attached.options, choice, &args.output, begun).map_err(|f| f.doing(&doing))?;
    // A thread of its own, so that no snapshot waits for what is done with the last one.
    let (ended, intervals) = mpsc::channel();
    let watched = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let (ended, visit) = (ended, visit);
            let progress = console.progress();
            let watched = watch(&attached, schedule, &progress, &cancel, |interval| {
                // Nobody takes it where tabulating has ended early, which a note says.
                let _ = ended.send(interval);
            });
            drop(visit);
            watched
        });
        table.take(intervals);
        // Nothing is watched for nobody.
        cancel.cancel();
        watching.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    let watched = watched.map_err(|error| refused(&error).doing(&doing))?;
    let dataset = table
        .finish(watched.meta, &args.output)
        .map_err(|f| f.doing(&doing))?;
    save(&dataset, &args.output).map_err(|e| {
        Failure::from(e).doing(format!("writing dataset {}", args.output.display()))
    })?;
    std::fs::remove_dir_all(args.output.join(FOLDER).join(ROWS)).ok();
    tell(&dataset, &args.output, console)
}

/// When to look.
fn schedule(args: &RecordArgs) -> Result<Schedule, Failure> {
    let schedule = Schedule {
        every: args.every.unwrap_or(EVERY),
        length: args.length,
    };
    match schedule.length {
        Some(length) if length < schedule.every => {
            let [length, every] = [length, schedule.every].map(|time| time.as_secs_f64());
            let why = format!("--for {length} s is less than an interval, --every {every} s");
            Err(Failure::usage(why).advice("give a longer --for or a shorter --every"))
        }
        _ => Ok(schedule),
    }
}

fn refused(error: &IntervalError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        IntervalError::Attach(error) => advised(error),
        IntervalError::NotStarted { .. } => failure.advice("give this command again once it has"),
        IntervalError::Nothing { .. } => {
            failure.advice("let it last for a second at least, better for some intervals (--every)")
        }
        IntervalError::Trace(_) => failure,
    }
}

fn advised(error: &AttachError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        AttachError::Process { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
            failure.advice("give this command as the user who runs the program, or as root")
        }
        AttachError::Process { source, .. } if source.kind() == ErrorKind::NotFound => {
            failure.advice("`jps` lists the JVMs that run, with their numbers")
        }
        AttachError::Silent { .. } => {
            failure.advice("give this command as the user who runs the program; a JVM with -XX:+DisableAttachMechanism takes no requests")
        }
        AttachError::Slow { .. } => {
            failure.advice("see whether the program is stopped or its machine overloaded; fewer classes (--include) are rewritten sooner")
        }
        AttachError::Barred { path, .. } => failure.advice(format!(
            "let that user into it (chmod o+rx {}), or choose an -o, and an --agent, that they have access to",
            path.display()
        )),
        AttachError::TraceGone { .. } => failure.advice(
            "start the program again; while it runs, keep the folder .agent of the first dataset that was recorded of it",
        ),
        AttachError::Replaced { .. } => failure.advice(
            "start the program again; replace the agent's library only while no program has it",
        ),
        AttachError::Unfinished { error: first, .. } => Failure {
            why: error.to_string(),
            ..advised(first)
        },
        _ => failure,
    }
}

/// Ends what was begun: an agent that came late leaves the program as it was.
struct Visit<'a> {
    attached: &'a Attached,
    console: &'a Console,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if self.attached.came_late()
            && let Err(error) = self.attached.leave()
        {
            self.console.say(&format!("note: {error}"));
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
        match prepare(pid, &agent, &folder, &options) {
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
    Ok(AgentOptions {
        include: subject.include.clone(),
        exclude: subject.exclude.clone(),
        keep: asked_for(subject)?,
        count_jdk: subject.count_jdk,
        transitions: asks_for(subject, FeatureKind::Transition),
        strides: asks_for(subject, FeatureKind::Stride),
        callers: splits_loops(subject),
        invocations: splits_invocations(subject),
        ..AgentOptions::new(Mode::Count, "%p.trace")
    })
}

/// What is tabulated, and how.
fn choice(subject: &SubjectArgs) -> Result<TabulateOptions, Failure> {
    let mut choice = TabulateOptions {
        categories: categories(&subject.categories)?,
        ..TabulateOptions::default()
    };
    choice.kinds = kinds(subject).unwrap_or(choice.kinds);
    Ok(choice)
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
        "dataset": raw::text(output.as_os_str()),
        "intervals": intervals,
        "features": features,
        "uncounted": dataset.meta.left.len(),
        "notes": notes,
    });
    console.result(&outcome, String::new)?;
    Ok(ExitCode::SUCCESS)
}
