//! `pricetag import`: a dataset of a table that another tool wrote, or of what an instrumented archive counted.

use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, Status, directory, save};
use pricetag_file::raw;
use pricetag_quantity::counted;
use serde_json::json;

use crate::analysis::import_table;
use crate::arguments::ImportArgs;
use crate::commands::counts;
use crate::console::Console;
use crate::failure::Failure;
use crate::recording::categories;

pub fn run(args: &ImportArgs, console: &Console) -> Result<ExitCode, Failure> {
    if directory::exists(&args.output) && !args.force {
        let why = format!("{} already holds a dataset", args.output.display());
        return Err(Failure::new(why).advice("use --force to replace it, or another -o"));
    }
    let first = &args.files[0];
    let doing = format!("importing {}", first.display());
    let dataset = match (&args.jar, &args.target, &args.files[1..]) {
        (Some(jar), ..) => {
            let grouped = categories(&args.categories)?;
            let mut counted = counts::dataset(&args.files, jar, &args.output, grouped)?;
            if let Some(times) = &args.times {
                add_times(&mut counted, times)?;
            }
            counted
        }
        (None, Some(target), []) => import_table(first, target, &args.columns)?,
        (None, ..) => {
            let why = "one table makes one dataset";
            return Err(Failure::usage(why).advice("give one file, or --jar with files of counts"));
        }
    };
    save(&dataset, &args.output).map_err(|e| {
        Failure::from(e)
            .doing(&doing)
            .advice("choose a place you may write to")
    })?;
    let (rows, features) = (dataset.observations.len(), dataset.features.len());
    let failed = dataset
        .observations
        .iter()
        .filter(|o| o.status == Status::Failed)
        .count();
    let done = json!({ "schema": 1, "dataset": raw::text(args.output.as_os_str()), "observations": rows, "failed": failed, "features": features });
    if console.json {
        console.result(&done, String::new)?;
    } else {
        let without = if failed > 0 {
            let lack = args.target.as_ref().map_or("counts", |_| "target");
            format!(" ({failed} of them without {lack})")
        } else {
            String::new()
        };
        console.say(&format!(
            "{}{without}, {} written to {}",
            counted(rows, "observation"),
            counted(features, "feature"),
            args.output.display()
        ));
        for note in &dataset.meta.notes {
            console.say(&format!("note: {note}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds what the runs cost, and says where that is not known.
fn add_times(dataset: &mut Dataset, times: &Path) -> Result<(), Failure> {
    let untimed = dataset.add_times(times)?;
    dataset.meta.notes = vec![format!(
        "counted offline; costs are those of {}",
        times.display()
    )];
    if let Some(first) = untimed.first() {
        dataset.meta.notes.push(format!(
            "{} has no costs for {} of {} files of counts, the first is {first}",
            times.display(),
            untimed.len(),
            dataset.observations.len()
        ));
    }
    Ok(())
}
