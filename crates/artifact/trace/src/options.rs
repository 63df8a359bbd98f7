//! What the agent is asked to do: written by the runner to a small text file, named to the agent by `-agentpath:LIB=FILE`.
//!
//! One `key=value` per line; keys that are lists are repeated; empty lines and lines that begin with `#` are skipped; an
//! unknown key is an error, so that a runner and an agent of different versions notice. In values, `\\` stands for a
//! backslash, `\n` and `\r` for line ends, and `\xHH` for any byte (paths need not be UTF-8). Nothing else is special:
//! `=`, quotes and blanks stand for themselves.
//!
//! ```text
//! mode=count
//! trace=/data/run-7.trace
//! plans=/data/plans
//! rewritten=/data/rewritten
//! include=org.example.**
//! exclude=org.example.gen.**
//! scope=org.example.Search#query(Ljava/lang/String;)I
//! count-jdk=false
//! keep=org/example/Search.best([I)I
//! keep-block=org.example.Search.best(int[]) block 3 (Search.java:6-7)
//! skip=org/example/Search.score([II)I
//! skip=org/example/Search.best([I)I@14
//! ```

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::calls::{CallChoice, Calls};
use crate::listed::{BlockName, KEEP, KEEP_BLOCK, Listed};
use crate::pattern::Pattern;
use crate::scope::Scope;
use crate::skip::{MethodName, Region};

/// What a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Count every control-flow edge of the subject's classes.
    Count,
    /// Measure costs; no counters.
    Time,
    /// Count every executed bytecode by single-stepping: the oracle of the tests. `trace` then names a text file with
    /// lines `class TAB method TAB descriptor TAB pc TAB count`, class names internal, sorted as text, except that
    /// `pc` is sorted as a number.
    Step,
    /// Time every execution of every block with two readings of the clock: an inaccurate baseline. `scopes` then names the
    /// methods whose blocks are timed, all of the selected classes when it is empty.
    Blocks,
    /// Sample where processor time and allocated bytes go; no counters.
    Sample,
}

/// Everything the agent is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent choices")]
pub struct AgentOptions {
    /// What to record.
    pub mode: Mode,
    /// Where to; the file must not exist or be empty.
    pub trace: PathBuf,
    /// Directory of probe plans; needed for [`Mode::Count`] and [`Mode::Blocks`].
    pub plans: Option<PathBuf>,
    /// Directory in which rewritten classes are kept, for runs with the same options and plans to take instead of rewriting them again; none if they are not to be. The
    /// directory of plans then serves runs with these options alone. A short run in [`Mode::Time`] puts classes there when it is over, as runs in [`Mode::Count`] with these options want them.
    pub rewritten: Option<PathBuf>,
    /// Classes to count; every class of the subject's own loaders when empty.
    pub include: Vec<Pattern>,
    /// Classes not to count; wins over `include`.
    pub exclude: Vec<Pattern>,
    /// Methods to observe; [`crate::Invocation::scope`] is an index into this list.
    pub scopes: Vec<Scope>,
    /// Whether classes of the boot and platform loaders that `include` matches are counted too.
    pub count_jdk: bool,
    /// What to count of the selected classes.
    pub keep: Listed,
    /// Methods that are left as they are, though their classes are counted, and loops that have no probes in methods that have; wins over `keep`.
    pub skip: BTreeSet<Region>,
    /// How many first values of every primitive variable are taken; none for 0. Only in [`Mode::Count`].
    pub values: u16,
    /// Whether lengths of arrays and strings and sizes of collections are taken, too.
    pub lengths: bool,
    /// Whether the depth is taken of every method that may be reached again while it is active, and not only by way of its own class.
    pub depths: bool,
    /// Whether changes of the outcome of conditional branches are counted. Only in [`Mode::Count`].
    pub transitions: bool,
    /// Whether array reads that leave a cache line are counted. Only in [`Mode::Count`].
    pub strides: bool,
    /// Whether the counters are looked at while the run goes on, with method scopes while invocations do, to learn when each is final. Only in
    /// [`Mode::Count`].
    pub progress: bool,
    /// Methods and loops in which no values are taken.
    pub skip_values: BTreeSet<Region>,
    /// Whether exceptions are counted by class at the handlers where they arrive. Only in [`Mode::Count`].
    pub caught: bool,
    /// Whether passes of loops are counted by calling method, too. Only in [`Mode::Count`].
    pub callers: bool,
    /// Whether invocations of methods are. Only in [`Mode::Count`].
    pub invocations: bool,
    /// Whether every invocation is written down, in order. Only in [`Mode::Count`].
    pub calls: Option<Calls>,
}

