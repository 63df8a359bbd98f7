//! `pricetag instrument`: a jar or war whose classes count by themselves.

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, is_separator};
use std::process::ExitCode;

use pricetag_archive::{ArchiveError, Options, instrument};
use pricetag_file::raw;
use serde_json::json;

use crate::analysis::{check_writable, write_whole};
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
    write_whole(&args.output, &outcome.bytes)?;
    keep_executable(&args.input, &args.output).map_err(io("write", &args.output))?;
    let left: Vec<_> = outcome
        .left
        .iter()
        .map(|left| json!({ "class": left.class, "method": left.method, "reason": left.reason }))
        .collect();
    let done = json!({
        "schema": 1, "output": raw::text(args.output.as_os_str()), "classes": outcome.classes, "methods": outcome.methods,
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

/// Refuses to write over something, and what cannot be written, before the work.
fn check_output(input: &Path, output: &Path, force: bool) -> Result<(), Failure> {
    // By what the names stand for: a hard link is the input as well.
    let same = match (metadata(input), metadata(output)) {
        (Ok(input), Ok(output)) => (input.dev(), input.ino()) == (output.dev(), output.ino()),
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
    if output.to_string_lossy().ends_with(is_separator) {
        let why = format!("cannot write {}: it names a directory", output.display());
        return Err(Failure::new(why).advice("give the name of a file"));
    }
    check_writable(output)
}

/// Lets everybody run the output who may read it and could run the input: a jar that begins with a script starts by itself.
fn keep_executable(input: &Path, output: &Path) -> std::io::Result<()> {
    let written = metadata(output)?;
    let mode = written.mode();
    let runs = metadata(input)?.mode() & (mode >> 2) & 0o111;
    if written.is_file() && mode & runs != runs {
        set_permissions(output, Permissions::from_mode(mode | runs))?;
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
        ArchiveError::NotCounts { .. } => {
            failure.advice("leave it out, or give the file as the instrumented jar wrote it")
        }
        ArchiveError::OtherArchive { .. } => {
            failure.advice("give the very jar that wrote the counts")
        }
        _ => failure,
    }
}
