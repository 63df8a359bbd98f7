//! `pricetag explain`: where the cost goes.

use std::fmt::Write as _;
use std::process::ExitCode;

use pricetag_dataset::Dataset;
use pricetag_explain::{
    Caller, ExplainOptions, call_tree, callers, explain, listings, source_reader,
};
use pricetag_finding::Grouping;
use pricetag_finding::figure::percent;
use pricetag_quantity::counted;
use serde_json::json;

use crate::analysis::{dataset_of, open_model};
use crate::arguments::ExplainArgs;
use crate::console::Console;
use crate::failure::{Failure, not_sampled};

/// Share of the whole below which a call path is left out of the tree.
const SMALLEST: f64 = 0.005;
/// Lines that are printed unless the number is named, and those of the tree.
const LINES: usize = 20;
const TREE: usize = 60;
/// Samples below which a caller may be a stack that was walked wrongly.
const FEW: u32 = 3;

pub fn run(args: &ExplainArgs, console: &Console) -> Result<ExitCode, Failure> {
    let model = open_model(&args.model)?;
    let dataset = dataset_of(
        &model,
        &args.model,
        args.dataset.as_ref(),
        &args.columns,
        console,
    )?;
    let limit = args.limit.unwrap_or(LINES);
    if args.tree {
        let tree = call_tree(&dataset, SMALLEST).ok_or_else(not_sampled)?;
        console.result(&tree, || tree.to_text(args.limit.unwrap_or(TREE)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(method) = &args.callers {
        return callers_of(method, limit, &dataset, console);
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
        let methods = limit.min(5);
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
        let mut text = explanation.to_text(limit, console.width);
        for listing in &explanation.listings {
            text.push('\n');
            text.push_str(&listing.to_text(&explanation.unit));
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

fn callers_of(
    method: &str,
    limit: usize,
    dataset: &Dataset,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let found = callers(dataset, method).ok_or_else(not_sampled)?;
    if found.is_empty() {
        let why = format!("no sample fell on a method called `{method}`");
        return Err(Failure::new(why).advice("`pricetag explain` lists those that have samples"));
    }
    let schema = pricetag_finding::FINDING_SCHEMA;
    let told = |caller: &Caller| json!({ "name": caller.name, "share": caller.share, "samples": caller.samples });
    let data = json!({ "schema": schema, "methods": found.iter().map(|(name, callers)| json!({
        "name": name,
        "callers": callers.iter().map(told).collect::<Vec<_>>(),
    })).collect::<Vec<_>>() });
    console.result(&data, || {
        let mut text = String::new();
        for (name, callers) in &found {
            let all: u32 = callers.iter().map(|caller| caller.samples).sum();
            let _ = writeln!(text, "{name} is called by ({})", counted(all as usize, "sample"));
            let shown = |(at, caller): &(usize, &Caller)| {
                *at == 0 || (*at < limit && caller.samples >= FEW)
            };
            let (shown, rest): (Vec<_>, Vec<_>) = callers.iter().enumerate().partition(shown);
            for (_, caller) in shown {
                let samples = counted(caller.samples as usize, "sample");
                let share = percent(caller.share);
                let _ = writeln!(text, "{share:>8}  {samples:>12}  {}", caller.name);
            }
            if !rest.is_empty() {
                let share: f64 = rest.iter().map(|(_, caller)| caller.share).sum();
                let _ = writeln!(
                    text,
                    "{:>8}  {} more (beyond --limit, or of fewer than {FEW} samples, which may be stacks that were walked wrongly)",
                    percent(share),
                    rest.len()
                );
            }
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}
