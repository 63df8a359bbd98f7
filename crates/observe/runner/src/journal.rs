//! What of a recording is finished, on disk, so that it can be resumed.
//!
//! `DIR/.recording/` holds `recording.json` (what is being recorded) and for each finished run a note `00012-count-0.json`
//! beside its trace. A note is written under another name, flushed and renamed only when its trace is complete, and
//! states the trace's length; anything else in the directory is a leftover of an interruption and is overwritten.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pricetag_dataset::secrets::without_secrets;
use pricetag_dataset::{Dataset, InputValue, Status, directory};
use pricetag_file::sealed::{self, Seal};
use pricetag_trace::{AgentOptions, Trace};
use serde::{Deserialize, Serialize};

use crate::error::RunnerError;
use crate::lock::Lock;
use crate::workload::Case;

/// Folder of unfinished recordings inside a dataset's directory.
pub const FOLDER: &str = ".recording";
/// Folder of probe plans.
const PLANS: &str = "plans";
/// Folder of what was written down of invocations, a file for each input, by its number.
pub const EVENTS: &str = "events";
/// What a recording may leave in a dataset's directory, beside the dataset's files.
const OURS: [&str; 5] = [FOLDER, PLANS, EVENTS, "runs.journal", ".next"];

/// One run of the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunKind {
    /// With counters; 0 is the one whose counts are used.
    Count(u32),
    /// Without counters.
    Time(u32),
    /// Without counters, sampled.
    Sample,
}

impl std::fmt::Display for RunKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(k) => write!(f, "counting run {}", k + 1),
            Self::Time(k) => write!(f, "timing run {}", k + 1),
            Self::Sample => f.write_str("sampled run"),
        }
    }
}

/// A run: which input, which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId {
    /// Index into the workload.
    pub case: usize,
    /// Kind.
    pub kind: RunKind,
}

impl RunId {
    fn stem(self) -> String {
        match self.kind {
            RunKind::Count(k) => format!("{:05}-count-{k}", self.case),
            RunKind::Time(k) => format!("{:05}-time-{k}", self.case),
            RunKind::Sample => format!("{:05}-sample", self.case),
        }
    }
}

/// Outcome of a finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunNote {
    /// Which.
    pub id: RunId,
    /// The input's label.
    pub label: String,
    /// Why it failed; none when it succeeded.
    pub failure: Option<String>,
    /// Length of its trace; none when it left none.
    pub trace_bytes: Option<u64>,
    /// From start to end of the process, ns.
    pub process_ns: u64,
    /// Things that happened, in words.
    pub remarks: Vec<String>,
    /// Whether the failure may be the recording's own (a full disk, say), so that resuming tries the run again.
    pub retry: bool,
}

/// What is being recorded; must be equal to be resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this format.
    pub schema: u32,
    /// The subject's command.
    pub command: Vec<String>,
    /// Options that shape the recording.
    pub options: BTreeMap<String, String>,
    /// Options that resuming may change.
    #[serde(default)]
    pub protocol: BTreeMap<String, String>,
    /// A digest of what `--env` sets, if it does.
    #[serde(default)]
    pub environment: Option<String>,
    /// The platform.
    pub platform: BTreeMap<String, String>,
    /// The files of the program, with digests ([`crate::program`]); none in recordings of 0.1.
    #[serde(default)]
    pub program: BTreeMap<String, String>,
    /// Whether there is a dataset that this recording replaces when it is finished.
    #[serde(default)]
    pub replaces: bool,
    /// The inputs.
    pub cases: Vec<Case>,
}

/// Version of [`Manifest`].
pub const MANIFEST_SCHEMA: u32 = 1;

/// The finished runs of a recording.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    folder: PathBuf,
    /// The dataset's directory, locked while this recording goes on.
    lock: Option<Lock>,
    /// Whether a dataset stands beside it until this recording is finished.
    replaces: bool,
}

