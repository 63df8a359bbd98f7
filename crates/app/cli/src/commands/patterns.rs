//! `pricetag patterns`: what a sequence of invocations looks like.

mod export;

use std::process::ExitCode;

use pricetag_events::ScopeCall;
use pricetag_pattern::{Patterns, Settings, analyse};
use pricetag_quantity::counted;
use serde_json::json;

use crate::arguments::{PatternsArgs, WindowArg};
use crate::console::Console;
use crate::failure::Failure;
use crate::invocations::{Recording, not_analysed, sources};

pub fn run(args: &PatternsArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(export) = args.export {
        return match export.viewer() {
            Some(viewer) => export::run(args, viewer, console),
            None => export::texts(args, console),
        };
    }
    let window = match &args.window {
        Some(WindowArg::Size(size)) => Some(*size),
        Some(WindowArg::Part(_)) => {
            return Err(
                Failure::usage("a part of the calls is written with --export alone")
                    .advice("give a number of events, or add --export VIEWER -o FILE"),
            );
        }
        None => None,
    };
    let settings = Settings {
        window,
        longest_loop: usize::from(args.max_loop),
        slices: usize::from(args.slices),
        per_thread: args.per_thread,
        ..Settings::default()
    };
    let recording = Recording::of(&args.path, args.model.as_deref())?;
    let mut found: Vec<(String, Patterns, Vec<ScopeCall>)> = Vec::new();
    for source in sources(&args.path)? {
        let doing = || format!("analysing {}", source.path().display());
        let answer = || {
            let (label, prices) = source.run(recording.as_ref())?;
            let settings = Settings {
                prices,
                ..settings.clone()
            };
            let content = source.content()?;
            let patterns = analyse(|| content.open(), settings).map_err(|e| not_analysed(&e))?;
            let calls = content.scope_calls().map_err(|e| not_analysed(&e))?;
            Ok((label, patterns, calls))
        };
        found.push(answer().map_err(|f: Failure| f.doing(doing()))?);
    }
    let answer: Vec<_> = found
        .iter()
        .map(|(input, patterns, calls)| {
            json!({ "input": input, "patterns": patterns, "scope_calls": told(calls) })
        })
        .collect();
    console.result(&json!({ "schema": 1, "files": answer }), || {
        let texts = found.iter().map(|(path, patterns, calls)| {
            let of_scope = match calls.len() {
                0 => String::new(),
                n => format!(
                    "events within {} of the scope alone\n\n",
                    counted(n, "call")
                ),
            };
            match found.len() {
                1 => format!("{of_scope}{patterns}"),
                _ => format!("{path}\n\n{of_scope}{patterns}"),
            }
        });
        texts.collect::<Vec<_>>().join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Calls of a scope for a program: which one, of which thread, and which of the thread's events are its own.
fn told(calls: &[ScopeCall]) -> Vec<serde_json::Value> {
    let one = |call: &ScopeCall| json!({ "call": call.call, "thread": call.thread.0, "from": call.from, "to": call.to });
    calls.iter().map(one).collect()
}
