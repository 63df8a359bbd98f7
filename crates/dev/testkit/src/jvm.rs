//! Runs the compiler and subjects, with and without the agent.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pricetag_trace::{AgentOptions, CallChoice, Calls, Listed, Mode, Pattern, Region, Scope};

use crate::machine::PROGRAM;
use crate::{Counts, Machine, Program, TestkitError, content, io};

/// Longest run of one program, single-stepping included.
const LIMIT: Duration = Duration::from_mins(2);

/// How a process ended and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub error: String,
}

impl Outcome {
    /// Lines `name=3` of standard error: how often the program says it did something that differs from run to run.
    pub fn said(&self) -> BTreeMap<String, u64> {
        let lines = self.error.lines();
        let said = lines.filter_map(|line| {
            let (name, count) = line.split_once('=')?;
            Some((name.to_owned(), count.parse().ok()?))
        });
        said.collect()
    }
}

/// Runs programs under the agent.
#[derive(Clone, Debug)]
pub struct Agent {
    library: PathBuf,
}

impl Agent {
    /// The agent of this build: the library `PRICETAG_AGENT` names, or else the one beside the running test, built first if
    /// need be.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn locate() -> Result<Self, TestkitError> {
        if let Some(path) = std::env::var_os("PRICETAG_AGENT") {
            return Ok(Self {
                library: path.into(),
            });
        }
        let own = std::env::current_exe().map_err(io("find", Path::new("the running test")))?;
        let profile = own.ancestors().nth(2).unwrap_or(Path::new("."));
        let target = profile.parent().unwrap_or(profile);
        let release = profile.file_name() == Some(OsStr::new("release"));
        let mut build = Command::new(env!("CARGO"));
        build
            .args([
                "build",
                "--quiet",
                "--locked",
                "-p",
                "pricetag-agent",
                "--target-dir",
            ])
            .arg(target);
        if release {
            build.arg("--release");
        }
        build.current_dir(crate::repository());
        let outcome = run(build, Duration::from_mins(20))?;
        if outcome.status != Some(0) {
            return Err(TestkitError::Command {
                command: "cargo build -p pricetag-agent".to_owned(),
                reason: outcome.error,
            });
        }
        Ok(Self {
            library: profile.join("libpricetag_agent.so"),
        })
    }

    /// Runs a program as it is.
    ///
    /// # Errors
    /// If the virtual machine does not start or does not end.
    pub fn plain(&self, launch: &Launch) -> Result<Outcome, TestkitError> {
        run(launch.java(None), LIMIT)
    }

    /// Runs a program with probes and derives its counts.
    ///
    /// # Errors
    /// If the virtual machine does not start or end, or the trace is no complete trace.
    pub fn count(&self, launch: &Launch) -> Result<(Outcome, Counts), TestkitError> {
        let (outcome, mut counts) = self.observe(launch, &[], Counts::from_trace)?;
        counts.said = outcome.said();
        Ok((outcome, counts))
    }

    /// Runs a program with probes and observed methods; `read` gets the paths of the trace and of the plans.
    ///
    /// # Errors
    /// If the virtual machine does not start or end, or those of `read`.
    pub fn observe<T>(
        &self,
        launch: &Launch,
        scopes: &[Scope],
        read: impl FnOnce(&Path, &Path) -> Result<T, TestkitError>,
    ) -> Result<(Outcome, T), TestkitError> {
        let scratch = scratch()?;
        let (trace, plans) = (scratch.path().join("trace"), scratch.path().join("plans"));
        let calls = launch.calls.map(|which| Calls {
            file: trace.with_file_name("events"),
            which,
        });
        let options = AgentOptions {
            calls,
            plans: Some(plans.clone()),
            rewritten: launch.rewritten.clone(),
            scopes: scopes.to_vec(),
            values: launch.values,
            lengths: launch.lengths,
            depths: launch.depths,
            transitions: launch.transitions,
            strides: launch.strides,
            caught: launch.caught,
            callers: launch.callers,
            invocations: launch.callers,
            progress: launch.progress,
            keep: launch.keep.clone(),
            skip: launch.skip.clone(),
            skip_values: launch.skip_values.clone(),
            ..options(Mode::Count, &trace, launch.program)?
        };
        let outcome = self.run(launch, scratch.path(), &options)?;
        let result = read(&trace, &plans).map_err(|e| said(&e, &trace, &outcome))?;
        Ok((outcome, result))
    }

    /// Single-steps a program: the oracle.
    ///
    /// # Errors
    /// If the virtual machine does not start or end, or the counts cannot be read.
    pub fn step(&self, launch: &Launch) -> Result<(Outcome, Counts), TestkitError> {
        let scratch = scratch()?;
        let steps = scratch.path().join("steps");
        let options = options(Mode::Step, &steps, launch.program)?;
        let outcome = self.run(launch, scratch.path(), &options)?;
        let mut counts = Counts::from_steps(&steps).map_err(|e| said(&e, &steps, &outcome))?;
        counts.said = outcome.said();
        Ok((outcome, counts))
    }

    fn run(
        &self,
        launch: &Launch,
        scratch: &Path,
        options: &AgentOptions,
    ) -> Result<Outcome, TestkitError> {
        let file = scratch.join("options");
        options.write(&file).map_err(|e| content(&file, e))?;
        run(launch.java(Some(&self.option(&file))), LIMIT)
    }

    /// The JVM's option that loads the agent with an options file.
    pub fn option(&self, file: &Path) -> String {
        format!("-agentpath:{}={}", self.library.display(), file.display())
    }
}

