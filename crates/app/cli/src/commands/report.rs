//! `pricetag report`: one self-contained HTML page.

mod picture;

use std::process::ExitCode;

use pricetag_file::raw;
use pricetag_report::figures::figures;
use pricetag_study::Level;
use serde_json::json;

use crate::analysis::{account, check_page, dataset_of, open_model, write_figures, write_report};
use crate::arguments::ReportArgs;
use crate::console::Console;
use crate::diagnosis::look;
use crate::failure::Failure;

pub fn run(args: &ReportArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.patterns {
        return picture::run(path, args, console);
    }
    let Some(path) = &args.model else {
        return Err(Failure::usage("there is no model to report on").advice("name a MODEL.json"));
    };
    let model = open_model(path)?;
    let dataset = dataset_of(&model, path, args.dataset.as_ref(), &args.columns, console)?;
    check_page(&args.output)?;
    let levels: Vec<Level> = model.provenance.options.get("level").map_or_else(
        || vec![Level::Auto],
        |names| names.split(',').filter_map(|l| l.parse().ok()).collect(),
    );
    let inspection = look(&dataset, &model.target, &levels);
    let account = account(&model, &dataset, inspection, &args.sources)?;
    write_report(&args.output, &model, &dataset, &account)?;
    let drawn = match &args.figures {
        Some(directory) => write_figures(directory, figures(&model)?)?,
        None => Vec::new(),
    };
    if console.json {
        let figures: Vec<String> = drawn
            .iter()
            .map(|path| raw::text(path.as_os_str()))
            .collect();
        console.result(
            &json!({ "schema": 1, "report": raw::text(args.output.as_os_str()), "figures": figures }),
            String::new,
        )?;
    } else {
        console.say(&format!("report written to {}", args.output.display()));
        for path in drawn {
            console.say(&format!("figure written to {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
