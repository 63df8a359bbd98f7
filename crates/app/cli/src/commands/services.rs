//! `pricetag services`: calls that cross a component's border, and the formulas they follow.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use pricetag_behaviour::{Options as LearnOptions, learn};
use pricetag_border::{BorderError, Options, record};
use pricetag_component::{named, palladio, picture, text, told};
use pricetag_dataset::FeatureKind;
use pricetag_report::component::{self, Section};
use pricetag_runner::{RecordOptions, Timing, Workload};
use pricetag_services::{Behaviour, Recording, ServicesError};
use pricetag_trace::Scope;
use serde_json::json;

use crate::analysis::check_page;
use crate::arguments::{
    Common, ServicesCommand, ServicesLearnArgs, ServicesRecordArgs, ServicesShowArgs,
};
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::interrupt::Attention;
use crate::recording::categories;
use crate::scratch::Scratch;
use crate::watch::{cache, launched, watch, workload};

/// Notes that are shown without `--verbose`.
const NOTES: usize = 8;

pub fn run(
    command: &ServicesCommand,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    match command {
        ServicesCommand::Record(args) => recorded(args, common, console),
        ServicesCommand::Learn(args) => learnt(args, common, console),
        ServicesCommand::Show(args) => shown(args, console),
    }
}

impl From<ServicesError> for Failure {
    fn from(error: ServicesError) -> Self {
        let advice = match error {
            ServicesError::Io { .. } => "check the path and its permissions",
            ServicesError::Form { .. } => "record or learn again with this version",
        };
        Self::new(error.to_string()).advice(advice)
    }
}

fn refused(error: BorderError) -> Failure {
    let advice = match error {
        BorderError::Run(error) => return Failure::from(error),
        BorderError::Nothing { .. } => {
            "name packages or classes with dots, as in --component 'org.shop.**'; --show-output shows what the program did"
        }
        BorderError::Failed { .. } => {
            "run the command alone first; --show-output shows all it says"
        }
        BorderError::Class { .. } | BorderError::Line(_) => {
            "this is a defect: please report it with the class"
        }
        BorderError::Io { .. } => "make room, or write permission",
    };
    Failure::new(error.to_string()).advice(advice)
}

