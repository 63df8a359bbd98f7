//! `pricetag inspect`: what is in a dataset and what can be learnt from it.

use std::collections::BTreeSet;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_trace::MethodName;
use serde_json::json;

use crate::analysis::{open_dataset_or_table, target};
use crate::arguments::{InspectArgs, Listing};
use crate::console::Console;
use crate::diagnosis::look;
use crate::failure::Failure;

pub fn run(args: &InspectArgs, console: &Console) -> Result<ExitCode, Failure> {
    let dataset = open_dataset_or_table(&args.dataset, args.target.as_deref(), &args.columns)?;
    if let Some(Listing::Methods) = args.list {
        let methods = methods(&dataset);
        console.result(&json!({ "schema": 1, "methods": methods }), || {
            let lines: Vec<String> = methods.iter().map(MethodName::to_string).collect();
            lines.join("\n") + "\n"
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let inspection = look(
        &dataset,
        &target(&dataset, args.target.as_deref()),
        &args.level,
    );
    console.result(&inspection, || {
        inspection.to_text(args.limit, console.width)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The methods that ran, in order of their names.
fn methods(dataset: &Dataset) -> BTreeSet<MethodName> {
    let counted = dataset.features.iter().zip(&dataset.columns);
    let ran = counted.filter(|(f, column)| f.kind == FeatureKind::Method && !column.is_empty());
    ran.filter_map(|(feature, _)| {
        Some(MethodName {
            class: feature.class.clone()?,
            name: feature.method.clone()?,
            descriptor: feature.descriptor.clone()?,
        })
    })
    .collect()
}
