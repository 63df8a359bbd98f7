//! What runs, over which inputs, and how it is watched.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use pricetag_runner::{Determinism, Samples};
use pricetag_trace::{CallChoice, MethodScope, Pattern, Scope};

use super::values::{
    FeatureGroup, duration, fraction, pattern, recorded, variable, versions, word,
};

/// What says how a program is run, which one that runs already is not. `--cache` and `--jobs` are missing: they change nothing of what is recorded, and the
/// environment, where whole machines have them, counts as the command line.
const OF_RUNS: [&str; 19] = [
    "command",
    "inputs",
    "workload",
    "stdin",
    "env",
    "cwd",
    "timeout",
    "scope",
    "check_determinism",
    "repeat",
    "shuffle",
    "timing",
    "overhead",
    "samples",
    "warmup",
    "jit",
    "gc",
    "resume",
    "show_output",
];

#[derive(Debug, Args)]
#[command(mut_arg("command", |command| command.required(false).required_unless_present("attach")), mut_args(super::brief))]
pub struct RecordArgs {
    /// Directory of the dataset.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Observe a JVM that is running already, in intervals: its process id. Where it takes no agent any more, the options to start it with
    /// are printed.
    #[arg(long, value_name = "PID", conflicts_with_all = OF_RUNS, help_heading = "Running JVM")]
    pub attach: Option<u32>,
    /// Length of an interval: `30`, `500ms`, `10m`; 10 s by default.
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "command", help_heading = "Running JVM")]
    pub every: Option<Duration>,
    /// How long to observe; until the JVM ends or Ctrl-C by default.
    #[arg(long = "for", value_name = "TIME", value_parser = duration, conflicts_with = "command", help_heading = "Running JVM")]
    pub length: Option<Duration>,
    #[command(flatten)]
    pub subject: SubjectArgs,
}