fn recorded(
    args: &ServicesRecordArgs,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let doing = format!("recording services into {}", args.output.display());
    if args.output.exists() && !args.force {
        let what = format!("{} is already there", args.output.display());
        return Err(Failure::usage(what)
            .doing(doing)
            .advice("choose another folder, or --force"));
    }
    let scratch = Scratch::new()?;
    let run = options(args, common, &scratch.path().join("data"))?;
    let mut recording = {
        let (cancel, _attention) = Attention::of_recording();
        let _turns = console.spinner("noting calls");
        let options = Options {
            run: &run,
            component: &args.component,
            resources: args.resources,
        };
        record(&options, &cancel).map_err(|e| refused(e).doing(&doing))?
    };
    judge_pattern(&mut recording);
    if !args.calls_only && !recording.calls.is_empty() {
        count(&run, &mut recording, args.repeat, console)?;
    }
    recording.save(&args.output)?;
    let calls = recording.calls.len();
    let required: usize = recording.calls.iter().map(|c| c.required.len()).sum();
    let answer = json!({
        "schema": 1, "recording": args.output, "classes": recording.classes.len(), "provided_calls": calls, "required_calls": required,
        "provided": recording.provided.iter().map(named).collect::<Vec<_>>(),
        "required": recording.required.iter().map(named).collect::<Vec<_>>(),
        "notes": recording.notes,
    });
    console.result(&answer, || summary(&recording))?;
    notes(&recording.notes, console);
    console.say(&format!(
        "next: pricetag services learn {}",
        args.output.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// How the program is run: for times and counts the same.
fn options(
    args: &ServicesRecordArgs,
    common: &Common,
    dir: &Path,
) -> Result<RecordOptions, Failure> {
    let table = args.workload.as_deref();
    let inputs = workload(args.inputs.as_deref(), table, args.launch.cwd.as_deref())?;
    Ok(RecordOptions {
        include: args.component.clone(),
        categories: categories(&args.categories)?.to_text(),
        warmup: Some(0),
        jobs: common.jobs,
        cache: cache(args.cache.as_deref()),
        ..launched(&args.launch, args.command.clone(), inputs, dir)?
    })
}

/// A pattern that takes in everything, or that nobody calls, is told.
fn judge_pattern(recording: &mut Recording) {
    let pattern = recording.component.join(", ");
    if recording.calls.is_empty() {
        let classes = recording.classes.len();
        recording.notes.push(format!(
            "no call entered {pattern}: {classes} classes match, and only they call themselves, or constructors alone are called"
        ));
    } else if recording.required.is_empty() {
        recording.notes.push(format!(
            "no call left {pattern}: if it is meant to require something, it takes in too much; --resources counts files and sockets of the JDK"
        ));
    }
}

/// Counts and times each provided call in further runs.
fn count(
    run: &RecordOptions,
    recording: &mut Recording,
    repeat: u32,
    console: &Console,
) -> Result<(), Failure> {
    let scopes = pricetag_border::counts::scopes(recording);
    let Some(first) = scopes.first() else {
        return Ok(());
    };
    let options = RecordOptions {
        scope: Scope::Method(first.clone()),
        tests: scopes.clone(),
        timing: if repeat == 0 {
            Timing::Never
        } else {
            Timing::Separate
        },
        repeat: repeat.max(1),
        ..run.clone()
    };
    let kinds = Some(BTreeSet::from([FeatureKind::Opcode]));
    // Rows are named by their method: each input is a recording of its own.
    for (number, case) in run.workload.cases.iter().enumerate() {
        let of_case = RecordOptions {
            workload: Workload {
                cases: vec![case.clone()],
            },
            dir: options.dir.join(number.to_string()),
            ..options.clone()
        };
        let (dataset, recorded) = watch(&of_case, kinds.clone(), console)?;
        if recorded.interrupted {
            return Err(Failure::new("it was interrupted"));
        }
        pricetag_border::counts::add(recording, number, &dataset, &scopes);
    }
    Ok(())
}

fn summary(recording: &Recording) -> String {
    let mut out = String::new();
    for (title, services) in [
        ("provided", &recording.provided),
        ("required", &recording.required),
    ] {
        out.push_str(title);
        out.push('\n');
        for (place, service) in services.iter().enumerate() {
            let calls = recording.calls.iter();
            let count = if title == "provided" {
                calls.filter(|c| c.service == place).count()
            } else {
                let all = calls.flat_map(|c| &c.required);
                all.filter(|r| r.service == place).count()
            };
            let _ = writeln!(out, "  {count:>8}  {}", named(service));
        }
    }
    out
}

fn notes(notes: &[String], console: &Console) {
    let shown = if console.verbose { usize::MAX } else { NOTES };
    for note in notes.iter().take(shown) {
        console.say(&format!("note: {note}"));
    }
    if notes.len() > shown {
        let more = notes.len() - shown;
        console.say(&format!("note: … {more} more; --verbose lists them"));
    }
}

fn learnt(
    args: &ServicesLearnArgs,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let doing = format!("learning from {}", args.recording.display());
    if args.output.exists() && !args.force {
        let what = format!("{} is already there", args.output.display());
        return Err(Failure::usage(what)
            .doing(doing)
            .advice("choose another file with -o, or --force"));
    }
    if !Recording::is_at(&args.recording) {
        let what = format!("{} holds no recorded services", args.recording.display());
        return Err(Failure::usage(what)
            .doing(doing)
            .advice("make them with `pricetag services record`"));
    }
    pricetag_file::check_writable(&args.output).map_err(io("write", &args.output))?;
    let recording = Recording::open(&args.recording)?;
    if recording.calls.is_empty() {
        return Err(Failure::new("no call entered the component")
            .doing(doing)
            .advice("record with a pattern that others call"));
    }
    let options = LearnOptions {
        generations: args.generations,
        seed: common.seed,
        constants: args.constants.clone(),
        mined: !args.no_code,
    };
    let behaviour = {
        let _turns = console.spinner("learning formulas");
        learn(&recording, &options)
    };
    behaviour.save(&args.output)?;
    console.result(&behaviour, || text(&behaviour, args.all))?;
    notes(&behaviour.notes, console);
    Ok(ExitCode::SUCCESS)
}

fn shown(args: &ServicesShowArgs, console: &Console) -> Result<ExitCode, Failure> {
    let behaviour = Behaviour::open(&args.behaviour)?;
    if let Some(folder) = &args.palladio {
        std::fs::create_dir_all(folder).map_err(io("create", folder))?;
        for (name, text) in palladio(&behaviour) {
            let path = folder.join(name);
            pricetag_file::write(&path, text.as_bytes()).map_err(io("write", &path))?;
        }
    }
    if let Some(path) = &args.picture {
        let drawn = picture(&behaviour);
        pricetag_file::write(path, drawn.as_bytes()).map_err(io("write", path))?;
    }
    if let Some(path) = &args.report {
        check_page(path)?;
        let page = page(&behaviour);
        pricetag_file::write(path, page.as_bytes()).map_err(io("write", path))?;
    }
    console.result(&behaviour, || text(&behaviour, args.all))?;
    notes(&behaviour.notes, console);
    Ok(ExitCode::SUCCESS)
}

/// The drawing and all formulas, as a page.
fn page(behaviour: &Behaviour) -> String {
    let sections = told(behaviour, true).into_iter().map(|told| Section {
        name: told.name,
        words: [
            Some(told.calls + "."),
            told.parameters.map(|p| format!("Parameters: {p}.")),
            told.laws
                .is_empty()
                .then(|| "It calls nothing outside.".to_owned()),
        ]
        .into_iter()
        .flatten()
        .collect(),
        rows: told
            .laws
            .into_iter()
            .map(|law| ([law.what, law.formula, law.sure], law.inner))
            .collect(),
    });
    component::page(
        &behaviour.component.join(", "),
        &picture(behaviour),
        &sections.collect::<Vec<_>>(),
        &behaviour.notes,
    )
}
