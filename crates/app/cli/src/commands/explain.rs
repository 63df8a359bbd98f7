//! `pricetag explain`: where the cost goes.

use std::process::ExitCode;

use pricetag_explain::{ExplainOptions, explain, listings, source_reader};
use pricetag_finding::Grouping;

use crate::analysis::{dataset_of, open_model};
use crate::arguments::ExplainArgs;
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &ExplainArgs, console: &Console) -> Result<ExitCode, Failure> {
    let model = open_model(&args.model)?;
    let dataset = dataset_of(
        &model,
        &args.model,
        args.dataset.as_ref(),
        &args.columns,
        console,
    )?;
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
