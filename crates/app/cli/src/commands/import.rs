//! `pricetag import`: a dataset of a table that another tool wrote.

use std::process::ExitCode;

use pricetag_dataset::{ImportOptions, Status, directory, import, save};
use serde_json::json;

use crate::arguments::ImportArgs;
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &ImportArgs, console: &Console) -> Result<ExitCode, Failure> {
    if directory::exists(&args.output) && !args.force {
        let why = format!("{} already holds a dataset", args.output.display());
        return Err(Failure::new(why).advice("use --force to replace it, or another -o"));
    }
    let options = ImportOptions {
        target: args.target.clone(),
        unit: args.unit.clone(),
        costs: args.costs.iter().cloned().collect(),
        group: args.group.clone(),
        label: args.label.clone(),
        inputs: args.input_columns.iter().cloned().collect(),
        ignore: args.ignore.iter().cloned().collect(),
        delimiter: args.delimiter,
    };
    let doing = format!("importing {}", args.table.display());
    // Errors of reading name the table themselves.
    let dataset =
        import(&args.table, &options).map_err(|e| Failure::from(e).doing("importing a table"))?;
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