impl Journal {
    /// Begins a recording in `dir`, or continues one. Refuses to overwrite anything unless told to; what it is to replace stays until it is finished
    /// ([`Self::close`]). Where no run or no observation has succeeded there is nothing to keep.
    pub fn open(
        dir: &Path,
        manifest: &Manifest,
        resume: bool,
        force: bool,
    ) -> Result<Self, RunnerError> {
        let mut journal = Self {
            dir: dir.to_owned(),
            folder: dir.join(FOLDER),
            lock: None,
            replaces: false,
        };
        if resume {
            journal.replaces = journal.check_same(manifest)?;
            journal.lock = Lock::on_dataset(dir)?;
            // It may be another version that goes on.
            remove(&journal.rewritten())?;
            journal.write(manifest)?;
            return Ok(journal);
        }
        let in_the_way = |what: &str, ours| RunnerError::OutputTaken {
            dir: dir.to_owned(),
            what: what.to_owned(),
            ours,
        };
        let taken = |what: &str| in_the_way(what, true);
        if dir.exists() && !dir.is_dir() {
            return Err(in_the_way("exists and is no directory", false));
        }
        if dir.exists() {
            journal.lock = Lock::on_dataset(dir)?;
        }
        if journal.has_finished_runs() && !force {
            return Err(taken("holds an unfinished recording"));
        }
        let succeeded = |dataset: &Dataset| {
            dataset
                .observations
                .iter()
                .any(|row| row.status == Status::Ok)
        };
        // What cannot be read may still be restored.
        let worth = directory::exists(dir)
            && pricetag_dataset::open(dir).map_or(true, |dataset| succeeded(&dataset));
        if worth && !force {
            return Err(taken("already holds a dataset"));
        }
        if let Some(stranger) = stranger(dir) {
            let what = format!("holds something that is no dataset (`{stranger}`)");
            return Err(in_the_way(&what, false));
        }
        journal.replaces = worth;
        let gone = OURS.iter().filter(|&&name| !worth || name == FOLDER);
        gone.map(|name| dir.join(name))
            .try_for_each(|path| remove(&path))?;
        for folder in [
            journal.folder.clone(),
            journal.plans(),
            journal.folder.join(EVENTS),
        ] {
            fs::create_dir_all(&folder).map_err(RunnerError::io("create", &folder))?;
        }
        if journal.lock.is_none() {
            journal.lock = Lock::on_dataset(dir)?;
        }
        journal.write(manifest)?;
        Ok(journal)
    }

    fn write(&self, manifest: &Manifest) -> Result<(), RunnerError> {
        let manifest = Manifest {
            replaces: self.replaces,
            ..manifest.clone()
        };
        write_json(&self.manifest_path(), &manifest)
    }

    /// Whether a dataset stands beside it until this recording is finished.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// The unfinished recording in `dir`, if there is one.
    ///
    /// # Errors
    /// If what says what is recorded cannot be read, or is not what was written.
    pub fn find(dir: &Path) -> Result<Option<(Self, Manifest)>, RunnerError> {
        let mut journal = Self {
            dir: dir.to_owned(),
            folder: dir.join(FOLDER),
            lock: None,
            replaces: false,
        };
        let path = journal.manifest_path();
        let damaged = |why: String| RunnerError::DamagedRecording {
            file: path.clone(),
            why,
        };
        let text = match fs::read_to_string(&path) {
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            read => read.map_err(|e| damaged(e.to_string()))?,
        };
        let manifest: Manifest = serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
        if sealed::check(&text) == Seal::Broken {
            return Err(damaged("its digest does not fit its contents".to_owned()));
        }
        journal.replaces = manifest.replaces;
        Ok(Some((journal, manifest)))
    }

    fn manifest_path(&self) -> PathBuf {
        self.folder.join("recording.json")
    }

