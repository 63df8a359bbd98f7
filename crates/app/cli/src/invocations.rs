//! Where sequences of invocations come from: a dataset and its runs, files of events, the paper's two texts.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use pricetag_cost_model::{CostModel, MethodKey};
use pricetag_dataset::{Dataset, directory};
use pricetag_events::text::{TextError, import};
use pricetag_events::{Reader, ScopeCall, scope_calls};
use pricetag_explain::prices_of_invocations;
use pricetag_pattern::PatternError;

use crate::analysis::{open_dataset, open_model};
use crate::failure::Failure;

/// Names of the two texts.
pub const TEXTS: [&str; 2] = ["static.txt", "dynamic.txt"];

/// How files of events end.
const ENDING: &str = "events";

/// The dataset that events belong to, and a model of it.
pub struct Recording {
    pub dataset: Dataset,
    model: Option<CostModel>,
}

/// One of its runs.
pub struct Run<'r> {
    pub label: &'r str,
    row: usize,
    recording: &'r Recording,
}

impl Recording {
    /// Of what is at a path, with the prices of a model, the dataset's own by default; none if the path is no dataset.
    pub fn of(path: &Path, model: Option<&Path>) -> Result<Option<Self>, Failure> {
        if !directory::exists(path) {
            return match model {
                Some(_) => Err(Failure::usage(
                    "a model has prices for the runs of its dataset alone",
                )
                .advice("give the dataset, or leave --model out")),
                None => Ok(None),
            };
        }
        let own = path.join("model.json");
        let model = model.map(Path::to_owned);
        let model = model.or_else(|| own.exists().then_some(own));
        let model = model.map(|path| open_model(&path)).transpose()?;
        let dataset = open_dataset(path)?;
        Ok(Some(Self { dataset, model }))
    }

    /// The run whose events a file of the dataset holds.
    pub fn run(&self, file: &Path) -> Option<Run<'_>> {
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
    pub fn prices(&self, file: &Path) -> Result<Option<Vec<f64>>, Failure> {
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

/// A sequence.
pub enum Source {
    Events(PathBuf),
    /// The folder of the two texts.
    Texts(PathBuf),
}

impl Source {
    pub fn path(&self) -> &Path {
        match self {
            Self::Events(path) | Self::Texts(path) => path,
        }
    }

    /// What can be opened as often as it is read.
    pub fn content(&self) -> Result<Content, Failure> {
        match self {
            Self::Events(path) => Ok(Content::File(path.clone())),
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
                Ok(Content::Bytes(file))
            }
        }
    }

    /// Which run of its dataset it is, and what its calls cost there.
    pub fn run<'r>(
        &self,
        recording: Option<&'r Recording>,
    ) -> Result<(String, Option<Vec<f64>>), Failure> {
        let run: Option<Run<'r>> = recording.and_then(|all| all.run(self.path()));
        let prices = match (&run, self) {
            (Some(run), Self::Events(path)) => run.prices(path)?,
            _ => None,
        };
        let shown = self.path().display().to_string();
        Ok((run.map_or(shown, |run| run.label.to_owned()), prices))
    }
}

/// Refuses a part that begins behind the last call.
pub fn within(part: &Range<u64>, calls: u64) -> Result<(), Failure> {
    if part.start < calls {
        return Ok(());
    }
    let why = format!(
        "the recording has {calls} calls, and the part begins at {}",
        part.start
    );
    Err(Failure::usage(why).advice("choose a part within it"))
}

/// A file of events.
pub enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Content {
    /// From its beginning.
    pub fn open(&self) -> std::io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::File(path) => Box::new(BufReader::with_capacity(1 << 18, File::open(path)?)),
            Self::Bytes(bytes) => Box::new(Cursor::new(bytes)),
        })
    }

    /// Calls of a scope, where the recording is of one. Events are not decoded.
    pub fn scope_calls(&self) -> Result<Vec<ScopeCall>, PatternError> {
        let mut reader = Reader::new(self.open()?)?;
        reader.by_ref().for_each(drop);
        Ok(scope_calls(reader.marks()))
    }
}

/// The sequence of one run: by its input, by its number from 1, or the first one; and how many there are.
pub fn one_of(
    path: &Path,
    recording: Option<&Recording>,
    wanted: Option<&str>,
) -> Result<(Source, usize), Failure> {
    let mut all = sources(path)?;
    let count = all.len();
    let named = |source: &Source| {
        let run = recording.and_then(|all| all.run(source.path()));
        run.map_or_else(
            || source.path().display().to_string(),
            |run| run.label.to_owned(),
        )
    };
    let Some(wanted) = wanted else {
        return Ok((all.remove(0), count));
    };
    let names: Vec<String> = all.iter().map(named).collect();
    let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1);
    let place = names.iter().position(|name| name == wanted);
    if let Some(at) = place.or_else(by_number).filter(|&at| at < count) {
        return Ok((all.swap_remove(at), count));
    }
    let some: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
    let why = format!("{} has no run `{wanted}`", path.display());
    Err(Failure::usage(why).advice(format!(
        "give a number from 1 to {count}, or one of: {}",
        some.join(", ")
    )))
}

/// Why there are no answers.
pub fn not_analysed(error: &PatternError) -> Failure {
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
pub fn sources(path: &Path) -> Result<Vec<Source>, Failure> {
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
