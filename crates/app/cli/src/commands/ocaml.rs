//! `pricetag ocaml`: the second front end.

mod bound;
mod compare;
mod evaluate;
mod learn;
mod predict;

use std::path::Path;
use std::process::ExitCode;

use pricetag_miniml::{Diagnostic, Limits, Mode, Options, Run, Stop, render};
use serde_json::json;

use crate::arguments::{CallArgs, Common, ModeArg, OcamlCommand, OcamlCountArgs};
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
        OcamlCommand::Bound(args) => bound::run(args, console),
        OcamlCommand::Compare(args) => compare::run(args, console),
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
fn stopped(run: &Run, stop: &Stop, file: &str, verb: &str) -> Failure {
    let line = run.rows.last().map_or(0, |r| r.line);
    Failure::new(format!("{stop}, in the item of line {line}"))
        .doing(format!("cannot {verb} {file}"))
        .advice(match stop {
            Stop::Fuel(_) => "a smaller input, or a larger --fuel if the program does end",
            Stop::Memory(_) => "a smaller input, or a larger --memory if this machine has it",
            Stop::Exception(_) => "handle the exception in the program",
            Stop::Exit(_) => "leave the `exit` out, or let it be `exit 0`",
        })
}

/// The text of a program. As in OCaml, there may be any bytes in strings and comments.
fn source_of(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(io("read", path))?;
    Ok(pricetag_file::raw::text_of(&bytes))
}

/// A program with its calls at the end: `call1`, or `call1_n100` with `n` = 100.
fn with_calls(mut source: String, args: &CallArgs) -> String {
    use std::fmt::Write as _;

    for (i, call) in args.call.iter().enumerate() {
        let i = i + 1;
        // Writing into a string cannot fail.
        if args.sizes.is_empty() {
            write!(source, "\n;;\nlet call{i} = ({call}\n)").ok();
        }
        for n in &args.sizes {
            write!(source, "\n;;\nlet call{i}_n{n} = let n = {n} in ({call}\n)").ok();
        }
    }
    source
}

fn count_constructs(args: &OcamlCountArgs, console: &Console) -> Result<ExitCode, Failure> {
    let path = &args.program;
    let file = path.display().to_string();
    let source = with_calls(source_of(path)?, &args.calls);
    let mode = match args.mode {
        ModeArg::Paper => Mode::Paper,
        ModeArg::Extended => Mode::Extended,
    };
    let options = Options {
        limits: Limits {
            fuel: args.fuel,
            memory: args.memory,
        },
        mode,
        minor_heap: args.minor_heap,
        values: args.values,
        ..Options::default()
    };
    let run = pricetag_miniml::run(&source, &options)
        .map_err(|errors| refused(&errors, &file, &source, console, "count"))?;
    let stop = run.stop.as_ref().map(ToString::to_string);
    let value = json!({
        "schema": 1,
        "items": run.rows,
        "total": run.totals(mode),
        "output": String::from_utf8_lossy(&run.output),
        "stop": stop,
    });
    // What ran before a program stopped has run.
    console.result(&value, || table(&run, mode))?;
    match &run.stop {
        Some(stop) => Err(stopped(&run, stop, &file, "count")),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn table(run: &Run, mode: Mode) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    // Writing into a string cannot fail.
    if let (Mode::Paper, Some(n)) = (mode, run.totals(mode).get("base")) {
        writeln!(out, "program\n  {:<16} {n:>16}", "base").ok();
    }
    for (i, row) in run.rows.iter().enumerate() {
        let names = row.names.join(", ");
        let what = if names.is_empty() {
            "expression"
        } else {
            &names
        };
        let cut = run.stop.is_some() && i + 1 == run.rows.len();
        let cut = if cut { " (up to where it stopped)" } else { "" };
        writeln!(
            out,
            "line {}: {what} : {}{cut}",
            row.line,
            row.types.join(", ")
        )
        .ok();
        for value in &row.values {
            writeln!(out, "  = {value}").ok();
        }
        for (construct, n) in &row.counts {
            writeln!(out, "  {construct:<16} {n:>16}").ok();
        }
        for (what, n) in [
            ("bytes", row.bytes),
            ("collections", row.collections),
            ("promoted words", row.promoted),
        ] {
            if n > 0 {
                writeln!(out, "  {what:<16} {n:>16}").ok();
            }
        }
    }
    out
}
