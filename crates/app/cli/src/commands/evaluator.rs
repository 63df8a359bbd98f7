//! `pricetag evaluator`: jars that predict what a program costs, and how they are tried.

mod ask;
mod assemble;
mod build;
mod check;
mod serve;
mod survey;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use pricetag_evaluator::{Answer, AnswerStatus, Evaluator};
use pricetag_finding::figure::percent;
use pricetag_runner::template::expand;
use serde_json::json;

use crate::arguments::{Common, EvaluatorCommand, PredictArgs};
use crate::console::Console;
use crate::failure::{FAILED, Failure};
use crate::watch::workload;

pub use ask::is_predictor;

pub fn run(
    command: &EvaluatorCommand,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    match command {
        EvaluatorCommand::Build(args) => build::run(args, common, console),
        EvaluatorCommand::Check(args) => check::run(args, common, console),
        EvaluatorCommand::Serve(args) => serve::run(args, console),
    }
}

/// `pricetag predict` with a predictor: asks it, once or for every input.
pub fn predict(
    args: &PredictArgs,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if args.command.is_empty() {
        let why = "a predictor computes its features from the program's arguments";
        return Err(Failure::usage(why).advice(format!(
            "pricetag predict {} -- ARGUMENTS",
            args.model.display()
        )));
    }
    let evaluator = ask::evaluator(&args.model)?;
    let inputs = workload(
        args.inputs.as_deref(),
        args.workload.as_deref(),
        args.cwd.as_deref(),
    )?;
    let asked = inputs.cases.iter().map(|case| {
        let words = args.command.iter().map(|word| expand(word, &case.bindings));
        words.collect::<Result<Vec<String>, _>>()
    });
    let asked: Vec<Vec<String>> = asked.collect::<Result<_, _>>()?;
    let questions = asked.iter().map(|words| ask::Question {
        arguments: words,
        cwd: args.cwd.as_deref(),
        timeout: args.timeout,
    });
    let questions: Vec<_> = questions.collect();
    let answers = ask::ask_all(&questions, &args.model, &evaluator, common.jobs)?;
    let labels = inputs.cases.iter().map(|case| case.label.clone());
    let answers: Vec<(String, Answer)> = labels.zip(answers.into_iter().map(|(a, _)| a)).collect();
    let rows: Vec<_> = answers
        .iter()
        .map(|(label, answer)| json!({ "label": label, "answer": answer }))
        .collect();
    console.result(&json!({ "schema": 1, "rows": rows }), || {
        text(&evaluator, &answers)
    })?;
    let unknown = answers
        .iter()
        .all(|(_, a)| a.status == AnswerStatus::Unknown);
    Ok(if unknown {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Answers as a person reads them.
fn text(evaluator: &Evaluator, answers: &[(String, Answer)]) -> String {
    let mut text = String::new();
    let cost = |value: f64| pricetag_finding::figure::quantity(value, &evaluator.model.unit);
    for (label, answer) in answers {
        let Some(value) = answer.value else {
            let why = answer.reason.as_deref().unwrap_or("no reason was given");
            let _ = writeln!(text, "{label}: unknown, since {why}");
            continue;
        };
        let _ = write!(text, "{label}: {} {}", answer.target, cost(value));
        if let (Some(low), Some(high), Some(level)) = (answer.low, answer.high, answer.level) {
            let level = percent(level);
            let _ = write!(text, " ({} … {} at {level})", cost(low), cost(high));
        }
        let _ = writeln!(text, ", known after {:.0} ms", answer.took_ns as f64 / 1e6);
        if let Some(reason) = &answer.reason {
            let _ = writeln!(text, "  unvalidated: {reason}");
        }
        for feature in &answer.outside {
            let _ = writeln!(text, "  unlike what was learnt from: {feature}");
        }
    }
    text
}

/// How a predictor is named to people.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
