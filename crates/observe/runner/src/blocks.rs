//! Runs a subject with a clock around every block: the baseline that cost models are compared with.
//!
//! Every run is a fresh virtual machine. Nothing is kept: the traces are handed over and the directory is the caller's.

use std::path::{Path, PathBuf};

use pricetag_trace::{AgentOptions, MethodScope, Mode, Scope, Trace};

use crate::error::RunnerError;
use crate::failure;
use crate::options::RecordOptions;
use crate::progress::Progress;
use crate::subject::Subject;
use crate::supervise::{Cancel, Ending, run};

/// What the runs left.
#[derive(Debug)]
pub struct BlockRuns {
    /// Traces of the runs that ended in order.
    pub traces: Vec<Trace>,
    /// Directory of the probe plans.
    pub plans: PathBuf,
    /// Why the other runs failed.
    pub failures: Vec<String>,
}

/// Runs the command `options.repeat` times; of `options`, the workload's first input, the classes and the virtual machine's
/// settings count. Times the blocks of `methods`, of all selected classes when it is empty. `scratch` is an empty
/// directory.
///
/// # Errors
/// If the subject cannot be started at all.
pub fn time_blocks(
    options: &RecordOptions,
    methods: &[MethodScope],
    scratch: &Path,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<BlockRuns, RunnerError> {
    options.check()?;
    let subject = Subject::prepare(options, cancel)?;
    let plans =
        std::path::absolute(scratch.join("plans")).map_err(RunnerError::io("find", scratch))?;
    std::fs::create_dir_all(&plans).map_err(RunnerError::io("create", &plans))?;
    let mut runs = BlockRuns {
        traces: Vec::new(),
        plans,
        failures: Vec::new(),
    };
    progress.begin(u64::from(options.repeat), "timing blocks");
    for number in 0..options.repeat {
        if cancel.is_cancelled() {
            break;
        }
        let label = format!("run {}", number + 1);
        progress.started(&label);
        let outcome = one(&subject, methods, scratch, number, &runs.plans, cancel)?;
        progress.step(&label, outcome.as_ref().err().map(String::as_str));
        match outcome {
            Ok(trace) => runs.traces.push(trace),
            Err(why) => runs.failures.push(why),
        }
    }
    progress.end();
    Ok(runs)
}

/// The trace of one run, or why there is none.
fn one(
    subject: &Subject<'_>,
    methods: &[MethodScope],
    scratch: &Path,
    number: u32,
    plans: &Path,
    cancel: &Cancel,
) -> Result<Result<Trace, String>, RunnerError> {
    let options = subject.options;
    let file = |kind: &str| scratch.join(format!("{number}.{kind}"));
    let trace = std::path::absolute(file("trace")).map_err(RunnerError::io("find", scratch))?;
    let agent_options = AgentOptions {
        plans: Some(plans.to_owned()),
        include: options.include.clone(),
        exclude: options.exclude.clone(),
        scopes: methods.iter().cloned().map(Scope::Method).collect(),
        count_jdk: options.count_jdk,
        ..AgentOptions::new(Mode::Blocks, &trace)
    };
    let case = &options.workload.cases[0];
    let crash_log = file("crash");
    let launch = subject.launch_with(
        Some((&agent_options, &file("options"))),
        &crash_log,
        case,
        &[],
    )?;
    let ended = run(&launch, options.timeout, options.show_output, cancel)?;
    if ended.ending == Ending::Cancelled {
        return Ok(Err("interrupted by the user".to_owned()));
    }
    if let Some(why) = failure::reason(&ended, &crash_log) {
        return Ok(Err(why));
    }
    Ok(match Trace::read(&trace) {
        Ok(read) => match read.incomplete_reason() {
            Some(why) => Err(format!("the trace is incomplete: {why}")),
            None => Ok(read),
        },
        Err(error) => match failure::unobserved(&ended.stderr.text()) {
            Some(why) => {
                let why = why.to_owned();
                return Err(RunnerError::Unobserved { why });
            }
            None => Err(format!("the agent left no trace: {error}")),
        },
    })
}
