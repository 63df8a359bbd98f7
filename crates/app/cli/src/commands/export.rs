//! `pricetag export`: a dataset for other tools.

use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, export_csv, export_lata_csv, export_parquet};
use pricetag_explain::collapsed_stacks;
use pricetag_file::raw;
use pricetag_quantity::counted;
use serde_json::json;

use crate::analysis::{open_dataset, target};
use crate::arguments::{ExportArgs, Format};
use crate::console::Console;
use crate::failure::{Failure, io, not_sampled};
use crate::lists::restricted;
use crate::output::Output;
use crate::scratch::Scratch;

pub fn run(args: &ExportArgs, console: &Console) -> Result<ExitCode, Failure> {
    let dataset = restricted(open_dataset(&args.dataset)?, args.only.as_deref())?;
    let output = Output::of(Some(&args.output), "the table", console)?;
    if output.file().is_none() {
        // Formats are written into files, since Parquet's end says where its parts begin: the file is then passed on.
        let scratch = Scratch::new()?;
        let table = scratch.path().join("table");
        write(&dataset, args, &table)?;
        output.write(&std::fs::read(&table).map_err(io("read", &table))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    write(&dataset, args, &args.output)?;
    let rows = match args.format {
        // Lata's matrix has no place for failures.
        Format::LataCsv => dataset
            .usable_rows(&target(&dataset, args.target.as_deref()))
            .map_or(0, |rows| rows.len()),
        Format::Csv | Format::Parquet | Format::Collapsed => dataset.observations.len(),
    };
    let done = json!({ "schema": 1, "output": raw::text(args.output.as_os_str()), "observations": rows, "features": dataset.features.len() });
    if console.json {
        console.result(&done, String::new)?;
    } else {
        console.say(&format!(
            "{} written to {}",
            counted(rows, "observation"),
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn write(dataset: &Dataset, args: &ExportArgs, path: &Path) -> Result<(), Failure> {
    let outcome = match args.format {
        Format::Collapsed => {
            let stacks = collapsed_stacks(dataset).ok_or_else(not_sampled)?;
            return pricetag_file::write(path, stacks.as_bytes()).map_err(io("write", path));
        }
        Format::Csv => export_csv(dataset, path),
        Format::Parquet => export_parquet(dataset, path),
        Format::LataCsv => {
            let kind = args.features.0.first().copied().unwrap_or_default();
            export_lata_csv(
                dataset,
                &target(dataset, args.target.as_deref()),
                kind,
                path,
            )
        }
    };
    outcome.map_err(|e| Failure::from(e).doing(format!("exporting {}", args.dataset.display())))
}