/// A subject, its workload and how to watch it.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub struct SubjectArgs {
    /// One observation per file that matches; `{}` in the command stands for the file.
    #[arg(
        long,
        value_name = "GLOB",
        value_parser = word(),
        conflicts_with = "workload",
        help_heading = "Workload"
    )]
    pub inputs: Option<String>,
    /// One observation per row of a CSV file; `{column}` in the command stands for the row's value.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Workload")]
    pub workload: Option<PathBuf>,
    /// File fed on standard input, such as `{}`.
    #[arg(long, value_name = "FILE", value_parser = word(), help_heading = "Workload")]
    pub stdin: Option<String>,
    /// Environment variable for the subject; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable(), help_heading = "Workload")]
    pub env: Vec<(String, String)>,
    /// Working directory of the subject.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Workload")]
    pub cwd: Option<PathBuf>,
    /// Time limit of one run: `30`, `500ms`, `10m`.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Workload")]
    pub timeout: Option<Duration>,
    /// What to count: opcodes, blocks, methods, loops, branches, exceptions, transitions (changes of a branch's outcome), all of them by
    /// default, transitions only with times of their own and without --overhead and --blocks; on request `context`, the calls of every method by calling method,
    /// `strides`, reads of array elements from another cache line than the same instruction's
    /// last, and `values`, the first values given to every primitive variable. Where `exceptions` is named, handlers are split by the class of what they
    /// catch; where `loops` or `methods` and `context` are, loops and invocations by the method that called.
    ///
    /// `calls` writes every invocation down, in order, for `pricetag patterns`; what else is counted does not change by it.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = recorded, help_heading = "Counting")]
    pub features: Vec<FeatureGroup>,
    /// How instructions are grouped: `fine`, one category per mechanism; `lata`, the six of Lata 2016; or a TOML file of your own.
    #[arg(long, value_name = "TABLE", default_value = "fine", value_hint = ValueHint::FilePath, help_heading = "Counting")]
    pub categories: String,
    /// How many first values of every primitive local variable and field to record, 1 to 1000; 5 with `--features …,values`.
    #[arg(long, value_name = "K", value_parser = versions, help_heading = "Counting")]
    pub values: Option<u16>,
    /// Lengths of arrays and strings, and sizes of collections of the JDK, are values, too.
    #[arg(long, help_heading = "Counting")]
    pub lengths: bool,
    /// The depth of recursion through other classes, lambdas and constructors is a value, too.
    #[arg(long, help_heading = "Counting")]
    pub depths: bool,
    /// Which invocations of each thread `--features calls` writes down: `all`, `first=10M`, or `1M/100M` for the first million of each hundred; what is left out is counted.
    /// With `leaving`, as in `leaving,first=10M`, also what counted code calls outside, in the JDK for example.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "all",
        help_heading = "Counting"
    )]
    pub calls: CallChoice,
    /// Find out when in a run, or in an invocation of the scope, each feature has its final value, from counts at intervals in the runs of three inputs.
    #[arg(long, help_heading = "Counting")]
    pub availability: bool,
    /// What one observation is: `main`, or `package.Class#method` for each of its invocations in a warm JVM: what the calling thread does, or with `+threads` behind
    /// it what all threads do meanwhile.
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "main",
        help_heading = "Counting"
    )]
    pub scope: Scope,
    /// Classes to count, such as `org.example.**`; may be repeated. The subject's own classes by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Counting")]
    pub include: Vec<Pattern>,
    /// Classes not to count; may be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Counting")]
    pub exclude: Vec<Pattern>,
    /// File with the methods to count, one `package/Class.method(I)V` a line, as `inspect --list methods` prints them; all by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Counting")]
    pub methods: Option<PathBuf>,
    /// File with the blocks to count, one name a line, as `inspect --list blocks` prints them: only as many counters are placed as these need, and nothing
    /// else of their methods is recorded.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "methods", help_heading = "Counting")]
    pub blocks: Option<PathBuf>,
    /// Count the JDK's own classes too, as far as --include matches them.
    #[arg(long, help_heading = "Counting")]
    pub count_jdk: bool,
    /// Inputs to count twice, to find counts that do not repeat: sample, all, none or a number.
    #[arg(
        long,
        value_name = "N",
        default_value = "sample",
        help_heading = "Counting"
    )]
    pub check_determinism: Determinism,
    /// Inputs to run once more while stacks are sampled, so that it is known where the time goes: auto (a quarter of the recording's time), off, all or a
    /// number.
    #[arg(
        long,
        value_name = "N",
        default_value = "auto",
        help_heading = "Timing"
    )]
    pub samples: Samples,
    /// Timing runs per input.
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Timing")]
    pub repeat: u32,
    /// Time the inputs in another order in each round, the same whenever it is repeated: what changes slowly on a machine then hits no input alone.
    #[arg(long, help_heading = "Timing")]
    pub shuffle: bool,
    /// Where times come from: separate runs, or the counting run (which then states its overhead).
    #[arg(long, value_enum, default_value_t = TimingArg::Separate, help_heading = "Timing")]
    pub timing: TimingArg,
    /// Slow-down by counting that is allowed: the dearest loops and methods stay uncounted until the rest is measured to fit; takes minutes.
    #[arg(long, value_name = "PERCENT", value_parser = fraction, help_heading = "Timing")]
    pub overhead: Option<f64>,
    /// First invocations of a scope to leave out of fits; detected by default.
    #[arg(long, value_name = "N", help_heading = "Timing")]
    pub warmup: Option<u32>,
    /// The JVM's just-in-time compiler.
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = "Timing")]
    pub jit: Switch,
    /// The JVM's garbage collector.
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = "Timing")]
    pub gc: Switch,
    /// Continue an interrupted recording.
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    pub resume: bool,
    /// Replace a dataset that is already there.
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Pass the subject's output on to standard error.
    #[arg(long, help_heading = "Output")]
    pub show_output: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub agent: Option<PathBuf>,
    /// Where rewritten classes are kept for later recordings, cut back to 256 MB whenever one begins: a directory, or `none`; `pricetag` in the user's
    /// cache by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub cache: Option<PathBuf>,
    /// The subject's command, such as `java -jar app.jar {}`.
    #[arg(last = true, required = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct InstrumentArgs {
    /// A jar, an executable jar of Spring Boot, or a war.
    #[arg(value_name = "IN.jar", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// The instrumented archive.
    #[arg(short, long, value_name = "OUT.jar", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Classes to count, such as `org.example.**`; may be repeated. All classes of the archive by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub include: Vec<Pattern>,
    /// Classes not to count; may be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub exclude: Vec<Pattern>,
    /// File with the methods to count, one `package/Class.method(I)V` a line, as `inspect --list methods` prints them; empty lines and
    /// lines that begin with # are skipped. All by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub methods: Option<PathBuf>,
    /// File with the blocks to count, one name a line, as `inspect --list blocks` prints them: only as many counters are placed as these need, and nothing
    /// else of their methods is counted.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "methods")]
    pub blocks: Option<PathBuf>,
    /// Drop signatures, which changed classes would break. Without it a signed archive is refused, and a signed library in it is left as it is.
    #[arg(long)]
    pub strip_signatures: bool,
    /// Replace an archive that is already there.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct TimeBlocksArgs {
    /// Method to time, as `package.Class#method`; may be repeated. All methods of the included classes by default.
    #[arg(long, value_name = "METHOD")]
    pub method: Vec<MethodScope>,
    /// Classes to time, such as `org.example.**`; may be repeated. The subject's own classes by default.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub include: Vec<Pattern>,
    /// Classes not to time; may be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub exclude: Vec<Pattern>,
    /// Runs, each in a fresh JVM.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub repeat: u32,
    /// The JVM's just-in-time compiler.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub jit: Switch,
    /// The JVM's garbage collector.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub gc: Switch,
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The subject's command, such as `java -jar app.jar input.txt`.
    #[arg(last = true, required = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

/// How the subject is launched, where it is run as it is.
#[derive(Debug, Args)]
pub struct LaunchArgs {
    /// File fed on standard input, such as `{}`.
    #[arg(long, value_name = "FILE", value_parser = word())]
    pub stdin: Option<String>,
    /// Environment variable for the subject; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable())]
    pub env: Vec<(String, String)>,
    /// Working directory of the subject.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,
    /// Time limit of one run: `30`, `500ms`, `10m`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Pass the subject's output on to standard error.
    #[arg(long)]
    pub show_output: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
}

/// Where times come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// From runs without counters.
    Separate,
    /// From the counting runs.
    Same,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}
