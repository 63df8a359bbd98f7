//! `pricetag evaluator check`: answers beside counts and times of the unmodified program.

use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, Status};
use pricetag_evaluator::{Answer, AnswerStatus, Check, Evaluator, Source, Trial};
use pricetag_runner::template::expand;
use pricetag_runner::{Determinism, Ended, RecordOptions, Samples, Timing, Workload};
use pricetag_trace::Scope;

use super::ask::{Question, evaluator};
use super::shown;
use crate::arguments::{Common, EvaluatorCheckArgs};
use crate::console::Console;
use crate::failure::{FAILED, Failure};
use crate::recording::Recording;
use crate::scratch::Scratch;
use crate::watch::{cache, find_agent, inherited, watch, workload};

pub fn run(
    args: &EvaluatorCheckArgs,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let evaluator = evaluator(&args.predictor)?;
    let workload = workload(args.inputs.as_deref(), args.workload.as_deref(), None)?;
    console.say("the unmodified program runs over the inputs, counted and timed");
    let scratch = Scratch::new()?;
    let options = options(args, common, &evaluator, workload.clone(), scratch.path())?;
    let (dataset, recorded) = watch(&options, None, console)?;
    if recorded.interrupted {
        return Err(Failure::new("interrupted"));
    }
    console.say(&format!("asking {} about them", shown(&args.predictor)));
    let mut trials = Vec::new();
    for case in &workload.cases {
        let words = evaluator.subject.arguments.iter();
        let words = words.map(|word| expand(word, &case.bindings));
        let words: Vec<String> = words.collect::<Result<_, _>>()?;
        let question = Question {
            arguments: &words,
            cwd: None,
            timeout: args.timeout,
        };
        let (answer, ended) = question.ask(&args.predictor, &evaluator)?;
        trials.push(trial(&case.label, answer, &ended, &evaluator, &dataset));
    }
    let check = Check {
        schema: 1,
        target: evaluator.model.target.clone(),
        trials,
    };
    console.result(&check, || check.to_text())?;
    let wrong = check.silently_wrong().next().is_some();
    Ok(if wrong {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// An answer beside what was recorded of the same input.
fn trial(
    label: &str,
    answer: Answer,
    ended: &Ended,
    evaluator: &Evaluator,
    dataset: &Dataset,
) -> Trial {
    let row = dataset.observations.iter().position(|o| o.label == label);
    let observation = row.map(|row| &dataset.observations[row]);
    let failed = match observation {
        None => Some("the program's run left no observation".to_owned()),
        Some(o) if o.status != Status::Ok => {
            let why = o.reason.clone().unwrap_or_default();
            Some(format!("the program's own run failed: {why}"))
        }
        Some(_) => None,
    };
    let cost = |name: &str| observation?.costs.get(name)?.value();
    let mut wrong = Vec::new();
    let compared = answer.status != AnswerStatus::Unknown && failed.is_none();
    for wanted in evaluator.features.iter().filter(|_| compared) {
        if matches!(wanted.source, Source::Constant(_)) {
            continue;
        }
        let column = dataset.column(&wanted.name).unwrap_or_default();
        let cell = column.iter().find(|(at, _)| Some(at.0 as usize) == row);
        let counted = cell.map_or(0.0, |(_, value)| *value);
        let evaluated = answer.features.get(&wanted.name).copied().flatten();
        let evaluated = evaluated.unwrap_or(f64::NAN);
        if evaluated != counted {
            wrong.push((wanted.name.clone(), evaluated, counted));
        }
    }
    Trial {
        label: label.to_owned(),
        evaluation_cpu: ended.cpu().as_nanos() as f64,
        evaluation_wall: ended.wall.as_nanos() as f64,
        run_cpu: cost("cpu"),
        run_wall: cost("wall"),
        measured: cost(&evaluator.model.target),
        answer,
        wrong,
        failed,
    }
}

/// As the model's dataset was recorded, with counts and times of the unmodified program.
fn options(
    args: &EvaluatorCheckArgs,
    common: &Common,
    evaluator: &Evaluator,
    workload: Workload,
    scratch: &Path,
) -> Result<RecordOptions, Failure> {
    let recording = Recording::of(&evaluator.model);
    Ok(RecordOptions {
        command: evaluator.model.provenance.subject.clone(),
        workload,
        stdin: None,
        env: std::collections::BTreeMap::new(),
        cwd: None,
        timeout: args.timeout,
        scope: Scope::Main,
        tests: Vec::new(),
        include: recording.patterns("include", &[])?,
        exclude: recording.patterns("exclude", &[])?,
        listed: pricetag_trace::Listed::Everything,
        count_jdk: recording.was("count_jdk", "true"),
        categories: recording.categories().to_owned(),
        values: 0,
        lengths: false,
        depths: false,
        transitions: false,
        strides: false,
        caught: false,
        callers: false,
        invocations: false,
        calls: None,
        availability: false,
        repeat: args.repeat,
        shuffle: false,
        timing: Timing::Separate,
        jit: !recording.was("jit", "off"),
        gc: !recording.was("gc", "off"),
        warmup: Some(0),
        determinism: Determinism::None,
        samples: Samples::Off,
        overhead: None,
        jobs: common.jobs,
        show_output: false,
        dir: scratch.join("data"),
        resume: false,
        force: true,
        agent: find_agent(args.agent.as_deref())?,
        cache: cache(None),
        cpu: Ended::cpu,
        path: inherited("PATH"),
        java_tool_options: inherited("JAVA_TOOL_OPTIONS"),
    })
}
