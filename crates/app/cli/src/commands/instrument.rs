//! `pricetag instrument`: a jar or war whose classes count by themselves.

use std::path::Path;
use std::process::ExitCode;

use pricetag_archive::{ArchiveError, Options, instrument};
use serde_json::json;

use crate::arguments::InstrumentArgs;
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::lists::listed;

/// Classes and methods left as they were that are named without `--verbose`.
const NAMED: usize = 10;

pub fn run(args: &InstrumentArgs, console: &Console) -> Result<ExitCode, Failure> {
    let doing = format!("instrumenting {}", args.input.display());
    check_output(&args.input, &args.output, args.force)?;
    let archive = std::fs::read(&args.input).map_err(io("read", &args.input))?;
    let options = Options {
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        listed: listed(args.methods.as_deref(), args.blocks.as_deref())?,
        strip_signatures: args.strip_signatures,
    };
    let outcome = instrument(&archive, &options).map_err(|e| failure(&e).doing(&doing))?;
    if outcome.classes == 0 {
        let why = "no class in it can be counted";
        return Err(Failure::new(why)
            .doing(&doing)
            .advice("check --include, --exclude and lists against the names of its classes"));
    }
    std::fs::write(&args.output, &outcome.bytes).map_err(io("write", &args.output))?;
    let left: Vec<_> = outcome
        .left
        .iter()
        .map(|left| json!({ "class": left.class, "method": left.method, "reason": left.reason }))
        .collect();
    let done = json!({
        "schema": 1, "output": args.output, "classes": outcome.classes, "methods": outcome.methods,
        "bytes": outcome.bytes.len(), "left": left, "notes": outcome.notes,
    });
    if console.json {
        console.result(&done, String::new)?;
        return Ok(ExitCode::SUCCESS);
    }
    console.say(&format!(
        "{} classes with {} methods are counted in {}",
        outcome.classes,
        outcome.methods,
        args.output.display()
    ));
    let shown = if console.verbose { usize::MAX } else { NAMED };
    for left in outcome.left.iter().take(shown) {
        let method = left.method.as_ref().map(|m| format!(".{m}"));
        let method = method.unwrap_or_default();
        console.say(&format!("  left {}{method}: {}", left.class, left.reason));
    }
    if outcome.left.len() > shown {
        let more = outcome.left.len() - shown;
        console.say(&format!("  … {more} more; --verbose lists them"));
    }
    for note in &outcome.notes {
        console.say(&format!("note: {note}"));
    }
    console.say(&format!(
        "run it with -Dpricetag.counts=FILE; then: pricetag import FILE --jar {} -o DATASET",
        args.output.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Refuses to write over something.
fn check_output(input: &Path, output: &Path, force: bool) -> Result<(), Failure> {
    let same = match (input.canonicalize(), output.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    };
    if same {
        let why = format!("{} is the input, too", output.display());
        return Err(Failure::usage(why).advice("name another file with -o"));
    }
    if output.is_file() && !force {
        let why = format!("{} exists", output.display());
        return Err(Failure::new(why).advice("use --force to replace it, or another -o"));
    }
    Ok(())
}

/// What to tell of an error of archives.
pub fn failure(error: &ArchiveError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        ArchiveError::Signed { .. } => failure.advice(
            "use --strip-signatures to drop the signature, if what loads the archive does not ask for one",
        ),
        ArchiveError::Instrumented => failure.advice("instrument the original archive"),
        ArchiveError::NotAJar { .. } => failure.advice("give a jar or war"),
        ArchiveError::NoPlans { .. } => {
            failure.advice("give a jar that this version of pricetag instrument wrote")
        }
        ArchiveError::OtherArchive { .. } => {
            failure.advice("give the very jar that wrote the counts")
        }
        _ => failure,
    }
}
