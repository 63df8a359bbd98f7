//! `pricetag inspect`: what is in a dataset and what can be learnt from it.

use std::process::ExitCode;

use crate::analysis::{look, open_dataset_or_table, target};
use crate::arguments::InspectArgs;
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &InspectArgs, console: &Console) -> Result<ExitCode, Failure> {
    let dataset = open_dataset_or_table(&args.dataset, args.target.as_deref(), &args.columns)?;
    let inspection = look(
        &dataset,
        &target(&dataset, args.target.as_deref()),
        args.level,
    );
    console.result(&inspection, || {
        inspection.to_text(args.limit, console.width)
    })?;
    Ok(ExitCode::SUCCESS)
}
