//! `pricetag report --patterns`: the picture of a sequence of calls.

use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use pricetag_events::{Dictionary, Extent, Reader};
use pricetag_file::raw;
use pricetag_finding::figure::subject_name;
use pricetag_pattern::{Finder, PatternError, Settings, Shape, analyse};
use pricetag_report::picture::{Budget, Clock, Picture, PictureFacts, PictureMark};
use serde_json::json;

use crate::analysis::{check_page, write_whole};
use crate::arguments::ReportArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::invocations::{Content, Recording, not_analysed, one_of, within};

pub fn run(path: &Path, args: &ReportArgs, console: &Console) -> Result<ExitCode, Failure> {
    check_page(&args.output)?;
    let recording = Recording::of(path, args.model.as_deref())?;
    let (source, runs) = one_of(path, recording.as_ref(), args.run.as_deref())?;
    let doing = || format!("drawing {}", source.path().display());
    let (input, prices) = source
        .run(recording.as_ref())
        .map_err(|f| f.doing(doing()))?;
    let mut notes = Vec::new();
    if runs > 1 {
        notes.push(format!("one of {runs} runs: --run chooses another"));
    }
    let title = match &recording {
        Some(all) => format!("What {} calls", subject_name(&all.dataset.meta.subject)),
        None => "What is called".to_owned(),
    };
    let facts = PictureFacts {
        title,
        input: input.clone(),
        prices,
        notes,
        ..PictureFacts::default()
    };
    let content = source.content().map_err(|f| f.doing(doing()))?;
    let failed = |e: PatternError| not_analysed(&e).doing(doing());
    let scan = || Ok(Clock::scan(content.open()?)?);
    let scanned: Scanned = scan().map_err(failed)?;
    let calls = scanned.1.total();
    if let Some(window) = &args.window {
        within(window, calls)?;
    }
    let page = draw(&content, scanned, facts, args.window.clone()).map_err(failed)?;
    write_whole(&args.output, page.as_bytes())?;
    if console.json {
        let done = json!({ "schema": 1, "report": raw::text(args.output.as_os_str()), "run": input, "calls": calls });
        console.result(&done, String::new)?;
    } else {
        console.say(&format!(
            "picture of {calls} calls of {input} written to {}",
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

type Scanned = (Clock, Extent, Dictionary);

fn draw(
    content: &Content,
    scanned: Scanned,
    mut facts: PictureFacts,
    window: Option<Range<u64>>,
) -> Result<String, PatternError> {
    let settings = Settings {
        prices: facts.prices.clone(),
        ..Settings::default()
    };
    let found = analyse(|| content.open(), settings)?;
    facts.analysis = serde_json::to_value(&found).unwrap_or_default();
    let kinds = scanned.2.kinds.len();
    let shapes = || found.recurrent.iter().map(|one| one.shape.as_ref());
    let wanted = shapes().map(|shape| PictureMark {
        kinds: shape.map(Shape::kinds).unwrap_or_default(),
    });
    let mut finder = Finder::new(shapes(), kinds);
    let mut picture = Picture::new(scanned, wanted.collect(), window, Budget::default());
    let mut events = Vec::new();
    for block in Reader::new(content.open()?)? {
        block.decode(&mut events)?;
        picture.block(block.place, block.first, &events);
        finder.block(block.place.thread, block.first, &events, &mut |one| {
            picture.mark(one.shape, one.thread, &one.events);
        });
    }
    finder.finish(&mut |one| picture.mark(one.shape, one.thread, &one.events));
    Ok(picture.finish(&facts))
}