    /// Checks that what is there is what is to be resumed; says whether it replaces a dataset.
    fn check_same(&self, now: &Manifest) -> Result<bool, RunnerError> {
        let Some((_, then)) = Self::find(&self.dir)? else {
            return Err(RunnerError::NothingToResume {
                dir: self.dir.clone(),
            });
        };
        let differs = |what: &str, recorded: String, now: String| {
            Err(RunnerError::ResumeMismatch {
                dir: self.dir.clone(),
                what: what.to_owned(),
                recorded,
                now,
            })
        };
        if then.schema != now.schema {
            return differs("format", then.schema.to_string(), now.schema.to_string());
        }
        // Of a secret it is not even kept whether it is the same.
        let command = without_secrets(&then.command);
        if command != now.command {
            return differs("the command", command.join(" "), now.command.join(" "));
        }
        // Recordings of 0.1 do not know it.
        let program = if then.program.is_empty() {
            &now.program
        } else {
            &then.program
        };
        for (kind, old, new) in [
            ("option", &then.options, &now.options),
            ("platform", &then.platform, &now.platform),
            ("the program's file", program, &now.program),
        ] {
            if let Some((name, a, b)) = first_difference(old, new) {
                return differs(&format!("{kind} `{name}`"), a, b);
            }
        }
        if then.environment != now.environment {
            let (then, now) = ("other values".to_owned(), "these".to_owned());
            return differs("what --env sets", then, now);
        }
        for (old, new) in then.cases.iter().zip(&now.cases) {
            if let Some((name, a, b)) = first_difference(&of_case(old), &of_case(new)) {
                return differs(&format!("{name} of input `{}`", old.label), a, b);
            }
        }
        let (old, new) = (then.cases.len(), now.cases.len());
        if old != new {
            return differs("the number of inputs", old.to_string(), new.to_string());
        }
        Ok(then.replaces)
    }

    /// Whether a run has succeeded, so that something would be lost.
    fn has_finished_runs(&self) -> bool {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let notes = entries.map(|entry| entry.path());
        let mut notes = notes.filter(|path| path.extension().is_some_and(|e| e == "json"));
        notes.any(|path| {
            let text = fs::read_to_string(path).unwrap_or_default();
            serde_json::from_str::<RunNote>(&text).is_ok_and(|note| note.failure.is_none())
        })
    }

    /// Where probe plans are kept.
    pub fn plans(&self) -> PathBuf {
        let place = if self.replaces {
            &self.folder
        } else {
            &self.dir
        };
        place.join(PLANS)
    }

    /// Where classes are kept as a counting run rewrote them, for the others; gone when the recording is done.
    pub fn rewritten(&self) -> PathBuf {
        self.folder.join("rewritten")
    }

    /// Where a run's trace goes.
    pub fn trace(&self, id: RunId) -> PathBuf {
        self.folder.join(format!("{}.trace", id.stem()))
    }

    /// Where the invocations of an input go, if they are written down: in the first counting run.
    pub fn calls(&self, id: RunId) -> PathBuf {
        self.folder.join(EVENTS).join(format!("{}.events", id.case))
    }

    /// Where a run's agent options go.
    pub fn options(&self, id: RunId) -> PathBuf {
        self.folder.join(format!("{}.options", id.stem()))
    }

    /// Where the JVM of a sampled run logs what it compiles.
    pub fn compilations(&self, id: RunId) -> PathBuf {
        self.folder.join(format!("{}.compilations", id.stem()))
    }

    /// Where the JVM writes when it crashes.
    pub fn crash_log(&self, id: RunId) -> PathBuf {
        self.folder.join(format!("{}.crash", id.stem()))
    }

    fn note_path(&self, id: RunId) -> PathBuf {
        self.folder.join(format!("{}.json", id.stem()))
    }

    /// Where it is kept which loops and methods are not counted for the overhead budget.
    pub fn budget(&self) -> PathBuf {
        self.folder.join("budget.json")
    }

    /// Where runs leave their files that find this out.
    pub fn trials(&self) -> PathBuf {
        self.folder.join("trials")
    }

    /// Makes way for a run: removes what an interrupted one left.
    pub fn clear(&self, id: RunId) -> Result<(), RunnerError> {
        let trace = self.trace(id);
        // Snapshots are looked for in a folder of all runs, so only where there can be some.
        if trace.exists() {
            let looks = AgentOptions::progress_files(&trace)
                .map_err(RunnerError::io("look for snapshots of", &trace))?;
            looks.iter().try_for_each(|look| remove(look))?;
        }
        for path in [
            trace,
            self.note_path(id),
            self.crash_log(id),
            self.compilations(id),
        ] {
            remove(&path)?;
        }
        // It is the input's, and only this run makes it.
        if id.kind == RunKind::Count(0) {
            remove(&self.calls(id))?;
        }
        Ok(())
    }

    /// Declares a run finished.
    pub fn finish(&self, note: &RunNote) -> Result<(), RunnerError> {
        remove(&self.options(note.id))?;
        write_json(&self.note_path(note.id), note)
    }

