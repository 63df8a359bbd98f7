//! `pricetag patterns`: what a sequence of invocations looks like.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pricetag_cost_model::{CostModel, MethodKey};
use pricetag_dataset::{Dataset, directory};
use pricetag_events::Reader;
use pricetag_events::text::{TextError, import};
use pricetag_explain::prices_of_invocations;
use pricetag_pattern::{PatternError, Patterns, Settings, analyse};
use serde_json::json;

use crate::analysis::{open_dataset, open_model};
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
    let recording = Recording::of(args)?;
    let mut found: Vec<(String, Patterns)> = Vec::new();
    for source in sources(&args.path)? {
        let doing = || format!("analysing {}", source.path().display());
        let run = recording.as_ref().and_then(|all| all.run(source.path()));
        let prices = match (&run, &source) {
            (Some(run), Source::Events(path)) => run.prices(path).map_err(|f| f.doing(doing()))?,
            _ => None,
        };
        let settings = Settings {
            prices,
            ..settings.clone()
        };
        let patterns = source.analyse(settings).map_err(|f| f.doing(doing()))?;
        let shown = run.map_or_else(
            || source.path().display().to_string(),
            |run| run.label.to_owned(),
        );
        found.push((shown, patterns));
    }
    let answer: Vec<_> = found
        .iter()
        .map(|(input, patterns)| json!({ "input": input, "patterns": patterns }))
        .collect();
    console.result(&json!({ "schema": 1, "files": answer }), || {
        let texts = found.iter().map(|(path, patterns)| match found.len() {
            1 => patterns.to_string(),
            _ => format!("{path}\n\n{patterns}"),
        });
        texts.collect::<Vec<_>>().join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The dataset that events belong to, and a model of it.
struct Recording {
    dataset: Dataset,
    model: Option<CostModel>,
}

/// One of its runs.
struct Run<'r> {
    label: &'r str,
    row: usize,
    recording: &'r Recording,
}

impl Recording {
    /// None if the path is no dataset.
    fn of(args: &PatternsArgs) -> Result<Option<Self>, Failure> {
        if !directory::exists(&args.path) {
            return match args.model {
                Some(_) => Err(Failure::usage(
                    "a model has prices for the runs of its dataset alone",
                )
                .advice("give the dataset, or leave --model out")),
                None => Ok(None),
            };
        }
        let own = args.path.join("model.json");
        let model = args.model.clone().or_else(|| own.exists().then_some(own));
        let model = model.map(|path| open_model(&path)).transpose()?;
        let dataset = open_dataset(&args.path)?;
        Ok(Some(Self { dataset, model }))
    }

    /// The run whose events a file of the dataset holds.
    fn run(&self, file: &Path) -> Option<Run<'_>> {
        let row: usize = file.file_stem()?.to_str()?.parse().ok()?;
        let observation = self.dataset.observations.get(row)?;
        // With a scope rows are invocations, of several runs.
        let of_processes = self.dataset.meta.scope == "main";
        of_processes.then_some(Run {
            label: &observation.label,
            row,
            recording: self,
        })
    }
}

impl Run<'_> {
    /// Nanoseconds per invocation of each method of a file, if the model says so: a method that is charged nothing costs nothing.
    fn prices(&self, file: &Path) -> Result<Option<Vec<f64>>, Failure> {
        let Some(model) = self
            .recording
            .model
            .as_ref()
            .filter(|model| model.unit == "ns")
        else {
            return Ok(None);
        };
        let prices = prices_of_invocations(model, &self.recording.dataset, self.row);
        if prices.is_empty() {
            return Ok(None);
        }
        let unreadable =
            |e: &dyn std::fmt::Display| Failure::new(format!("{}: {e}", file.display()));
        let opened = File::open(file).map_err(|e| unreadable(&e))?;
        let mut reader = Reader::new(BufReader::new(opened)).map_err(|e| unreadable(&e))?;
        reader.by_ref().for_each(drop);
        let dictionary = reader.into_dictionary();
        let priced = dictionary.methods.iter().map(|method| {
            let key = MethodKey {
                class: dictionary.class_name(method.class),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
            };
            prices.get(&key).copied().unwrap_or(0.0)
        });
        Ok(Some(priced.collect()))
    }
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
    // By number, where they have one.
    let number = |file: &PathBuf| {
        file.file_stem()
            .and_then(|n| n.to_str()?.parse::<u64>().ok())
    };
    files.sort_by_key(|file| (number(file), file.clone()));
    if files.is_empty() {
        return Err(
            Failure::new(format!("{} holds no events", path.display())).advice(
                "record with `--features calls`; or give a folder with files named *.events, or with static.txt and dynamic.txt",
            ),
        );
    }
    Ok(files.into_iter().map(Source::Events).collect())
}
