//! `pricetag ocaml predict`: what the calls of a program will cost, without running it natively.

use std::collections::BTreeMap;
use std::process::ExitCode;

use pricetag_cost_model::{Found, PriceList};
use pricetag_finding::{CallPredictions, FINDING_SCHEMA};
use pricetag_miniml::{Limits, Options, Row};
use pricetag_native::counting::Counted;
use pricetag_native::{Mode, Ocaml};
use pricetag_predict::{Call, Pricing, predict_call};

use super::refused;
use crate::arguments::{ModeArg, OcamlPredictArgs};
use crate::console::Console;
use crate::failure::{FAILED, Failure};

pub fn run(args: &OcamlPredictArgs, console: &Console) -> Result<ExitCode, Failure> {
    let list = open_list(&args.list)?;
    let mode = match args.mode {
        ModeArg::Paper => Mode::Paper,
        ModeArg::Extended => Mode::Extended,
    };
    let pricing = Pricing::of(&list, mode.name(), args.estimator.as_deref())?;
    let file = args.program.display().to_string();
    let source = super::with_calls(super::source_of(&args.program)?, &args.calls);
    let mut options = Options {
        limits: Limits {
            fuel: args.fuel,
            memory: args.memory,
        },
        mode: mode.rules(),
        ..Options::default()
    };
    if let Some(collector) = &list.collector {
        options.minor_heap = collector.heap as u64;
    }
    let run = pricetag_miniml::run(&source, &options)
        .map_err(|errors| refused(&errors, &file, &source, console, "predict"))?;
    if let Some(stop) = &run.stop {
        return Err(super::stopped(&run, stop, &file, "predict"));
    }
    let calls: Vec<_> = run
        .rows
        .iter()
        .filter(|row| !row.counts.is_empty())
        .map(|row| predict_call(&pricing, &call(row)))
        .collect();
    if calls.is_empty() {
        return Err(
            Failure::new("no definition or expression of the program computes anything")
                .doing(format!("predicting {file}"))
                .advice("give a call: --call 'f 1000', or --call 'f n' --sizes 100,1000"),
        );
    }
    let lacking = calls.iter().any(|c| !c.unpriced.is_empty());
    let mut warnings = warnings(&list, &Ocaml::here(&args.ocamlopt));
    warnings.extend(
        run.rows
            .iter()
            .filter_map(|row| overflow(&list, row, &label(row))),
    );
    if !run.output.is_empty() {
        warnings.push("what the system takes to write what is printed is left out".into());
    }
    let answer = CallPredictions {
        schema: FINDING_SCHEMA,
        program: file,
        mode: mode.name().into(),
        estimator: args
            .estimator
            .clone()
            .unwrap_or_else(|| list.modes[mode.name()].chosen.clone()),
        level: pricing.time.interval.as_ref().map(|i| i.level),
        warnings,
        calls,
    };
    console.result(&answer, || answer.to_text(console.width, args.explain))?;
    Ok(if lacking {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

pub fn open_list(path: &std::path::Path) -> Result<PriceList, Failure> {
    PriceList::load(path).map_err(|e| {
        Failure::from(e)
            .doing(format!("reading the price list {}", path.display()))
            .advice("`pricetag ocaml learn -o LIST` makes one")
    })
}

/// Whether the list was learnt elsewhere, and what it lacks.
pub fn warnings(list: &PriceList, here: &BTreeMap<String, String>) -> Vec<String> {
    let mut warnings: Vec<String> = list
        .differences(here)
        .into_iter()
        .map(|(fact, there, here)| {
            format!("the prices were learnt on another platform: {fact} was `{there}`, here it is `{here}`")
        })
        .collect();
    if list.collector.is_none() {
        warnings
            .push("no collector was learnt: collections and their time are not predicted".into());
    }
    warnings
}

/// The stack that a process has unless somebody changed it (`ulimit -s`), where OCaml's calls are on it: up to version 4.
const STACK: u64 = 8 << 20;
/// What OCaml 5 allows its own stack unless told otherwise.
const OWN_STACK: u64 = 1 << 30;

/// Whether calls go deeper than the stack is large, in a row that is called `label`.
pub fn overflow(list: &PriceList, row: &Row, label: &str) -> Option<String> {
    let version = list.platform.get("ocaml");
    let (limit, change) = if version.is_some_and(|v| v.starts_with('5')) {
        (OWN_STACK, "`OCAMLRUNPARAM=l=…`")
    } else {
        (STACK, "`ulimit -s`")
    };
    (row.stack > limit).then(|| {
        format!(
            "{label}: calls take about {} MB of stack where they are deepest. The usual limit is {} MB ({change}), at which the program ends with `Stack overflow`",
            row.stack >> 20,
            limit >> 20
        )
    })
}

fn label(row: &Row) -> String {
    let names = row.names.join(", ");
    if names.is_empty() {
        format!("line {}", row.line)
    } else {
        format!("line {}: {names}", row.line)
    }
}

pub fn call(row: &Row) -> Call {
    let counted = Counted::of(row);
    Call {
        label: label(row),
        line: row.line,
        counts: counted.counts,
        regions: counted.regions,
        found: Some(Found {
            promoted: counted.promoted,
            blocks: counted.blocks,
            frames: counted.frames,
            live: counted.live,
        }),
    }
}