    /// A run that is finished, if its note is whole and its trace is as long as the note says.
    pub fn finished(&self, id: RunId, label: &str) -> Option<RunNote> {
        let text = fs::read_to_string(self.note_path(id)).ok()?;
        let note: RunNote = serde_json::from_str(&text).ok()?;
        if sealed::check(&text) == Seal::Broken {
            return None;
        }
        let length = fs::metadata(self.trace(id)).ok().map(|m| m.len());
        let sound = note.trace_bytes.is_none() || note.trace_bytes == length;
        (note.id == id && note.label == label && sound).then_some(note)
    }

    /// The trace of a run that succeeded.
    ///
    /// # Errors
    /// What is wrong with it, in words: nothing that was written stays whole for ever.
    pub fn whole(&self, id: RunId) -> Result<Trace, String> {
        let trace =
            Trace::read(&self.trace(id)).map_err(|e| format!("the trace is unreadable: {e}"))?;
        match trace.incomplete_reason() {
            Some(why) => Err(format!("the trace is incomplete: {why}")),
            None => Ok(trace),
        }
    }

    /// Removes a recording that is of no use.
    pub fn abandon(self) -> Result<(), RunnerError> {
        remove(&self.folder)
    }

    /// Removes the notes and traces of a recording whose dataset is written; what it wrote down of invocations, and its plans, take the place of those of the dataset that it replaces.
    pub fn close(self) -> Result<(), RunnerError> {
        let (new, place) = (self.folder.join(EVENTS), self.dir.join(EVENTS));
        remove(&place)?;
        let any = fs::read_dir(&new).is_ok_and(|mut entries| entries.next().is_some());
        if any {
            fs::rename(&new, &place).map_err(RunnerError::io("put in place", &new))?;
        }
        let (new, place) = (self.plans(), self.dir.join(PLANS));
        if self.replaces {
            remove(&place)?;
            fs::rename(&new, &place).map_err(RunnerError::io("put in place", &new))?;
        }
        remove(&self.folder)
    }
}

pub(crate) fn first_difference(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Option<(String, String, String)> {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let shown = |text: &str| match text.split_once('\n') {
        Some((first, rest)) => format!("`{first} …` ({} lines)", 1 + rest.lines().count()),
        None => format!("`{text}`"),
    };
    let value = |map: &BTreeMap<String, String>, name: &String| {
        map.get(name)
            .map_or_else(|| "nothing".to_owned(), |v| shown(v))
    };
    names
        .into_iter()
        .find(|&n| old.get(n) != new.get(n))
        .map(|n| (n.clone(), value(old, n), value(new, n)))
}

/// What is known of an input, by name.
fn of_case(case: &Case) -> BTreeMap<String, String> {
    let inputs = case.inputs.iter().map(|(name, value)| {
        let text = match value {
            InputValue::Number(number) => number.to_string(),
            InputValue::Text(text) => text.clone(),
        };
        (name.clone(), text)
    });
    let bindings = case
        .bindings
        .iter()
        .map(|(name, text)| (format!("{{{name}}}"), text.clone()));
    let label = ("the label".to_owned(), case.label.clone());
    inputs.chain(bindings).chain([label]).collect()
}

/// An entry of the directory that no recording makes. Names such as `plans` are ours only where a recording or a dataset is.
fn stranger(dir: &Path) -> Option<String> {
    let entries = fs::read_dir(dir).ok()?;
    let names = entries
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned());
    // A model and a report may stand beside the data they were made from.
    let ours = dir.join(FOLDER).exists() || dir.join("meta.json").exists();
    let known = |n: &str| {
        (ours && (OURS.contains(&n) || directory::FILES.contains(&n)))
            || matches!(
                Path::new(n).extension().and_then(|e| e.to_str()),
                Some("json" | "html")
            )
            || n.starts_with('.')
    };
    names.filter(|n| !known(n)).min()
}

pub(crate) fn remove(path: &Path) -> Result<(), RunnerError> {
    let result = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match result {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(RunnerError::io("remove", path)(e)),
        _ => Ok(()),
    }
}

/// Writes it whole or not at all, sealed.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunnerError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| RunnerError::io("write", path)(e.into()))?;
    pricetag_file::write(path, sealed::seal(&text).as_bytes())
        .map_err(RunnerError::io("write", path))
}

#[cfg(test)]
mod tests;