/// What is wrong with an options file.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// The operating system said no.
    #[error("cannot {action} agent options {path}: {source}")]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A line without `=`.
    #[error("agent options line {line}: expected key=value")]
    NoValue {
        /// Counted from 1.
        line: usize,
    },
    /// A key this version does not know.
    #[error("agent options line {line}: unknown key {key:?}")]
    UnknownKey {
        /// Counted from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// A key that may stand only once, twice.
    #[error("agent options line {line}: {key} is given twice")]
    Repeated {
        /// Counted from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// A value that means nothing.
    #[error("agent options line {line}: {key}: {reason}")]
    Value {
        /// Counted from 1.
        line: usize,
        /// The key.
        key: String,
        /// Why not.
        reason: String,
    },
    /// Methods are listed, and blocks.
    #[error("agent options: keep and keep-block exclude each other")]
    TwoLists,
    /// A key that must be there.
    #[error("agent options: {key} is missing")]
    Missing {
        /// The key.
        key: &'static str,
    },
}

impl AgentOptions {
    /// Whether anything is counted by the method that called.
    pub fn by_caller(&self) -> bool {
        self.callers || self.invocations
    }

    /// Options with empty lists.
    pub fn new(mode: Mode, trace: impl Into<PathBuf>) -> Self {
        Self {
            mode,
            trace: trace.into(),
            plans: None,
            rewritten: None,
            include: Vec::new(),
            exclude: Vec::new(),
            scopes: Vec::new(),
            count_jdk: false,
            keep: Listed::Everything,
            skip: BTreeSet::new(),
            values: 0,
            lengths: false,
            depths: false,
            transitions: false,
            strides: false,
            progress: false,
            skip_values: BTreeSet::new(),
            caught: false,
            callers: false,
            invocations: false,
            calls: None,
        }
    }

    /// Whether the patterns and the list select a class, given its dotted name.
    pub fn selects(&self, class: &str) -> bool {
        self.keep.names_class(&class.replace('.', "/"))
            && (self.include.is_empty()
                || self.include.iter().any(|pattern| pattern.matches(class)))
            && !self.exclude.iter().any(|pattern| pattern.matches(class))
    }

    /// The trace that the JVM with this process id writes: `%p` in the file's name stands for it, so that a server can be
    /// started again with the same options.
    pub fn trace_of(&self, pid: u32) -> PathBuf {
        match self.trace.file_name().and_then(|name| name.to_str()) {
            Some(name) if name.contains("%p") => {
                let name = name.replace("%p", &pid.to_string());
                self.trace.with_file_name(name)
            }
            _ => self.trace.clone(),
        }
    }

    /// A snapshot beside a trace, counted from 1: what a running JVM writes when it is asked for a data dump.
    pub fn snapshot_of(trace: &Path, number: u32) -> PathBuf {
        let mut name = trace.as_os_str().to_owned();
        name.push(format!(".snapshot-{number}"));
        name.into()
    }

    /// A snapshot of a run under way, taken after so many intervals.
    pub fn progress_of(trace: &Path, intervals: u64) -> PathBuf {
        let mut name = trace.as_os_str().to_owned();
        name.push(format!(".progress-{intervals:012}"));
        name.into()
    }

    /// The snapshots of a run that [`AgentOptions::progress_of`] names, in their order.
    pub fn progress_files(trace: &Path) -> std::io::Result<Vec<PathBuf>> {
        let (Some(folder), Some(name)) = (trace.parent(), trace.file_name()) else {
            return Ok(Vec::new());
        };
        let prefix = [name.as_bytes(), b".progress-"].concat();
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let name = entry?.file_name();
            let number = name.as_bytes().strip_prefix(prefix.as_slice());
            if number.is_some_and(|n| n.iter().all(u8::is_ascii_digit)) {
                found.push(folder.join(name));
            }
        }
        found.sort();
        Ok(found)
    }

    /// The options as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &[u8]| {
            let _ = writeln!(text, "{key}={}", escape(value));
        };
        line("mode", self.mode.to_string().as_bytes());
        line("trace", self.trace.as_os_str().as_bytes());
        if let Some(plans) = &self.plans {
            line("plans", plans.as_os_str().as_bytes());
        }
        if let Some(rewritten) = &self.rewritten {
            line("rewritten", rewritten.as_os_str().as_bytes());
        }
        for pattern in &self.include {
            line("include", pattern.as_str().as_bytes());
        }
        for pattern in &self.exclude {
            line("exclude", pattern.as_str().as_bytes());
        }
        for scope in &self.scopes {
            line("scope", scope.to_string().as_bytes());
        }
        line("count-jdk", self.count_jdk.to_string().as_bytes());
        for (kind, name) in self.keep.names() {
            line(kind, name.as_bytes());
        }
        for region in &self.skip {
            line("skip", region.to_string().as_bytes());
        }
        if self.values > 0 {
            line("values", self.values.to_string().as_bytes());
            line("lengths", self.lengths.to_string().as_bytes());
            line("depths", self.depths.to_string().as_bytes());
        }
        if self.transitions {
            line("transitions", b"true");
        }
        if self.strides {
            line("strides", b"true");
        }
        if self.progress {
            line("progress", b"true");
        }
        if self.caught {
            line("caught", b"true");
        }
        if self.callers {
            line("callers", b"true");
        }
        if self.invocations {
            line("invocations", b"true");
        }
        if let Some(calls) = &self.calls {
            line("calls", calls.file.as_os_str().as_bytes());
            line("calls-which", calls.which.to_string().as_bytes());
        }
        for region in &self.skip_values {
            line("skip-values", region.to_string().as_bytes());
        }
        text
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<(), OptionsError> {
        std::fs::write(path, self.to_text()).map_err(|source| OptionsError::Io {
            action: "write",
            path: path.to_path_buf(),
            source,
        })
    }

    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, OptionsError> {
        std::fs::read_to_string(path)
            .map_err(|source| OptionsError::Io {
                action: "read",
                path: path.to_path_buf(),
                source,
            })?
            .parse()
    }
}

