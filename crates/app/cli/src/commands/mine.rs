//! `pricetag mine`: the main job, from a command line to a report.

use std::path::Path;
use std::process::ExitCode;

use pricetag_runner::{RecordOptions, costs_of};
use pricetag_trace::processes::STARTED;

use crate::analysis::{account, check_page, paced, target, with_constants, write_report};
use crate::arguments::{Common, MineArgs};
use crate::commands::record::{check, recorded, tell};
use crate::console::Console;
use crate::diagnosis::look;
use crate::failure::{FAILED, Failure};
use crate::learning::fit;
use crate::lists::restricted;
use crate::watch::{NO_CLASS, options};

pub fn run(args: &MineArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    check_page(&args.report)?;
    check_folder(&args.output)?;
    let options = options(&args.subject, common, &args.output)?;
    check_target(args, &options)?;
    let (dataset, outcome) = recorded(&options, &args.subject, console)?;
    if outcome.was_interrupted() {
        tell(&outcome, console);
        return Ok(ExitCode::from(FAILED));
    }
    if console.verbose || !outcome.all_succeeded() {
        tell(&outcome, console);
    } else {
        // It is no matter of detail that the work was done elsewhere.
        let notes = dataset.meta.notes.iter();
        for note in notes.filter(|note| note.starts_with(STARTED)) {
            console.say(&format!("note: {note}"));
        }
    }
    check(&dataset, &outcome)?;
    let dataset = paced(dataset, args.fit.pace);
    let dataset = with_constants(dataset, &args.output, args.fit.method)?;
    let inspection = look(
        &dataset,
        &target(&dataset, args.fit.target.as_deref()),
        &args.fit.level,
    );
    let data = args.output.display();
    let kept = format!(
        "the dataset is kept in {data}: `pricetag inspect {data}` shows it, `pricetag fit {data} -o model.json` learns again"
    );
    let learnt = restricted(dataset.clone(), args.fit.only.as_deref())?;
    let model = fit(&learnt, &args.fit, common, console).map_err(|f| {
        // What was named wrongly is why there is nothing to learn from.
        let mut notes = dataset.meta.notes.iter();
        match notes.find(|note| note.starts_with(NO_CLASS)) {
            Some(vain) => Failure::new(vain.clone()).advice("check the pattern of --include"),
            None => Failure {
                advice: Some(kept),
                ..f
            },
        }
    })?;
    let path = args.output.join("model.json");
    model
        .save(&path)
        .map_err(|e| Failure::from(e).doing("saving the model"))?;
    let mut account = account(&model, &dataset, inspection, &args.sources)?;
    let stacks = dataset.profile.is_some().then(|| {
        let tree = format!("pricetag explain {} --tree", path.display());
        ("who calls whom".to_owned(), tree)
    });
    let another = format!("pricetag predict {} -- COMMAND INPUT", path.display());
    account.summary.outputs = [
        ("report".to_owned(), args.report.display().to_string()),
        ("model".to_owned(), path.display().to_string()),
        ("dataset".to_owned(), data.to_string()),
    ]
    .into_iter()
    .chain(stacks)
    .chain([("another input".to_owned(), another)])
    .collect();
    write_report(&args.report, &model, &dataset, &account)?;
    console.result(&account.summary, || account.summary.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a cost that no observation will have, before anything runs.
fn check_target(args: &MineArgs, options: &RecordOptions) -> Result<(), Failure> {
    let known = costs_of(&options.scope);
    match &args.fit.target {
        Some(named) if !known.contains(named) => {
            let why = format!("there is no cost `{named}`");
            let known = known.join(", ");
            Err(Failure::usage(why).advice(format!("costs are: {known}")))
        }
        _ => Ok(()),
    }
}

/// Refuses a file's name where a directory's is wanted.
fn check_folder(output: &Path) -> Result<(), Failure> {
    let ending = output.extension().and_then(|e| e.to_str());
    if !ending.is_some_and(|e| matches!(e, "html" | "htm" | "json")) || output.is_dir() {
        return Ok(());
    }
    let name = output.display();
    let why = format!("--output {name}: this is the directory of the dataset");
    Err(Failure::usage(why).advice(format!(
        "--report {name} names the report; the model is model.json in the directory"
    )))
}
