//! `pricetag patterns --export`: calls for other viewers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use pricetag_events::text::export;
use pricetag_events::{Ending, Extent, Reader};
use pricetag_file::raw;
use pricetag_report::viewers::{Excerpt, Viewer};
use serde_json::json;

use crate::arguments::{PatternsArgs, WindowArg};
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::invocations::{Content, Recording, TEXTS, not_analysed, one_of, within};
use crate::output::{Output, is_standard};

/// Calls that viewers are given at most: files of more are larger than what they open.
const MOST: u64 = 5_000_000;

pub fn run(args: &PatternsArgs, viewer: Viewer, console: &Console) -> Result<ExitCode, Failure> {
    let window = match &args.window {
        Some(WindowArg::Part(part)) => Some(part.clone()),
        Some(WindowArg::Size(size)) => {
            return Err(Failure::usage(format!("`{size}` is no part of the calls"))
                .advice("give their numbers, such as --window 2M..3M"));
        }
        None => None,
    };
    let output = Output::of(args.output.as_deref(), "the calls", console)?;
    let (name, content, doing) = wanted(args)?;
    let doing = || doing.clone();
    let failed = |e: &pricetag_pattern::PatternError| not_analysed(e).doing(doing());
    let open = || content.open().map_err(|e| failed(&e.into()));
    let (extent, dictionary) = Extent::scan(open()?).map_err(|e| failed(&e.into()))?;
    let total = extent.total();
    let window = window.unwrap_or(0..total);
    if total > 0 {
        within(&window, total)?;
    }
    let asked = window.end.min(total).saturating_sub(window.start);
    if viewer.wants_calls() && asked > MOST {
        return Err(Failure::usage(format!(
            "{asked} calls are more than such viewers open; {MOST} is the most that is written"
        ))
        .advice(
            "choose a part with --window A..B, or --export collapsed, which has a line per method",
        ));
    }
    let mut excerpt = Excerpt::new(viewer, window);
    let mut events = Vec::new();
    for block in Reader::new(open()?).map_err(|e| failed(&e.into()))? {
        block.decode(&mut events).map_err(|e| failed(&e.into()))?;
        if !excerpt.block(block.place.thread, &events) {
            break;
        }
    }
    let mut bytes = BufWriter::new(Vec::new());
    let written = excerpt.write(&dictionary, &name, &mut bytes);
    written
        .and_then(|()| bytes.flush())
        .map_err(|e| failed(&e.into()))?;
    output.write(&bytes.into_inner().unwrap_or_default())?;
    let Some(output) = output.file() else {
        return Ok(ExitCode::SUCCESS);
    };
    let calls = excerpt.calls();
    if console.json {
        let done = json!({ "schema": 1, "output": raw::text(output.as_os_str()), "run": name, "calls": calls });
        console.result(&done, String::new)?;
    } else {
        console.say(&format!(
            "{calls} calls of {name} written to {}",
            output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The run that is exported: its name, what it has, and what is being done with it.
fn wanted(args: &PatternsArgs) -> Result<(String, Content, String), Failure> {
    let recording = Recording::of(&args.path, None)?;
    let (source, _) = one_of(&args.path, recording.as_ref(), args.run.as_deref())?;
    let doing = format!("exporting {}", source.path().display());
    let read = || {
        let (name, _) = source.run(recording.as_ref())?;
        Ok((name, source.content()?))
    };
    let (name, content) = read().map_err(|f: Failure| f.doing(doing.clone()))?;
    Ok((name, content, doing))
}

/// The two text files, into a folder.
pub fn texts(args: &PatternsArgs, console: &Console) -> Result<ExitCode, Failure> {
    let named = args.output.as_deref().filter(|path| !is_standard(path));
    let Some(folder) = named.filter(|folder| !folder.is_file()) else {
        let why = match named {
            Some(file) => format!("`{}` is no folder", file.display()),
            None => "standard output is no folder".to_owned(),
        };
        return Err(Failure::usage(why).advice("text is two files: name a folder with -o"));
    };
    if args.window.is_some() {
        return Err(Failure::usage("text has all calls of a run")
            .advice("leave --window out, or choose another viewer"));
    }
    let (name, content, doing) = wanted(args)?;
    let doing = || doing.clone();
    std::fs::create_dir_all(folder).map_err(io("make", folder))?;
    let [facts, dynamic] = TEXTS.map(|name| folder.join(name));
    let create = |path: &Path| {
        let file = File::create(path).map_err(io("write", path))?;
        Ok::<_, Failure>(BufWriter::new(file))
    };
    let (mut to_facts, mut to_dynamic) = (create(&facts)?, create(&dynamic)?);
    let ending = export(|| content.open(), &mut to_facts, &mut to_dynamic)
        .and_then(|ending| {
            to_facts.flush()?;
            to_dynamic.flush()?;
            Ok(ending)
        })
        .map_err(|e| Failure::new(e.to_string()).doing(doing()))?;
    if let Ending::Cut(stop) = ending {
        console.say(&format!("note: {stop}: the texts have what comes before"));
    }
    let calls = content.scope_calls();
    let calls = calls.map_err(|e| not_analysed(&e).doing(doing()))?.len();
    if calls > 0 {
        console.say(&format!(
            "warning: the texts have no place for marks: where {} of the scope begin and end is left out",
            pricetag_quantity::counted(calls, "call")
        ));
    }
    let done = json!({ "schema": 1, "output": raw::text(folder.as_os_str()), "run": name });
    if console.json {
        console.result(&done, String::new)?;
    } else {
        console.say(&format!(
            "calls of {name} written to {} and {}",
            facts.display(),
            dynamic.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