impl FromStr for AgentOptions {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut mode, mut trace, mut plans, mut count_jdk) = (None, None, None, None);
        let mut rewritten = None;
        let (mut include, mut exclude, mut scopes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut keep, mut keep_blocks) = (Vec::new(), Vec::new());
        let (mut skip, mut skip_values) = (Vec::new(), Vec::new());
        let (mut values, mut lengths, mut depths, mut progress) = (None, None, None, None);
        let (mut transitions, mut strides, mut caught) = (None, None, None);
        let (mut callers, mut invocations) = (None, None);
        let (mut calls, mut which) = (None, None);
        for (number, content) in text.lines().enumerate() {
            let line = number + 1;
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let (key, raw) = content
                .split_once('=')
                .ok_or(OptionsError::NoValue { line })?;
            let bad = |reason: String| OptionsError::Value {
                line,
                key: key.to_owned(),
                reason,
            };
            let bytes = unescape(raw).map_err(bad)?;
            let path = || PathBuf::from(OsString::from_vec(bytes.clone()));
            let utf8 = || String::from_utf8(bytes.clone()).map_err(|error| bad(error.to_string()));
            let fresh = match key {
                "mode" => once(&mut mode, parse::<Mode>(&utf8()?).map_err(bad)?),
                "trace" => once(&mut trace, path()),
                "plans" => once(&mut plans, path()),
                "rewritten" => once(&mut rewritten, path()),
                "count-jdk" => once(&mut count_jdk, parse::<bool>(&utf8()?).map_err(bad)?),
                "include" => add(&mut include, parse::<Pattern>(&utf8()?).map_err(bad)?),
                "exclude" => add(&mut exclude, parse::<Pattern>(&utf8()?).map_err(bad)?),
                "scope" => add(&mut scopes, parse::<Scope>(&utf8()?).map_err(bad)?),
                KEEP => add(&mut keep, parse::<MethodName>(&utf8()?).map_err(bad)?),
                KEEP_BLOCK => add(&mut keep_blocks, parse::<BlockName>(&utf8()?).map_err(bad)?),
                "values" => once(&mut values, parse::<u16>(&utf8()?).map_err(bad)?),
                "progress" => once(&mut progress, parse::<bool>(&utf8()?).map_err(bad)?),
                "transitions" => once(&mut transitions, parse::<bool>(&utf8()?).map_err(bad)?),
                "strides" => once(&mut strides, parse::<bool>(&utf8()?).map_err(bad)?),
                "caught" => once(&mut caught, parse::<bool>(&utf8()?).map_err(bad)?),
                "callers" => once(&mut callers, parse::<bool>(&utf8()?).map_err(bad)?),
                "invocations" => once(&mut invocations, parse::<bool>(&utf8()?).map_err(bad)?),
                "calls" => once(&mut calls, path()),
                "calls-which" => once(&mut which, parse::<CallChoice>(&utf8()?).map_err(bad)?),
                "lengths" => once(&mut lengths, parse::<bool>(&utf8()?).map_err(bad)?),
                "depths" => once(&mut depths, parse::<bool>(&utf8()?).map_err(bad)?),
                "skip-values" => add(&mut skip_values, parse::<Region>(&utf8()?).map_err(bad)?),
                "skip" => add(&mut skip, parse::<Region>(&utf8()?).map_err(bad)?),
                _ => {
                    return Err(OptionsError::UnknownKey {
                        line,
                        key: key.to_owned(),
                    });
                }
            };
            if !fresh {
                return Err(OptionsError::Repeated {
                    line,
                    key: key.to_owned(),
                });
            }
        }
        let mode = mode.ok_or(OptionsError::Missing { key: "mode" })?;
        if matches!(mode, Mode::Count | Mode::Blocks) && plans.is_none() {
            return Err(OptionsError::Missing { key: "plans" });
        }
        Ok(Self {
            mode,
            trace: trace.ok_or(OptionsError::Missing { key: "trace" })?,
            plans,
            rewritten,
            include,
            exclude,
            scopes,
            count_jdk: count_jdk.unwrap_or(false),
            keep: Listed::of(keep, keep_blocks).ok_or(OptionsError::TwoLists)?,
            skip: skip.into_iter().collect(),
            values: values.unwrap_or(0),
            lengths: lengths.unwrap_or(false),
            depths: depths.unwrap_or(false),
            transitions: transitions.unwrap_or(false),
            strides: strides.unwrap_or(false),
            progress: progress.unwrap_or(false),
            skip_values: skip_values.into_iter().collect(),
            caught: caught.unwrap_or(false),
            callers: callers.unwrap_or(false),
            invocations: invocations.unwrap_or(false),
            calls: calls.map(|file| Calls {
                file,
                which: which.unwrap_or_default(),
            }),
        })
    }
}

