//! `pricetag ocaml`: the second front end.

use std::process::ExitCode;

use pricetag_miniml::{Limits, Run, count, render};
use serde_json::json;

use crate::arguments::{OcamlCommand, OcamlCountArgs};
use crate::console::Console;
use crate::failure::{Failure, io};

pub fn run(command: &OcamlCommand, console: &Console) -> Result<ExitCode, Failure> {
    match command {
        OcamlCommand::Count(args) => count_constructs(args, console),
    }
}

fn count_constructs(args: &OcamlCountArgs, console: &Console) -> Result<ExitCode, Failure> {
    let path = &args.program;
    let file = path.display().to_string();
    let source = std::fs::read_to_string(path).map_err(io("read", path))?;
    let limits = Limits {
        fuel: args.fuel,
        ..Limits::default()
    };
    let run = count(&source, limits).map_err(|errors| {
        let text = render(&errors, &file, &source, console.color);
        let number = errors.len();
        Failure::new(format!(
            "{number} error{} in the program\n{text}",
            if number == 1 { "" } else { "s" }
        ))
        .doing(format!("cannot count {file}"))
    })?;
    if let Some(stop) = &run.stop {
        let line = run.rows.last().map_or(0, |r| r.line);
        return Err(Failure::new(format!("{stop}, in the item of line {line}"))
            .doing(format!("counting {file}"))
            .advice("a larger --fuel if the program needs it, or handle the exception"));
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
