//! `pricetag diff`: what a change made a program execute, and what that is worth.

use std::path::Path;
use std::process::ExitCode;

use pricetag_compare::{CompareError, Side, compare};
use pricetag_dataset::Dataset;
use pricetag_explain::{ExplainOptions, differential_stacks, explain};
use pricetag_finding::{Explanation, Grouping};

use crate::analysis::{as_learnt, check_writable, open_dataset, open_model};
use crate::arguments::{DiffArgs, Layout};
use crate::console::Console;
use crate::failure::{Failure, io};

pub fn run(args: &DiffArgs, console: &Console) -> Result<ExitCode, Failure> {
    let [before, after] = [open(&args.before)?, open(&args.after)?];
    let found = compare(side(&before), side(&after)).map_err(|e| {
        let advice = match &e {
            CompareError::NothingInCommon { .. } => "record both over the same inputs",
            CompareError::NotCounted(_) => "record it with blocks in --features, as is the default",
        };
        Failure::from(e).advice(advice)
    })?;
    if let Some(path) = &args.stacks {
        check_writable(path)?;
        let stacks = differential_stacks(&before.0, &after.0).ok_or_else(|| {
            Failure::new("no input was sampled in both datasets")
                .advice("record both with `--samples all`")
        })?;
        pricetag_file::write(path, stacks.as_bytes()).map_err(io("write", path))?;
        console.say(&format!(
            "stacks of both written to {}; next: flamegraph.pl {} > diff.svg",
            path.display(),
            path.display()
        ));
    }
    console.result(&found, || match args.format {
        Layout::Text => found.to_text(args.limit, console.width),
        Layout::Markdown => found.to_markdown(args.limit),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A dataset and, where it has a model, where its cost goes.
fn open(dir: &Path) -> Result<(Dataset, Option<Explanation>), Failure> {
    let dataset = open_dataset(dir)?;
    let model = dir.join("model.json");
    if !model.exists() {
        return Ok((dataset, None));
    }
    let model = open_model(&model)?;
    let learnt = as_learnt(&model, dataset.clone());
    let options = ExplainOptions {
        by: Grouping::Block,
        ..ExplainOptions::default()
    };
    let explanation = explain(&model, &learnt, options)?;
    Ok((dataset, Some(explanation)))
}

fn side((dataset, explanation): &(Dataset, Option<Explanation>)) -> Side<'_> {
    Side {
        dataset,
        explanation: explanation.as_ref(),
    }
}
