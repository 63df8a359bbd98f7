//! `pricetag patterns`: what a sequence of invocations looks like.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pricetag_events::text::{TextError, import};
use pricetag_pattern::{PatternError, Patterns, Settings, analyse};
use serde_json::json;

use crate::arguments::PatternsArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Names of the two texts.
const TEXTS: [&str; 2] = ["static.txt", "dynamic.txt"];

/// How files of events end.
const ENDING: &str = "events";

pub fn run(args: &PatternsArgs, console: &Console) -> Result<ExitCode, Failure> {
    let settings = Settings {
        window: args.window,
        longest_loop: usize::from(args.max_loop),
        slices: usize::from(args.slices),
        per_thread: args.per_thread,
        ..Settings::default()
    };
    let mut found: Vec<(PathBuf, Patterns)> = Vec::new();
    for source in sources(&args.path)? {
        let doing = format!("analysing {}", source.path().display());
        let patterns = source
            .analyse(settings.clone())
            .map_err(|failure| failure.doing(doing))?;
        found.push((source.path().to_owned(), patterns));
    }
    let answer: Vec<_> = found
        .iter()
        .map(|(path, patterns)| json!({ "path": path.to_string_lossy(), "patterns": patterns }))
        .collect();
    console.result(&json!({ "schema": 1, "files": answer }), || {
        let texts = found.iter().map(|(path, patterns)| match found.len() {
            1 => patterns.to_string(),
            _ => format!("{}\n\n{patterns}", path.display()),
        });
        texts.collect::<Vec<_>>().join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

enum Source {
    Events(PathBuf),
    /// The folder of the two texts.
    Texts(PathBuf),
}

impl Source {
    fn path(&self) -> &Path {
        match self {
            Self::Events(path) | Self::Texts(path) => path,
        }
    }

    fn analyse(&self, settings: Settings) -> Result<Patterns, Failure> {
        match self {
            Self::Events(path) => {
                let open = || File::open(path).map(|file| BufReader::with_capacity(1 << 18, file));
                analyse(open, settings).map_err(|e| not_analysed(&e))
            }
            Self::Texts(folder) => {
                let [facts, dynamic] = TEXTS.map(|name| folder.join(name));
                let unreadable = |path: &Path, e: &std::io::Error| {
                    Failure::new(format!("{} cannot be read: {e}", path.display()))
                        .advice("give a folder that holds static.txt and dynamic.txt")
                };
                let text = std::fs::read_to_string(&facts).map_err(|e| unreadable(&facts, &e))?;
                let events = File::open(&dynamic).map_err(|e| unreadable(&dynamic, &e))?;
                let file = import(&text, BufReader::new(events))
                    .map_err(|e: TextError| Failure::new(e.to_string()))?;
                analyse(|| Ok(Cursor::new(&file)), settings).map_err(|e| not_analysed(&e))
            }
        }
    }
}

fn not_analysed(error: &PatternError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        PatternError::Hierarchy(_) => failure.advice("correct the classes of the recording"),
        PatternError::File(_) | PatternError::UnknownKind(_) => {
            failure.advice("give a file of events, or a folder with static.txt and dynamic.txt")
        }
        PatternError::Io(_) => failure,
    }
}

/// What is at a path.
fn sources(path: &Path) -> Result<Vec<Source>, Failure> {
    let named = |name: &str| path.file_name().is_some_and(|n| n == name);
    if TEXTS.iter().any(|name| named(name)) {
        let folder = path.parent().unwrap_or(Path::new("."));
        return Ok(vec![Source::Texts(folder.to_owned())]);
    }
    if !path.is_dir() {
        return Ok(vec![Source::Events(path.to_owned())]);
    }
    if TEXTS.iter().all(|name| path.join(name).exists()) {
        return Ok(vec![Source::Texts(path.to_owned())]);
    }
    let unreadable = |e| Failure::new(format!("{} cannot be read: {e}", path.display()));
    let mut files = Vec::new();
    for folder in [path.to_owned(), path.join(ENDING)] {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let fits = file.extension().is_some_and(|e| e == ENDING)
                || file.file_name().is_some_and(|n| n == ENDING);
            if fits && file.is_file() {
                files.push(file);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(
            Failure::new(format!("{} holds no events", path.display())).advice(
                "give a folder with files named *.events, or with static.txt and dynamic.txt",
            ),
        );
    }
    Ok(files.into_iter().map(Source::Events).collect())
}
