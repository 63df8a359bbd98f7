//! `pricetag ocaml`: the second front end.

mod evaluate;
mod learn;
mod predict;

use std::process::ExitCode;

use pricetag_miniml::{Diagnostic, Limits, Run, Stop, count, render};
use serde_json::json;

use crate::arguments::{Common, OcamlCommand, OcamlCountArgs};
use crate::console::Console;
use crate::failure::{Failure, io};

pub fn run(
    command: &OcamlCommand,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    match command {
        OcamlCommand::Learn(args) => learn::run(args, common, console),
        OcamlCommand::Predict(args) => predict::run(args, console),
        OcamlCommand::Evaluate(args) => evaluate::run(args, console),
        OcamlCommand::Count(args) => count_constructs(args, console),
    }
}

/// Why a program was refused.
fn refused(
    errors: &[Diagnostic],
    file: &str,
    source: &str,
    console: &Console,
    verb: &str,
) -> Failure {
    let text = render(errors, file, source, console.color);
    let number = errors.len();
    Failure::new(format!(
        "{number} error{} in the program\n{text}",
        if number == 1 { "" } else { "s" }
    ))
    .doing(format!("cannot {verb} {file}"))
}

/// Why a run ended early, and how far it was.
fn stopped(run: &Run, stop: &Stop, file: &str) -> Failure {
    let line = run.rows.last().map_or(0, |r| r.line);
    Failure::new(format!("{stop}, in the item of line {line}"))
        .doing(format!("counting {file}"))
        .advice("a larger --fuel if the program needs it, or handle the exception")
}

fn count_constructs(args: &OcamlCountArgs, console: &Console) -> Result<ExitCode, Failure> {
    let path = &args.program;
    let file = path.display().to_string();
    let source = std::fs::read_to_string(path).map_err(io("read", path))?;
    let limits = Limits {
        fuel: args.fuel,
        ..Limits::default()
    };
    let run = count(&source, limits)
        .map_err(|errors| refused(&errors, &file, &source, console, "count"))?;
    if let Some(stop) = &run.stop {
        return Err(stopped(&run, stop, &file));
    }
    let value =
        json!({ "schema": 1, "items": run.rows, "output": String::from_utf8_lossy(&run.output) });
    console.result(&value, || table(&run))?;
    Ok(ExitCode::SUCCESS)
}

fn table(run: &Run) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    // Writing into a string cannot fail.
    for row in &run.rows {
        let names = row.names.join(", ");
        let what = if names.is_empty() {
            "expression"
        } else {
            &names
        };
        writeln!(out, "line {}: {what} : {}", row.line, row.types.join(", ")).ok();
        for (construct, n) in &row.counts {
            writeln!(out, "  {construct:<14} {n:>16}").ok();
        }
    }
    out
}