/// One way to run one program.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of a counting run"
)]
pub struct Launch<'a> {
    /// The program.
    pub program: &'a Program,
    /// What runs it.
    pub machine: &'a Machine,
    /// Where its classes are.
    pub class_path: &'a OsStr,
    /// Options before the agent's, such as other agents.
    pub before: Vec<OsString>,
    /// Options behind the agent's.
    pub after: Vec<OsString>,
    /// How many first values of variables a counting run takes.
    pub values: u16,
    /// Whether lengths are among them.
    pub lengths: bool,
    /// Whether the depth of every method that may be reached again is, too.
    pub depths: bool,
    /// Whether a counting run counts changes of the outcome of branches.
    pub transitions: bool,
    /// Whether array reads that leave a cache line are.
    pub strides: bool,
    /// Whether a counting run counts exceptions by class where they are caught.
    pub caught: bool,
    /// Whether a counting run counts passes of loops by calling method.
    pub callers: bool,
    /// Which invocations a counting run writes down, to `events` beside the trace.
    pub calls: Option<CallChoice>,
    /// Whether a counting run is looked at while it goes on.
    pub progress: bool,
    /// What a counting run counts.
    pub keep: Listed,
    /// Methods and loops that a counting run does not count.
    pub skip: BTreeSet<Region>,
    /// Methods and loops in which it takes no values.
    pub skip_values: BTreeSet<Region>,
    /// Where it keeps rewritten classes, and takes those that are there.
    pub rewritten: Option<PathBuf>,
}

impl<'a> Launch<'a> {
    /// A program on a machine, with no other agents.
    pub fn new(program: &'a Program, machine: &'a Machine, class_path: &'a OsStr) -> Self {
        Self {
            program,
            machine,
            class_path,
            before: Vec::new(),
            after: Vec::new(),
            values: 0,
            lengths: false,
            depths: false,
            transitions: false,
            strides: false,
            caught: false,
            callers: false,
            calls: None,
            progress: false,
            keep: Listed::Everything,
            skip: BTreeSet::new(),
            skip_values: BTreeSet::new(),
            rewritten: None,
        }
    }

    fn java(&self, agent: Option<&str>) -> Command {
        let mut command = Command::new(&self.machine.java);
        let options = self.machine.options.iter();
        command
            // Its file may be locked by a JVM of another container that has the same number; that is told on standard output.
            .arg("-XX:-UsePerfData")
            .args(options.map(|option| option.replace(PROGRAM, &self.program.name)))
            .args(&self.before)
            .args(agent)
            .args(&self.after)
            .args(&self.program.vm_options)
            .arg("-cp")
            .arg(self.class_path)
            .arg(&self.program.name)
            .args(&self.program.arguments);
        command
    }
}

fn scratch() -> Result<tempfile::TempDir, TestkitError> {
    tempfile::tempdir().map_err(io("create", Path::new("a temporary directory")))
}

fn options(mode: Mode, trace: &Path, program: &Program) -> Result<AgentOptions, TestkitError> {
    let include = Pattern::new(&program.name).map_err(|e| content(&program.path, e))?;
    Ok(AgentOptions {
        include: vec![include],
        ..AgentOptions::new(mode, trace)
    })
}

/// An error with the subject's last words, which usually say more.
fn said(error: &TestkitError, path: &Path, outcome: &Outcome) -> TestkitError {
    let words: Vec<&str> = outcome.error.lines().take(12).collect();
    content(
        path,
        format!(
            "{error}; status {:?}; the subject said: {}",
            outcome.status,
            words.join(" | ")
        ),
    )
}

/// A tool of the JDK: under `JAVA_HOME` if that is set, else on the path.
pub fn java_tool(name: &str) -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) if !home.is_empty() => Path::new(&home).join("bin").join(name),
        _ => PathBuf::from(name),
    }
}

/// Compiles Java sources.
///
/// # Errors
/// With the compiler's messages.
pub fn compile(sources: &[PathBuf], into: &Path) -> Result<(), TestkitError> {
    let mut javac = Command::new(java_tool("javac"));
    javac
        .args(["-g", "-nowarn", "-proc:none", "-d"])
        .arg(into)
        .args(sources);
    let outcome = run(javac, LIMIT)?;
    if outcome.status == Some(0) {
        return Ok(());
    }
    Err(TestkitError::Command {
        command: "javac".to_owned(),
        reason: outcome.error,
    })
}

/// Runs a command to its end, with its output captured and no standard input.
///
/// # Errors
/// If it does not start, or does not end within `limit`; it is then killed.
pub fn run(mut command: Command, limit: Duration) -> Result<Outcome, TestkitError> {
    let name = format!("{command:?}");
    let failed = |reason: String| TestkitError::Command {
        command: name.clone(),
        reason,
    };
    let scratch = tempfile::tempdir().map_err(io("create", Path::new("a temporary directory")))?;
    let sink = |file: &str| {
        let path = scratch.path().join(file);
        File::create(&path).map_err(io("create", &path))
    };
    command
        .stdin(Stdio::null())
        .stdout(sink("out")?)
        .stderr(sink("err")?);
    // Neither may add options or messages of its own.
    for variable in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
        command.env_remove(variable);
    }
    let mut child = command
        .spawn()
        .map_err(|e| failed(format!("cannot start: {e}")))?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| failed(e.to_string()))? {
            break status;
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed(format!("did not end within {} s", limit.as_secs())));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let read = |file: &str| -> Result<String, TestkitError> {
        let path = scratch.path().join(file);
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|mut f| f.read_to_end(&mut bytes))
            .map_err(io("read", &path))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Outcome {
        status: status.code(),
        output: read("out")?,
        error: read("err")?,
    })
}
