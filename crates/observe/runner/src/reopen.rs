//! What is there already: a recording that was cut short, as far as it came, and one that needs no resuming.
//!
//! Finished runs are on disk before the next begins, so that a `record` that was killed leaves a dataset without anything being run again.
//! Limits: which `--features` had been asked for is not kept; a reader of an unfinished recording sees all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pricetag_dataset::secrets::without_secrets;
use pricetag_dataset::{Meta, Observation};
use pricetag_trace::{Listed, Scope};

use crate::assemble::Recorded;
use crate::error::RunnerError;
use crate::journal::{Journal, Manifest, first_difference};
use crate::options::{Determinism, RecordOptions, Timing};
use crate::program;
use crate::sampling::Samples;
use crate::supervise::Ended;
use crate::workload::Workload;

/// The option of a dataset that tells which program it is of.
pub(crate) const PROGRAM: &str = "program";

/// The unfinished recording in `dir` as it stands, with the options it was made under as far as they matter to who reads it; none if
/// there is no such recording.
///
/// # Errors
/// If a finished run cannot be read.
pub fn unfinished(dir: &Path) -> Result<Option<(Recorded, RecordOptions)>, RunnerError> {
    let Some((journal, manifest)) = Journal::find(dir)? else {
        return Ok(None);
    };
    let options = options_of(dir, &manifest);
    let recorded = Recorded::assemble(&options, Vec::new(), journal, manifest, true, None)?;
    Ok(Some((recorded, options)))
}

pub(crate) fn options_of(dir: &Path, manifest: &Manifest) -> RecordOptions {
    let text = |name: &str| {
        let value = manifest.options.get(name);
        value
            .or_else(|| manifest.protocol.get(name))
            .map_or("", String::as_str)
    };
    let is = |name: &str, value: &str| text(name) == value;
    RecordOptions {
        command: manifest.command.clone(),
        workload: Workload {
            cases: manifest.cases.clone(),
        },
        stdin: None,
        env: BTreeMap::new(),
        cwd: None,
        timeout: None,
        scope: text("scope").parse().unwrap_or(Scope::Main),
        tests: Vec::new(),
        include: text("include")
            .split(' ')
            .filter_map(|p| p.parse().ok())
            .collect(),
        exclude: text("exclude")
            .split(' ')
            .filter_map(|p| p.parse().ok())
            .collect(),
        listed: Listed::of(
            text("methods").split(' ').filter_map(|m| m.parse().ok()),
            text("blocks").lines().filter_map(|b| b.parse().ok()),
        )
        .unwrap_or_default(),
        count_jdk: is("count_jdk", "true"),
        categories: text("categories").to_owned(),
        values: text("values").parse().unwrap_or(0),
        lengths: is("lengths", "true"),
        depths: is("depths", "true"),
        transitions: is("transitions", "true"),
        strides: is("strides", "true"),
        caught: is("caught", "true"),
        callers: is("callers", "true"),
        invocations: is("invocations", "true"),
        calls: text("calls").parse().ok(),
        availability: is("availability", "true"),
        repeat: text("repeat").parse().unwrap_or(1),
        shuffle: false,
        timing: match text("timing") {
            "same" => Timing::Same,
            "never" => Timing::Never,
            _ => Timing::Separate,
        },
        jit: is("jit", "on"),
        gc: is("gc", "on"),
        warmup: text("warmup").parse().ok(),
        // Whatever was counted twice is looked for.
        determinism: Determinism::All,
        samples: Samples::Auto,
        overhead: None,
        jobs: 1,
        show_output: false,
        dir: dir.to_owned(),
        resume: false,
        force: false,
        agent: PathBuf::new(),
        cache: None,
        cpu: Ended::cpu,
        path: None,
        java_tool_options: None,
    }
}

/// Checks that a finished dataset is what `options` would record, so that resuming it means to run nothing.
///
/// # Errors
/// If it was recorded by another command, under other options, with fewer repeats or on other inputs.
pub fn same_as_finished(
    options: &RecordOptions,
    meta: &Meta,
    rows: &[Observation],
) -> Result<(), RunnerError> {
    let differs = |what: String, recorded: String, now: String| {
        Err(RunnerError::ResumeMismatch {
            dir: options.dir.clone(),
            what,
            recorded,
            now,
        })
    };
    let (then, now) = (
        without_secrets(&meta.subject),
        without_secrets(&options.command),
    );
    if then != now {
        return differs("the command".to_owned(), then.join(" "), now.join(" "));
    }
    let mut now = options.shaping();
    let counted = ["repeat", "inputs"];
    let asked = options.protocol().into_iter();
    now.extend(
        asked.filter(|(name, _)| {
            counted.contains(&name.as_str()) && meta.options.contains_key(name)
        }),
    );
    // Datasets of 0.1 do not know it.
    if meta.options.contains_key(PROGRAM) {
        now.insert(
            PROGRAM.to_owned(),
            program::of_all(&program::files(options)),
        );
    }
    let mut then = meta.options.clone();
    then.retain(|name, _| now.contains_key(name));
    if let Some((name, a, b)) = first_difference(&then, &now) {
        return differs(format!("option `{name}`"), a, b);
    }
    // A single input's invocations are called after the scope.
    if options.scope != Scope::Main && options.workload.cases.len() == 1 {
        return Ok(());
    }
    let inputs: BTreeSet<&str> = options
        .workload
        .cases
        .iter()
        .map(|c| c.label.as_str())
        .collect();
    let mut recorded = rows.iter().map(|row| row.label.as_str());
    // Rows of a scope are numbered, but for the failure of an input.
    let numbered = |label: &str| {
        options.scope != Scope::Main
            && label
                .match_indices(" #")
                .any(|(at, _)| inputs.contains(&label[..at]))
    };
    let known = |label: &str| inputs.contains(label) || numbered(label);
    match recorded.find(|label| !known(label)) {
        Some(odd) => differs(
            format!("input `{odd}`"),
            "it".to_owned(),
            "not among the inputs".to_owned(),
        ),
        None => Ok(()),
    }
}