/// Fills a slot; false if it was filled before.
fn once<T>(slot: &mut Option<T>, value: T) -> bool {
    slot.replace(value).is_none()
}

/// Adds to a list; lists may be repeated.
fn add<T>(list: &mut Vec<T>, value: T) -> bool {
    list.push(value);
    true
}

fn parse<T: FromStr<Err: fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn escape(value: &[u8]) -> String {
    let mut text = String::with_capacity(value.len());
    for chunk in value.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                _ => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let (value, used) = match rest {
            [b'\\', ..] => (b'\\', 1),
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b'x', high, low, ..] => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, 3),
                _ => return Err("\\x wants two hexadecimal digits".to_owned()),
            },
            _ => return Err("a backslash must be written \\\\".to_owned()),
        };
        bytes.push(value);
        rest = &rest[used..];
    }
    Ok(bytes)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "count",
            Self::Time => "time",
            Self::Step => "step",
            Self::Blocks => "blocks",
            Self::Sample => "sample",
        })
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "count" => Ok(Self::Count),
            "time" => Ok(Self::Time),
            "step" => Ok(Self::Step),
            "blocks" => Ok(Self::Blocks),
            "sample" => Ok(Self::Sample),
            _ => Err(format!(
                "{text:?} is none of count, time, step, blocks, sample"
            )),
        }
    }
}

#[cfg(test)]
mod tests;
