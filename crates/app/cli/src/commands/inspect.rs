//! `pricetag inspect`: what is in a dataset and what can be learnt from it.

use std::collections::BTreeSet;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, Feature, FeatureKind};
use pricetag_trace::MethodName;
use serde_json::json;

use crate::analysis::{open_dataset_or_table, plans_of, target};
use crate::arguments::{InspectArgs, Listing};
use crate::console::Console;
use crate::diagnosis::look;
use crate::failure::Failure;
use crate::lists::line_of;

pub fn run(args: &InspectArgs, console: &Console) -> Result<ExitCode, Failure> {
    let mut dataset = open_dataset_or_table(&args.dataset, args.target.as_deref(), &args.columns)?;
    // Counts do not need them; what reads the code does, and refuses.
    if let Err(damage) = plans_of(&args.dataset) {
        dataset.meta.notes.push(format!(
            "{}: predictors and searches for formulas need what is damaged",
            damage.why
        ));
    }
    if let Some(listing) = args.list {
        list(&dataset, listing, console)?;
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

fn list(dataset: &Dataset, listing: Listing, console: &Console) -> Result<(), Failure> {
    let text = |lines: Vec<String>| {
        let ended = lines.into_iter().map(|name| line_of(&name) + "\n");
        ended.collect::<String>()
    };
    match listing {
        Listing::Methods => {
            let methods = methods(dataset);
            let lines = methods.iter().map(MethodName::to_string).collect();
            console.result(&json!({ "schema": 1, "methods": methods }), || text(lines))
        }
        Listing::Blocks => {
            let blocks = ran(dataset, |f| f.kind == FeatureKind::Block);
            console.result(&json!({ "schema": 1, "blocks": blocks }), || {
                text(blocks.clone())
            })
        }
        Listing::Features => {
            let features = ran(dataset, |_| true);
            console.result(&json!({ "schema": 1, "features": features }), || {
                text(features.clone())
            })
        }
    }
}

/// Names of features that are not zero everywhere, in the order of the dataset.
fn ran(dataset: &Dataset, wanted: impl Fn(&Feature) -> bool) -> Vec<String> {
    let counted = dataset.features.iter().zip(&dataset.columns);
    let ran = counted.filter(|(feature, column)| wanted(feature) && !column.is_empty());
    ran.map(|(feature, _)| feature.name.clone()).collect()
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
