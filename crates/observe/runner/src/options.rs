//! Everything a recording is asked to do. Clock, environment and file system come in through here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pricetag_probe_plan::ClassHash;
use pricetag_trace::{BlockName, CallChoice, Listed, MethodName, MethodScope, Pattern, Scope};

use crate::error::RunnerError;
use crate::overhead::percent;
use crate::sampling::Samples;
use crate::supervise::Ended;
use crate::workload::Workload;

/// Where times come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// From runs without counters.
    #[default]
    Separate,
    /// From the counting runs; for programs that do not repeat themselves.
    Same,
    /// From nowhere: inputs are only counted.
    Never,
}

/// How many inputs are counted twice, to find counts that do not repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Determinism {
    /// One in twenty, at least three, spread over the workload.
    #[default]
    Sample,
    /// So many, spread over the workload.
    Some(usize),
    /// Every one.
    All,
    /// None.
    None,
}

impl Determinism {
    /// Indices of the inputs to count twice.
    pub fn chosen(self, cases: usize) -> Vec<usize> {
        let wanted = match self {
            Self::Sample => cases.div_ceil(20).max(3),
            Self::Some(n) => n,
            Self::All => cases,
            Self::None => 0,
        };
        let n = wanted.min(cases);
        (0..n).map(|i| i * cases / n).collect()
    }
}

impl std::str::FromStr for Determinism {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sample" => Ok(Self::Sample),
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => text
                .parse()
                .map(Self::Some)
                .map_err(|_| format!("`{text}` is none of sample, all, none or a number")),
        }
    }
}

/// Inputs whose runs are looked at to learn when features are final.
const LOOKED_AT: usize = 3;

/// What to record, how and where.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub struct RecordOptions {
    /// The subject's command with placeholders.
    pub command: Vec<String>,
    /// The inputs.
    pub workload: Workload,
    /// Template of the file fed on standard input.
    pub stdin: Option<String>,
    /// Variables set for the subject; values are templates.
    pub env: BTreeMap<String, String>,
    /// The subject's working directory.
    pub cwd: Option<PathBuf>,
    /// Time limit of one run.
    pub timeout: Option<Duration>,
    /// What one observation is.
    pub scope: Scope,
    /// Methods each of whose invocations is an observation, named after its method; `scope` is then one of them. None unless tests are observed.
    pub tests: Vec<MethodScope>,
    /// Classes to count; the subject's own when empty.
    pub include: Vec<Pattern>,
    /// Classes not to count.
    pub exclude: Vec<Pattern>,
    /// What to count of those classes.
    pub listed: Listed,
    /// Whether included classes of the JDK are counted.
    pub count_jdk: bool,
    /// How opcodes are grouped in the table made of it, as text: traces know single opcodes.
    pub categories: String,
    /// How many first values of every primitive variable are recorded; none for 0.
    pub values: u16,
    /// Whether lengths of arrays and strings and sizes of collections are values, too.
    pub lengths: bool,
    /// Whether the depth of every method that may be reached again while it is active is one, too.
    pub depths: bool,
    /// Whether changes of the outcome of conditional branches are counted.
    pub transitions: bool,
    /// Whether array reads that leave a cache line are counted.
    pub strides: bool,
    /// Whether exceptions are counted by class where they are caught.
    pub caught: bool,
    /// Whether passes of loops are counted by calling method, too.
    pub callers: bool,
    /// Whether invocations of methods are.
    pub invocations: bool,
    /// Which invocations are written down, in order, if any are.
    pub calls: Option<CallChoice>,
    /// Whether it is found out when in a run each feature is final.
    pub availability: bool,
    /// Timing runs per input.
    pub repeat: u32,
    /// Whether each round of timing runs goes through the inputs in an order of its own.
    pub shuffle: bool,
    /// Where times come from.
    pub timing: Timing,
    /// Whether the JIT compiler is on.
    pub jit: bool,
    /// Whether the garbage collector is on.
    pub gc: bool,
    /// Invocations of a scope to set aside; detected if none.
    pub warmup: Option<u32>,
    /// Inputs counted twice.
    pub determinism: Determinism,
    /// How many inputs are run once more and sampled.
    pub samples: Samples,
    /// Largest acceptable slow-down by counting, as a fraction.
    pub overhead: Option<f64>,
    /// Counting runs at the same time. With more than one, plain and counted runs that are compared for the overhead are at the same time, too.
    pub jobs: usize,
    /// Whether the subject's output is passed on to standard error.
    pub show_output: bool,
    /// The dataset's directory.
    pub dir: PathBuf,
    /// Whether to continue what is in it.
    pub resume: bool,
    /// Whether to replace what is in it.
    pub force: bool,
    /// The agent's library.
    pub agent: PathBuf,
    /// Where rewritten classes are kept beyond a recording, if they are.
    pub cache: Option<PathBuf>,
    /// CPU time of a finished run, by which plain and counted ones are compared: [`Ended::cpu`], unless runs are scripted.
    pub cpu: fn(&Ended) -> Duration,
    /// `PATH`.
    pub path: Option<String>,
    /// `JAVA_TOOL_OPTIONS` as inherited.
    pub java_tool_options: Option<String>,
}

