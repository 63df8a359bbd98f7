//! Why a command failed: what was being done, to what, why, and what to try; with its exit code.

use std::io::ErrorKind;

use pricetag_dataset::{DatasetError, lacks_room};
use pricetag_finding::table::printable_lines;
use pricetag_predict::PredictError;
use serde_json::json;

/// Exit code of a failure.
pub const FAILED: u8 = 1;
/// Exit code of wrong usage.
pub const USAGE: u8 = 2;
/// Exit code of an exceeded bound, such as an overhead budget that counting cannot keep.
pub const EXCEEDED: u8 = 3;

/// A command that did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was being done, to what.
    pub doing: Option<String>,
    /// Why it failed.
    pub why: String,
    /// What to try.
    pub advice: Option<String>,
    /// The process's exit code.
    pub code: u8,
}

impl Failure {
    /// A failure of the world.
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            doing: None,
            why: why.into(),
            advice: None,
            code: FAILED,
        }
    }

    /// A mistake in the command line.
    pub fn usage(why: impl Into<String>) -> Self {
        Self {
            code: USAGE,
            ..Self::new(why)
        }
    }

    /// A command line that is not understood.
    pub fn of_usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let mut parts = text
            .trim_start_matches("error: ")
            .split("\n\n")
            .map(str::trim);
        let why = parts.next().unwrap_or_default();
        let usage = parts.find(|part| part.starts_with("Usage: "));
        let advice = usage.map_or("see --help".to_owned(), |usage| {
            format!("{usage}; see --help")
        });
        Self::usage(why).advice(advice)
    }

    /// Says what was being done.
    pub fn doing(mut self, doing: impl Into<String>) -> Self {
        self.doing.get_or_insert(doing.into());
        self
    }

    /// Says what to try.
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice.get_or_insert(advice.into());
        self
    }

    /// As a person reads it: colours are ours alone, whatever the names in it are.
    pub fn text(&self, color: bool) -> String {
        let (red, bold, off) = if color {
            ("\x1b[1;31m", "\x1b[1m", "\x1b[0m")
        } else {
            ("", "", "")
        };
        let doing = self
            .doing
            .as_ref()
            .map(|d| format!("{}: ", printable_lines(d)))
            .unwrap_or_default();
        let advice = self
            .advice
            .as_ref()
            .map(|a| format!("\n  {bold}try{off}: {}", printable_lines(a)))
            .unwrap_or_default();
        let why = printable_lines(&self.why);
        format!("{red}error{off}: {doing}{why}{advice}")
    }

    /// As a program reads it.
    pub fn json(&self) -> serde_json::Value {
        json!({ "schema": 1, "error": { "doing": self.doing, "why": self.why, "advice": self.advice, "exit_code": self.code } })
    }
}

impl From<pricetag_runner::RunnerError> for Failure {
    fn from(error: pricetag_runner::RunnerError) -> Self {
        let advice = error.advice();
        let code = if error.is_usage() {
            USAGE
        } else if error.is_bound_exceeded() {
            EXCEEDED
        } else {
            FAILED
        };
        Self {
            doing: None,
            why: error.to_string(),
            advice,
            code,
        }
    }
}

/// Errors whose text says it all.
macro_rules! plain {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::new(error.to_string())
            }
        })*
    };
}

plain!(
    pricetag_report::figures::FigureError,
    pricetag_explain::ExplainError,
    pricetag_compare::CompareError,
    pricetag_trace::TraceError,
);

/// What to try when a file cannot be written.
fn place_advice(storage_full: bool) -> &'static str {
    if storage_full {
        "free some space, or choose a place that has more"
    } else {
        "choose a place you may write to"
    }
}

impl From<pricetag_cost_model::ModelError> for Failure {
    fn from(error: pricetag_cost_model::ModelError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            pricetag_cost_model::ModelError::Io {
                action: "write",
                source,
                ..
            } => failure.advice(place_advice(lacks_room(&source))),
            _ => failure,
        }
    }
}

impl From<pricetag_cost_model::ListError> for Failure {
    fn from(error: pricetag_cost_model::ListError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            pricetag_cost_model::ListError::Io {
                action: "write",
                source,
                ..
            } => failure.advice(place_advice(lacks_room(&source))),
            _ => failure,
        }
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        if error.is_storage_full() {
            return Self::new(error.to_string()).advice(place_advice(true));
        }
        let text = error.to_string();
        let advice = match &error {
            DatasetError::Cell { remedy, .. } => {
                let why = text.strip_suffix(&format!("; {remedy}")).unwrap_or(&text);
                return Self::new(why).advice(remedy);
            }
            DatasetError::Io {
                action: "read",
                source,
                ..
            } => reading_advice(source),
            DatasetError::TooLarge { .. } => {
                "allow more with --table-memory, such as --table-memory 8G, or leave rows or columns out; `fit --stream` holds no rows"
            }
            DatasetError::NotParquet { .. } => {
                "give a Parquet or a CSV file; one that was cut short has to be written again"
            }
            DatasetError::Empty { .. } => "it needs a header line and a row per observation",
            DatasetError::NoSuchColumn { .. } => "name one of its columns",
            DatasetError::DuplicateColumn { .. } => "give every column a name of its own",
            DatasetError::Ragged { .. } => {
                "write as many fields as the header has; --delimiter says what separates them"
            }
            DatasetError::UnsupportedColumn { .. } => "--ignore COLUMN leaves it out",
            DatasetError::Text { .. } => "save the table as CSV in UTF-8",
            DatasetError::DuplicateLabel { .. } => "name rows by another column, or by none",
            _ => return Self::new(text),
        };
        Self::new(text).advice(advice)
    }
}

/// Whether this process, or the machine, has as many files open as it may.
pub fn too_many_files(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let codes = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|code| codes.contains(&code))
}

/// What to try then.
pub const FEWER_FILES: &str = "allow more open files (ulimit -n 4096), or close other programs";

/// What to try when a file cannot be read.
fn reading_advice(error: &std::io::Error) -> &'static str {
    match error.kind() {
        _ if too_many_files(error) => FEWER_FILES,
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "you need the permission to read it",
        _ => "give a plain file that can be read",
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            PredictError::NotANumber { .. } => failure.advice(
                "correct the value: the model needs a number, with a decimal point, in every column it knows",
            ),
            PredictError::Table(error) => error.into(),
            PredictError::NoRows => failure.advice("add a row per prediction"),
            PredictError::NotFinite { .. } => failure
                .advice("leave the row out, or fit a model to observations that are more like it"),
            _ => failure,
        }
    }
}

/// Of a dataset without samples: call stacks are asked for.
pub fn not_sampled() -> Failure {
    Failure::new("the dataset has no sampled runs, which alone know call stacks")
        .advice("record it again without `--samples off`")
}

/// For errors of the file system.
pub fn io(doing: &str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Failure {
    let doing = format!("cannot {doing} {}", path.display());
    let write = doing.starts_with("cannot write");
    let read = doing.starts_with("cannot read");
    move |error| {
        let failure = Failure::new(format!("{doing}: {error}"));
        if write {
            failure.advice(place_advice(lacks_room(&error)))
        } else if read {
            failure.advice(reading_advice(&error))
        } else {
            failure
        }
    }
}
