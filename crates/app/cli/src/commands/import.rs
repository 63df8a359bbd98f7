//! `pricetag import`: a dataset of a table that another tool wrote.

use std::process::ExitCode;

use pricetag_dataset::{Status, directory, save};
use serde_json::json;

use crate::analysis::import_table;
use crate::arguments::ImportArgs;
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &ImportArgs, console: &Console) -> Result<ExitCode, Failure> {
    if directory::exists(&args.output) && !args.force {
        let why = format!("{} already holds a dataset", args.output.display());
        return Err(Failure::new(why).advice("use --force to replace it, or another -o"));
    }
    let doing = format!("importing {}", args.table.display());
    let dataset = import_table(&args.table, &args.target, &args.columns)?;
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
    let done = json!({ "schema": 1, "dataset": args.output, "observations": rows, "failed": failed, "features": features });
    if console.json {
        console.result(&done, String::new)?;
    } else {
        let without = if failed > 0 {
            format!(" ({failed} of them without target)")
        } else {
            String::new()
        };
        console.say(&format!(
            "{rows} observations{without}, {features} features written to {}",
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
