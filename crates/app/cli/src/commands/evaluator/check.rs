//! `pricetag evaluator check`: answers beside counts and times of the unmodified program.

use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::{Dataset, Status};
use pricetag_evaluator::{Answer, AnswerStatus, Check, Evaluator, Source, Trial};
use pricetag_report::figures::predictor_figures;
use pricetag_runner::template::expand;
use pricetag_runner::{Ended, RecordOptions, Timing, Workload};

use super::ask::{Question, evaluator};
use super::shown;
use crate::analysis::write_figures;
use crate::arguments::{Common, EvaluatorCheckArgs};
use crate::console::Console;
use crate::failure::{FAILED, Failure};
use crate::recording::Recording;
use crate::scratch::Scratch;
use crate::watch::{cache, counting, watch, workload};

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
    if let Some(directory) = &args.figures {
        write_figures(directory, predictor_figures(&check, &evaluator.curve)?)?;
        console.say(&format!("figures written to {}", directory.display()));
    }
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
    let command = evaluator.model.provenance.subject.clone();
    let dir = scratch.join("data");
    Ok(RecordOptions {
        timeout: args.timeout,
        include: recording.patterns("include", &[])?,
        exclude: recording.patterns("exclude", &[])?,
        count_jdk: recording.was("count_jdk", "true"),
        categories: recording.categories().to_owned(),
        repeat: args.repeat,
        timing: Timing::Separate,
        jit: !recording.was("jit", "off"),
        gc: !recording.was("gc", "off"),
        jobs: common.jobs,
        force: true,
        cache: cache(None),
        ..counting(command, workload, &dir, args.agent.as_deref())?
    })
}
