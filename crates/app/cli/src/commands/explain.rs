//! `pricetag explain`: where the cost goes.

use std::fmt::Write as _;
use std::process::ExitCode;

use pricetag_dataset::Dataset;
use pricetag_explain::{ExplainOptions, call_tree, callers, explain, listings, source_reader};
use pricetag_finding::Grouping;
use pricetag_finding::figure::percent;
use serde_json::json;

use crate::analysis::{dataset_of, open_model};
use crate::arguments::ExplainArgs;
use crate::console::Console;
use crate::failure::{Failure, not_sampled};

/// Share of the whole below which a call path is left out of the tree.
const SMALLEST: f64 = 0.005;
/// Lines of the tree that are printed at least.
const TREE: usize = 60;

pub fn run(args: &ExplainArgs, console: &Console) -> Result<ExitCode, Failure> {
    let model = open_model(&args.model)?;
    let dataset = dataset_of(
        &model,
        &args.model,
        args.dataset.as_ref(),
        &args.columns,
        console,
    )?;
    if args.tree {
        let tree = call_tree(&dataset, SMALLEST).ok_or_else(not_sampled)?;
        console.result(&tree, || tree.to_text(args.limit.max(TREE)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(method) = &args.callers {
        return callers_of(method, &dataset, console);
    }
    let by = |by| {
        explain(
            &model,
            &dataset,
            ExplainOptions {
                by,
                ..ExplainOptions::default()
            },
        )
    };
    let mut explanation = by(args.by.into())?;
    if args.listing {
        let mut source = source_reader(args.sources.clone());
        let methods = args.limit.min(5);
        let blocks;
        let of = if explanation.by == Grouping::Block {
            &explanation
        } else {
            blocks = by(Grouping::Block)?;
            &blocks
        };
        explanation.listings = listings(of, &dataset, methods, &mut source)?;
    }
    console.result(&explanation, || {
        let mut text = explanation.to_text(args.limit, console.width);
        for listing in &explanation.listings {
            text.push('\n');
            text.push_str(&listing.to_text(&explanation.unit));
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

fn callers_of(method: &str, dataset: &Dataset, console: &Console) -> Result<ExitCode, Failure> {
    let found = callers(dataset, method).ok_or_else(not_sampled)?;
    if found.is_empty() {
        let why = format!("no sample fell on a method of the program called `{method}`");
        return Err(Failure::new(why).advice("`pricetag explain` lists those that have samples"));
    }
    let schema = pricetag_finding::FINDING_SCHEMA;
    let data = json!({ "schema": schema, "methods": found.iter().map(|(name, callers)| json!({
        "name": name,
        "callers": callers.iter().map(|(caller, share)| json!({ "name": caller, "share": share })).collect::<Vec<_>>(),
    })).collect::<Vec<_>>() });
    console.result(&data, || {
        let mut text = String::new();
        for (name, callers) in &found {
            let _ = writeln!(text, "{name} is called by");
            for (caller, share) in callers {
                let _ = writeln!(text, "{:>8}  {caller}", percent(*share));
            }
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}
