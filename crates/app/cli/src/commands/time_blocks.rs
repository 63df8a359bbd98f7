//! `pricetag time-blocks`: times every block by itself, as a baseline.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use pricetag_finding::{BlockTimes, FINDING_SCHEMA, TimedBlock};
use pricetag_probe_plan::PlanStore;
use pricetag_runner::blocks::{BlockRuns, time_blocks};
use pricetag_runner::check::timer;
use pricetag_runner::{RecordOptions, Workload};
use pricetag_tabulate::{BlockRow, block_rows};
use pricetag_trace::{MethodScope, Record};

use crate::arguments::{Common, Switch, TimeBlocksArgs};
use crate::console::Console;
use crate::failure::{FAILED, Failure};
use crate::interrupt::Attention;
use crate::scratch::Scratch;
use crate::watch::launched;

pub fn run(args: &TimeBlocksArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let doing = format!("timing the blocks of `{}`", args.command.join(" "));
    let scratch = Scratch::new()?;
    let options = options(args, common, scratch.path())?;
    let (cancel, _attention) = Attention::of_recording();
    let runs = time_blocks(
        &options,
        &args.method,
        scratch.path(),
        &console.progress(),
        &cancel,
    )
    .map_err(Failure::from);
    let times = runs.and_then(|runs| summarise(&runs, &args.method));
    let times = times.map_err(|failure| failure.doing(&doing))?;
    if times.runs == 0 {
        let why = times
            .failures
            .first()
            .map_or("no run ended", String::as_str);
        return Err(Failure::new(format!("no run succeeded: {why}"))
            .doing(doing)
            .advice("run the command by hand; --show-output passes on what it prints"));
    }
    console.result(&times, || times.to_text(console.width))?;
    Ok(if cancel.is_cancelled() {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn options(args: &TimeBlocksArgs, common: &Common, dir: &Path) -> Result<RecordOptions, Failure> {
    let command = args.command.clone();
    Ok(RecordOptions {
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        repeat: args.repeat,
        jit: args.jit == Switch::On,
        gc: args.gc == Switch::On,
        jobs: common.jobs,
        ..launched(&args.launch, command, Workload::single(), dir)?
    })
}

fn summarise(runs: &BlockRuns, methods: &[MethodScope]) -> Result<BlockTimes, Failure> {
    let failed = |error: String| Failure::new(error);
    let plans = PlanStore::open(&runs.plans).map_err(|e| failed(e.to_string()))?;
    let rows = block_rows(&runs.traces, &plans).map_err(|e| failed(e.to_string()))?;
    let mut notes = BTreeSet::new();
    for record in runs.traces.iter().flat_map(|trace| &trace.records) {
        match record {
            Record::Inexact(words) => {
                notes.insert(words.clone());
            }
            Record::Left(left) => {
                let class = left.class.replace('/', ".");
                let method = left.method.as_ref().map(|m| format!("#{m}"));
                let place = format!("{class}{}", method.unwrap_or_default());
                if methods.is_empty() || methods.iter().any(|m| m.class == class) {
                    notes.insert(format!("{place} is not timed: {}", left.reason));
                }
            }
            _ => {}
        }
    }
    let idle = |method: &&MethodScope| {
        let name = format!("{}.{}(", method.class, method.method);
        !rows.iter().any(|row| row.method.starts_with(&name))
    };
    notes.extend(
        methods
            .iter()
            .filter(idle)
            .map(|method| format!("{method} did not run")),
    );
    Ok(BlockTimes {
        schema: FINDING_SCHEMA,
        runs: runs.traces.len() as u32,
        failures: runs.failures.clone(),
        clock_ns: timer().cost_ns as f64,
        blocks: rows.into_iter().map(finding).collect(),
        notes: notes.into_iter().collect(),
    })
}

fn finding(row: BlockRow) -> TimedBlock {
    TimedBlock {
        method: row.method,
        block: row.block.0,
        lines: row.lines,
        executions: row.executions,
        mean: row.mean,
        deviation: row.deviation,
        min: row.min,
        max: row.max,
        first: row.first,
    }
}
