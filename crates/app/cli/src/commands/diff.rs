//! `pricetag diff`: what a change made a program execute, and what that is worth.

use std::path::Path;
use std::process::ExitCode;

use pricetag_compare::{CompareError, Side, compare, executed};
use pricetag_dataset::Dataset;
use pricetag_explain::{ExplainOptions, differential_stacks, explain};
use pricetag_finding::{Explanation, Grouping};
use pricetag_report::change;
use pricetag_report::differential::{self, Form, Stack, Weight};

use crate::analysis::{as_learnt, check_page, open_dataset, open_model, write_whole};
use crate::arguments::{DiffArgs, DiffViewer, DiffWeight, Layout};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(args: &DiffArgs, console: &Console) -> Result<ExitCode, Failure> {
    let [before, after] = [open(&args.before)?, open(&args.after)?];
    let found = compare(side(&before), side(&after)).map_err(|e| {
        let advice = match &e {
            CompareError::NothingInCommon { .. } => "record both over the same inputs",
            CompareError::NotCounted(_) => "record it with blocks in --features, as is the default",
        };
        Failure::from(e).advice(advice)
    })?;
    let title = format!("{} → {}", args.before.display(), args.after.display());
    if let Some(path) = &args.report {
        check_page(path)?;
        let page = change::page(&found, &title, args.limit);
        write_whole(path, page.as_bytes())?;
        console.say(&format!("page written to {}", path.display()));
    }
    let mut printed = false;
    if let (Some(viewer), Some(path)) = (args.export, &args.output) {
        let stacks = match args.weight {
            DiffWeight::Count => counted(&before.0, &after.0)?,
            DiffWeight::Time => sampled(&before.0, &after.0)?,
        };
        let (form, weight) = (viewer.into(), args.weight.into());
        let output = Output::of(Some(path), "the stacks", console)?;
        output.write(&differential::write(&stacks, form, weight, &title))?;
        match output.file() {
            Some(file) => console.say(&format!(
                "{} of both written to {}",
                pricetag_quantity::counted(stacks.len(), "stack"),
                file.display()
            )),
            None => printed = true,
        }
    }
    if let Some(path) = &args.stacks {
        let output = Output::of(Some(path), "the stacks", console)?;
        if printed && output.file().is_none() {
            let why = "standard output cannot hold the files of --export and --stacks";
            return Err(Failure::usage(why).advice("name a file for one of them"));
        }
        let stacks = sampled(&before.0, &after.0)?;
        let (form, weight) = (Form::Collapsed, Weight::Microseconds);
        output.write(&differential::write(&stacks, form, weight, ""))?;
        match output.file() {
            Some(file) => console.say(&format!(
                "stacks of both written to {}; next: flamegraph.pl {} > diff.svg",
                file.display(),
                file.display()
            )),
            None => printed = true,
        }
    }
    // Standard output is the file then, and nothing else.
    if printed {
        return Ok(ExitCode::SUCCESS);
    }
    console.result(&found, || match args.format {
        Layout::Text => found.to_text(args.limit, console.width),
        Layout::Markdown => found.to_markdown(args.limit),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Sampled stacks of both.
fn sampled(before: &Dataset, after: &Dataset) -> Result<Vec<Stack>, Failure> {
    let stacks = differential_stacks(before, after).ok_or_else(|| {
        Failure::new("no input was sampled in both datasets")
            .advice("record both with `--samples all`")
    })?;
    let stacks = stacks.into_iter();
    Ok(stacks
        .map(|(frames, weights)| Stack { frames, weights })
        .collect())
}

/// What both execute.
fn counted(before: &Dataset, after: &Dataset) -> Result<Vec<Stack>, Failure> {
    let stacks = executed(before, after)?.into_iter();
    Ok(stacks
        .map(|one| Stack {
            frames: one.frames,
            weights: one.instructions,
        })
        .collect())
}

impl From<DiffViewer> for Form {
    fn from(viewer: DiffViewer) -> Self {
        match viewer {
            DiffViewer::Speedscope => Self::Speedscope,
            DiffViewer::Pprof => Self::Pprof,
            DiffViewer::Collapsed => Self::Collapsed,
        }
    }
}

impl From<DiffWeight> for Weight {
    fn from(weight: DiffWeight) -> Self {
        match weight {
            DiffWeight::Count => Self::Instructions,
            DiffWeight::Time => Self::Microseconds,
        }
    }
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
