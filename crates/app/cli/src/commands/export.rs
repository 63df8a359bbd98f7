//! `pricetag export`: a dataset for other tools.

use std::process::ExitCode;

use pricetag_dataset::{export_csv, export_lata_csv, export_parquet};
use serde_json::json;

use crate::analysis::{check_writable, open_dataset, target};
use crate::arguments::{ExportArgs, Format};
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &ExportArgs, console: &Console) -> Result<ExitCode, Failure> {
    let dataset = open_dataset(&args.dataset)?;
    check_writable(&args.output)?;
    let outcome = match args.format {
        Format::Csv => export_csv(&dataset, &args.output),
        Format::Parquet => export_parquet(&dataset, &args.output),
        Format::LataCsv => {
            let kind = args.features.0.first().copied().unwrap_or_default();
            export_lata_csv(
                &dataset,
                &target(&dataset, args.target.as_deref()),
                kind,
                &args.output,
            )
        }
    };
    outcome.map_err(|e| Failure::from(e).doing(format!("exporting {}", args.dataset.display())))?;
    let rows = match args.format {
        // Lata's matrix has no place for failures.
        Format::LataCsv => dataset
            .usable_rows(&target(&dataset, args.target.as_deref()))
            .map_or(0, |rows| rows.len()),
        Format::Csv | Format::Parquet => dataset.observations.len(),
    };
    let done = json!({ "schema": 1, "output": args.output, "observations": rows, "features": dataset.features.len() });
    if console.json {
        console.result(&done, String::new)?;
    } else {
        console.say(&format!(
            "{rows} observations written to {}",
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
