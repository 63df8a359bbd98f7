//! What stops a recording, with the values that tell why and what to try.
//!
//! A subject that fails is no error: it is a failed observation. Errors are what makes the whole recording pointless.

use std::path::{Path, PathBuf};

use pricetag_dataset::lacks_room;

use crate::overhead::percent;

/// Why a recording cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The command after `--` is empty.
    #[error("no command given")]
    NoCommand,
    /// The subject's program does not exist.
    #[error("program `{program}` was not found{}", .searched.as_ref().map(|p| format!(" on PATH ({p})")).unwrap_or_default())]
    ProgramNotFound {
        /// As written by the user.
        program: String,
        /// PATH, when it was searched.
        searched: Option<String>,
    },
    /// The program did not start a JVM that loaded the agent.
    #[error("`{program}` is not a Java command: it started no Java virtual machine that loaded the agent{}", detail(.said))]
    NotJava {
        /// The program.
        program: String,
        /// End of what it printed on standard error.
        said: String,
    },
    /// The JVM could not load the agent.
    #[error("the JVM could not load the agent {}{}", .agent.display(), detail(.said))]
    AgentNotLoaded {
        /// Path of the library.
        agent: PathBuf,
        /// End of what the JVM printed.
        said: String,
    },
    /// The agent was loaded and could not begin.
    #[error("the agent could not observe the program: {why}")]
    Unobserved {
        /// In its own words.
        why: String,
    },
    /// The agent's library is not where it should be.
    #[error("the agent's library was not found; looked at {}", list(.looked))]
    AgentMissing {
        /// Places tried.
        looked: Vec<PathBuf>,
    },
    /// The user ended what went on.
    #[error("interrupted")]
    Interrupted,
    /// `java -version` failed.
    #[error("`{java} -version` failed: {why}")]
    JavaBroken {
        /// The launcher.
        java: String,
        /// What it said.
        why: String,
    },
    /// The JVM is older than 11.
    #[error("`{java}` is Java {found}; Pricetag needs Java {needed} or newer")]
    JavaTooOld {
        /// The launcher.
        java: String,
        /// Its version.
        found: String,
        /// [`crate::jvm::OLDEST_JAVA`].
        needed: u32,
    },
    /// The glob is malformed.
    #[error("`{pattern}` is not a valid pattern: {why}")]
    BadPattern {
        /// As given.
        pattern: String,
        /// The parser's words.
        why: String,
    },
    /// The glob matches nothing.
    #[error("no file matches `{pattern}` in {}{}", .cwd.display(), but(*folders))]
    NoInputs {
        /// As given.
        pattern: String,
        /// Where it was tried.
        cwd: PathBuf,
        /// Folders that it matches.
        folders: usize,
    },
    /// A path that cannot be put into a command line.
    #[error("the name of the input {} is not UTF-8", .path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// The workload table has no rows.
    #[error("workload {} has a header but no rows", .table.display())]
    EmptyWorkload {
        /// The table.
        table: PathBuf,
    },
    /// The workload table cannot be read.
    #[error("workload {} cannot be read: {why}", .table.display())]
    BadWorkload {
        /// The table.
        table: PathBuf,
        /// Why.
        why: String,
    },
    /// Text where most of a column is numbers.
    #[error("workload {}, line {line}, column `{column}`: {problem}", .table.display())]
    NotANumber {
        /// The table.
        table: PathBuf,
        /// Line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        problem: String,
    },
    /// A placeholder has no value.
    #[error("placeholder `{{{name}}}` in `{template}` is unknown; known: {}", known_names(.known))]
    UnknownPlaceholder {
        /// Name between the braces.
        name: String,
        /// Argument it stands in.
        template: String,
        /// Placeholders that exist.
        known: Vec<String>,
    },
    /// Inputs are given and the command takes none.
    #[error(
        "the workload has {cases} inputs, but neither command, standard input nor environment mentions one"
    )]
    InputUnused {
        /// Number of observations planned.
        cases: usize,
    },
    /// The output directory holds something else.
    #[error("{} {what}", .dir.display())]
    OutputTaken {
        /// The directory.
        dir: PathBuf,
        /// What is in the way.
        what: String,
        /// Whether it is a dataset or a recording.
        ours: bool,
    },
    /// Two recordings into one directory at the same time.
    #[error("{} is being recorded into by another process", .dir.display())]
    BeingRecorded {
        /// The directory.
        dir: PathBuf,
    },
    /// `--resume` of something different.
    #[error("cannot resume {}: {what} differs: it was recorded with {recorded}, now it is {now}", .dir.display())]
    ResumeMismatch {
        /// The directory.
        dir: PathBuf,
        /// What differs.
        what: String,
        /// Then.
        recorded: String,
        /// Now.
        now: String,
    },
    /// `--resume` without anything to resume.
    #[error("{} holds no unfinished recording to resume", .dir.display())]
    NothingToResume {
        /// The directory.
        dir: PathBuf,
    },
    /// What says what is being recorded is damaged.
    #[error("the unfinished recording cannot be read: {}: {why}", .file.display())]
    DamagedRecording {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A file operation failed.
    #[error("cannot {doing} {}: {source}", .path.display())]
    Io {
        /// `write`, `create`, …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The scope was never entered.
    #[error("the scope method `{scope}` was not invoked in any of {runs} successful run(s){}", .why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    ScopeNeverEntered {
        /// As given.
        scope: String,
        /// Why it cannot be, where a class of that name was loaded.
        why: Option<String>,
        /// Runs looked at.
        runs: usize,
    },
    /// Counting nothing that runs is still slower than allowed.
    #[error(
        "the overhead budget of {} cannot be met: counting everything costs {}, and {} with all probes that \
         run removed, the least possible on this input: the agent's own start and the loading of larger classes remain",
        percent(budget / 100.0), percent(everything / 100.0), percent(smallest / 100.0)
    )]
    OverBudget {
        /// Per cent.
        budget: f64,
        /// Per cent, with nothing left to remove.
        smallest: f64,
        /// Per cent, with everything counted.
        everything: f64,
    },
    /// Runs that an overhead budget is fitted by fail, of inputs that do run.
    #[error(
        "the overhead could not be measured: runs with and without counters failed {failures} times, one of them of {input}: {why}"
    )]
    BudgetUnmeasured {
        /// How many runs failed.
        failures: usize,
        /// Label of the input.
        input: String,
        /// Why its run failed.
        why: String,
    },
    /// An option's value makes no sense.
    #[error("{option}: {why}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// Why.
        why: String,
    },
}