impl RecordOptions {
    /// Counts blocks of whole runs, each input once, and measures nothing; the agent and the environment are still to be named.
    pub fn counting(command: Vec<String>, workload: Workload, dir: PathBuf) -> Self {
        Self {
            command,
            workload,
            stdin: None,
            env: BTreeMap::new(),
            cwd: None,
            timeout: None,
            scope: Scope::Main,
            tests: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            listed: Listed::Everything,
            count_jdk: false,
            categories: String::new(),
            values: 0,
            lengths: false,
            depths: false,
            transitions: false,
            strides: false,
            caught: false,
            callers: false,
            invocations: false,
            calls: None,
            availability: false,
            repeat: 1,
            shuffle: false,
            timing: Timing::Never,
            jit: true,
            gc: true,
            warmup: None,
            determinism: Determinism::None,
            samples: Samples::Off,
            overhead: None,
            jobs: 1,
            show_output: false,
            dir,
            resume: false,
            force: false,
            agent: PathBuf::new(),
            cache: None,
            cpu: Ended::cpu,
            path: None,
            java_tool_options: None,
        }
    }

    /// The options that shape what is recorded; a resumed recording must have the same.
    pub fn shaping(&self) -> BTreeMap<String, String> {
        let list = |patterns: &[Pattern]| {
            patterns
                .iter()
                .map(Pattern::as_str)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let methods: Vec<String> = self.listed.methods().map(MethodName::to_string).collect();
        // Their names have blanks in them.
        let blocks: Vec<String> = self.listed.blocks().map(BlockName::to_string).collect();
        let on = |flag: bool| if flag { "on" } else { "off" }.to_owned();
        let text = |value: Option<String>| value.unwrap_or_default();
        // Datasets, models and reports are passed on: a variable's value may be a secret.
        let env: Vec<&str> = self.env.keys().map(String::as_str).collect();
        let timing = match self.timing {
            Timing::Separate => "separate",
            Timing::Same => "same",
            Timing::Never => "never",
        };
        [
            ("stdin", text(self.stdin.clone())),
            ("env", env.join(" ")),
            (
                "cwd",
                text(self.cwd.as_ref().map(|p| p.display().to_string())),
            ),
            ("scope", self.scope.to_string()),
            ("include", list(&self.include)),
            ("exclude", list(&self.exclude)),
            ("methods", methods.join(" ")),
            ("blocks", blocks.join("\n")),
            ("count_jdk", self.count_jdk.to_string()),
            ("categories", self.categories.clone()),
            ("values", self.values.to_string()),
            ("lengths", self.lengths.to_string()),
            ("depths", self.depths.to_string()),
            ("transitions", self.transitions.to_string()),
            ("strides", self.strides.to_string()),
            ("caught", self.caught.to_string()),
            ("callers", self.callers.to_string()),
            ("invocations", self.invocations.to_string()),
            (
                "calls",
                text(self.calls.as_ref().map(CallChoice::to_string)),
            ),
            ("availability", self.availability.to_string()),
            ("timing", timing.to_owned()),
            ("overhead_budget", text(self.overhead.map(percent))),
            ("jit", on(self.jit)),
            ("gc", on(self.gc)),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
    }

    /// The values of `--env` as a recording remembers them while it goes on: none if there are none.
    pub fn environment(&self) -> Option<String> {
        let pairs = self
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value}\0"));
        let pairs: String = pairs.collect();
        (!pairs.is_empty()).then(|| ClassHash::of(pairs.as_bytes()).to_string())
    }

    /// The options that a resumed recording may change.
    pub fn protocol(&self) -> Vec<(String, String)> {
        let timeout = self
            .timeout
            .map_or_else(|| "none".to_owned(), |t| format!("{} s", t.as_secs_f64()));
        let warmup = self
            .warmup
            .map_or_else(|| "detected".to_owned(), |n| n.to_string());
        let twice = self.determinism.chosen(self.workload.cases.len()).len();
        [
            ("repeat", self.repeat.to_string()),
            ("timeout", timeout),
            ("warmup", warmup),
            ("counted_twice", twice.to_string()),
            ("samples", self.samples.to_string()),
            ("inputs", self.workload.cases.len().to_string()),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .to_vec()
    }

    /// All scopes, in the order of their numbers in traces.
    pub fn scopes(&self) -> Vec<Scope> {
        if self.tests.is_empty() {
            return vec![self.scope.clone()];
        }
        self.tests.iter().cloned().map(Scope::Method).collect()
    }

    /// Whether a run of an input is looked at while it goes on.
    pub(crate) fn looks_at(&self, case: usize) -> bool {
        let looked_at = Determinism::Some(LOOKED_AT).chosen(self.workload.cases.len());
        self.availability && looked_at.contains(&case)
    }

    /// Checks what needs no file system.
    pub fn check(&self) -> Result<(), RunnerError> {
        let bad = |option, why: &str| {
            Err(RunnerError::BadOption {
                option,
                why: why.to_owned(),
            })
        };
        if self.command.is_empty() {
            return Err(RunnerError::NoCommand);
        }
        if self.repeat == 0 {
            return bad("--repeat", "must be at least 1");
        }
        if self.availability && self.timing == Timing::Same {
            return bad("--availability", "disturbs times: use separate timing runs");
        }
        let all_threads = matches!(&self.scope, Scope::Method(method) if method.all_threads);
        if self.availability && all_threads {
            return bad(
                "--availability",
                "looks into invocations of one thread, and the scope is of all: leave out +threads, or --availability",
            );
        }
        if self.jobs == 0 {
            return bad("--jobs", "must be at least 1");
        }
        if self.timeout.is_some_and(|t| t.is_zero()) {
            return bad("--timeout", "must be longer than nothing");
        }
        let templates = self
            .command
            .iter()
            .chain(&self.stdin)
            .chain(self.env.values());
        let used = templates
            .clone()
            .any(|t| crate::template::has_placeholder(t));
        let cases = &self.workload.cases;
        if !used && (cases.len() > 1 || cases.iter().any(|c| !c.bindings.is_empty())) {
            return Err(RunnerError::InputUnused { cases: cases.len() });
        }
        for template in templates {
            for case in cases {
                crate::template::expand(template, &case.bindings)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_spread_and_never_too_large() {
        assert_eq!(Determinism::Sample.chosen(2), [0, 1]);
        assert_eq!(Determinism::Sample.chosen(30), [0, 10, 20]);
        assert_eq!(Determinism::Sample.chosen(200).len(), 10);
        assert_eq!(Determinism::None.chosen(5), Vec::<usize>::new());
        assert_eq!(Determinism::All.chosen(3), [0, 1, 2]);
        assert_eq!("7".parse(), Ok(Determinism::Some(7)));
        assert!("x".parse::<Determinism>().is_err());
    }
}
