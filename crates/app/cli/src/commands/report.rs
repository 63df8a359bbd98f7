//! `pricetag report`: one self-contained HTML page.

use std::process::ExitCode;

use pricetag_study::Level;
use serde_json::json;

use crate::analysis::{account, check_writable, dataset_of, look, open_model, write_report};
use crate::arguments::ReportArgs;
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &ReportArgs, console: &Console) -> Result<ExitCode, Failure> {
    let model = open_model(&args.model)?;
    let dataset = dataset_of(&args.model, args.dataset.as_ref())?;
    check_writable(&args.output)?;
    let level = model
        .provenance
        .options
        .get("level")
        .and_then(|l| l.parse().ok())
        .unwrap_or(Level::Auto);
    let inspection = look(&dataset, &model.target, level);
    let account = account(&model, &dataset, inspection, &args.sources)?;
    write_report(&args.output, &model, &dataset, &account)?;
    if console.json {
        console.result(&json!({ "schema": 1, "report": args.output }), String::new)?;
    } else {
        console.say(&format!("report written to {}", args.output.display()));
    }
    Ok(ExitCode::SUCCESS)
}