impl RunnerError {
    /// Wraps a failed file operation.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }

    /// What the user can try.
    pub fn advice(&self) -> Option<String> {
        let text = match self {
            Self::NoCommand => {
                "put the subject's command after `--`, as in `pricetag record -o data -- java -jar app.jar {}`"
            }
            Self::ProgramNotFound { .. } => {
                "check the spelling, give the full path, or install a JDK 11 or newer"
            }
            Self::NotJava { .. } => {
                "start the program with `java …` directly; launch scripts work if they pass JAVA_TOOL_OPTIONS on"
            }
            Self::AgentNotLoaded { .. } => {
                "run `pricetag doctor`; the library must fit the JVM's operating system and processor"
            }
            Self::AgentMissing { .. } => {
                "keep `libpricetag_agent.so` beside the `pricetag` executable or set PRICETAG_AGENT to its path"
            }
            Self::JavaBroken { .. } | Self::JavaTooOld { .. } => {
                "install a JDK 11 or newer (Debian: `apt-get install default-jdk-headless`) or name another java"
            }
            Self::BadPattern { .. } => {
                "patterns use `*`, `?`, `[…]` and `**`; quote them so that the shell leaves them alone"
            }
            Self::NoInputs { folders: 1.., .. } => {
                "inputs are files; a folder is named by a column of a table: --workload TABLE.csv, with `{column}` in the command"
            }
            Self::NoInputs { .. } => {
                "check the pattern from this directory, and quote it so that the shell leaves it to Pricetag"
            }
            Self::NotUtf8 { .. } => "rename the file",
            Self::EmptyWorkload { .. } => "add one row per observation",
            Self::NotANumber { .. } => {
                "correct the value, or write the column's numbers as words to make it a category"
            }
            Self::BadWorkload { .. } => "the table must be CSV with a header line",
            Self::UnknownPlaceholder { .. } => {
                "`{}` stands for the input of --inputs, `{name}` for a column of --workload; write `{{` for a brace"
            }
            Self::InputUnused { .. } => {
                "put `{}` (or `{column}`) where the input goes, or use `--stdin {}`"
            }
            Self::OutputTaken { ours: true, .. } => {
                "use --resume to continue, --force to replace it, or another -o"
            }
            Self::OutputTaken { ours: false, .. } => "choose another -o",
            Self::BeingRecorded { .. } => "wait until it has ended, or choose another -o",
            Self::ResumeMismatch { .. } => {
                "resume with the same program, command, options and inputs, or record into another -o"
            }
            Self::DamagedRecording { .. } => {
                "restore the file, or record anew with --force; traces beside it stay whole"
            }
            Self::NothingToResume { .. } => "record without --resume",
            Self::ScopeNeverEntered { .. } => {
                "write it as package.Class#method with the class that has its code: no interface, no subclass that inherits it, no constructor; the class must \
                 be included and the program must call it"
            }
            Self::BudgetUnmeasured { .. } => {
                "allow more time by --timeout if that is the reason, leave --jobs out if two runs at a time disturb each other, choose inputs on which the program does not fail, or leave --overhead out"
            }
            Self::OverBudget { .. } => {
                "allow more, use inputs that run longer, or leave --overhead out: with --timing separate no time contains it"
            }
            Self::Io { source, .. } if lacks_room(source) => {
                "free some space and use --resume: finished runs are kept"
            }
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::PermissionDenied => "choose a place you may write to",
                std::io::ErrorKind::NotFound
                | std::io::ErrorKind::ReadOnlyFilesystem
                | std::io::ErrorKind::NotADirectory => {
                    "check that the path exists and can be written to, or choose another place"
                }
                _ => return None,
            },
            Self::Interrupted | Self::BadOption { .. } | Self::Unobserved { .. } => return None,
        };
        Some(text.to_owned())
    }

    /// Whether a bound that was asked for cannot be kept (exit code 3).
    pub fn is_bound_exceeded(&self) -> bool {
        matches!(self, Self::OverBudget { .. })
    }

    /// Whether the command line is at fault (exit code 2) rather than the world (exit code 1).
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoCommand
                | Self::UnknownPlaceholder { .. }
                | Self::InputUnused { .. }
                | Self::BadPattern { .. }
                | Self::BadOption { .. }
        )
    }
}

fn detail(said: &str) -> String {
    if said.trim().is_empty() {
        String::new()
    } else {
        format!("; it said: {}", said.trim())
    }
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

fn known_names(known: &[String]) -> String {
    if known.is_empty() {
        return "none (give --inputs or --workload)".to_owned();
    }
    let names: Vec<String> = known.iter().map(|k| format!("{{{k}}}")).collect();
    names.join(" ")
}

/// That folders match a pattern that was to name files.
fn but(folders: usize) -> String {
    match folders {
        0 => String::new(),
        1 => ", but a folder does".to_owned(),
        n => format!(", but {n} folders do"),
    }
}
