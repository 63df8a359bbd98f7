//! Arguments of `pricetag gate …`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};
use pricetag_gate::Limit;
use pricetag_trace::{Pattern, Scope};

use super::values::{duration, fraction, pattern, word};

/// What to do with a baseline.
#[derive(Debug, Subcommand)]
pub enum GateCommand {
    /// Count a suite of benchmarks and write the baseline: a file to commit.
    Record(GateRecordArgs),
    /// Count it again; exit code 3, with an explanation, if it costs more than the baseline allows or cannot be judged.
    Check(GateCheckArgs),
    /// Take what a build costs now as the baseline, and keep the reason in the file.
    Accept(GateAcceptArgs),
    /// Show what was accepted, and why.
    History {
        /// The baseline.
        #[arg(value_name = "BASELINE.json", value_hint = ValueHint::FilePath)]
        baseline: PathBuf,
    },
}

/// How the suite is run, whatever is done with what it counts.
#[derive(Clone, Debug, Args)]
pub struct GateRunArgs {
    /// Time limit of one run: `30`, `500ms`, `10m`.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Running")]
    pub timeout: Option<Duration>,
    /// Pass the subject's output on to standard error.
    #[arg(long, help_heading = "Running")]
    pub show_output: bool,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub agent: Option<PathBuf>,
    /// Where rewritten classes are kept for later runs, or `none`.
    ///
    /// `pricetag` in the user's cache by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    pub cache: Option<PathBuf>,
    /// The subject's command, such as `java -jar benchmarks.jar {}`.
    #[arg(last = true, required = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

/// What may cost more.
#[derive(Clone, Debug, Args)]
pub struct GateLimitArgs {
    /// How much more is allowed: `1%`, `bytes=2%`, `calls:NAME*=5%`; nothing by default.
    ///
    /// Or so many more, `instructions=1000`. May be repeated, and the last that fits decides.
    #[arg(long, value_name = "LIMIT", help_heading = "Limits")]
    pub allow: Vec<Limit>,
    /// From how much more on to warn, within what is allowed; written likewise.
    #[arg(long, value_name = "LIMIT", help_heading = "Limits")]
    pub warn: Vec<Limit>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub struct GateRecordArgs {
    /// The baseline.
    #[arg(short, long, value_name = "BASELINE.json", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Name of the suite; the file's by default.
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// Replace a baseline that is already there, with its history.
    #[arg(long)]
    pub force: bool,
    /// One benchmark per file that matches: `{}` in the command.
    #[arg(long, value_name = "GLOB", value_parser = word(), conflicts_with_all = ["workload", "tests"], help_heading = "Benchmarks")]
    pub inputs: Option<String>,
    /// One benchmark per row of a CSV file: `{column}` in the command.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "tests", help_heading = "Benchmarks")]
    pub workload: Option<PathBuf>,
    /// One benchmark per test method in this folder of classes or jar.
    ///
    /// Whatever launcher the command starts: methods annotated as tests of JUnit 4 or 5 or TestNG, or as benchmarks of JMH. Tests that do not repeat are left out by
    /// name.
    #[arg(long, value_name = "DIR|JAR", value_hint = ValueHint::AnyPath, conflicts_with = "scope", help_heading = "Benchmarks")]
    pub tests: Option<PathBuf>,
    /// What one benchmark is: `main`, or each call of `package.Class#method`.
    ///
    /// With `+threads` behind the method it is what all threads do meanwhile.
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "main",
        help_heading = "Benchmarks"
    )]
    pub scope: Scope,
    /// File fed on standard input, such as `{}`.
    #[arg(long, value_name = "FILE", value_parser = word(), help_heading = "Benchmarks")]
    pub stdin: Option<String>,
    /// Working directory of the subject.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Benchmarks")]
    pub cwd: Option<PathBuf>,
    /// Classes to count, such as `org.example.**`; the subject's own by default.
    ///
    /// May be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Counting")]
    pub include: Vec<Pattern>,
    /// Classes not to count; may be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Counting")]
    pub exclude: Vec<Pattern>,
    /// Count the JDK's own classes too, as far as --include matches them.
    #[arg(long, help_heading = "Counting")]
    pub count_jdk: bool,
    /// Do not measure allocated bytes: saves a run without counters.
    #[arg(long, help_heading = "Counting")]
    pub no_bytes: bool,
    /// Take a program that does little beside starting processes.
    ///
    /// What these execute is not counted, so that a baseline says little of what the program does.
    #[arg(long, help_heading = "Counting")]
    pub starts_others: bool,
    /// Runs, to find what does not repeat; 2 at least.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=100), help_heading = "Counting")]
    pub runs: u32,
    /// Share of instructions from which on a method is listed.
    ///
    /// Of those of a benchmark; a listed method has its blocks in the file.
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = fraction, help_heading = "Counting")]
    pub share: f64,
    /// A model of the program: explanations then have prices.
    #[arg(long, value_name = "MODEL.json", value_hint = ValueHint::FilePath, help_heading = "Counting")]
    pub prices: Option<PathBuf>,
    #[command(flatten)]
    pub limits: GateLimitArgs,
    #[command(flatten)]
    pub run: GateRunArgs,
}

#[derive(Debug, Args)]
pub struct GateCheckArgs {
    /// The baseline.
    #[arg(value_name = "BASELINE.json", value_hint = ValueHint::FilePath)]
    pub baseline: PathBuf,
    /// Folder or jar of the tests, if it is another one than when the baseline was recorded.
    #[arg(long, value_name = "DIR|JAR", value_hint = ValueHint::AnyPath)]
    pub tests: Option<PathBuf>,
    #[command(flatten)]
    pub limits: GateLimitArgs,
    /// Write the verdict in Markdown to this file, at its end: for a job's summary.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Outputs")]
    pub markdown: Option<PathBuf>,
    /// Write it as a report of JUnit.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Outputs")]
    pub junit: Option<PathBuf>,
    /// Write the figures in Bencher's metric format.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Outputs")]
    pub bencher: Option<PathBuf>,
    /// Write the figures for github-action-benchmark, tool customSmallerIsBetter.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Outputs")]
    pub benchmark_action: Option<PathBuf>,
    /// Print workflow commands of GitHub Actions, which annotate source lines.
    #[arg(long, help_heading = "Outputs")]
    pub annotations: bool,
    /// Root of the subject's source files, for annotations; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Outputs")]
    pub sources: Vec<PathBuf>,
    /// Most methods that are printed.
    #[arg(long, default_value_t = 10, value_name = "N", help_heading = "Outputs")]
    pub limit: usize,
    #[command(flatten)]
    pub run: GateRunArgs,
}

#[derive(Debug, Args)]
pub struct GateAcceptArgs {
    /// The baseline.
    #[arg(value_name = "BASELINE.json", value_hint = ValueHint::FilePath)]
    pub baseline: PathBuf,
    /// Why the change is worth what it costs; kept in the file.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// A model of the program, which says what its methods cost; without it there are no prices any more.
    #[arg(long, value_name = "MODEL.json", value_hint = ValueHint::FilePath)]
    pub prices: Option<PathBuf>,
    /// Folder or jar of the tests, if it is another one than when the baseline was recorded.
    #[arg(long, value_name = "DIR|JAR", value_hint = ValueHint::AnyPath)]
    pub tests: Option<PathBuf>,
    /// Take a program that does little beside starting processes.
    ///
    /// What these execute is not counted, so that a baseline says little of what the program does.
    #[arg(long)]
    pub starts_others: bool,
    #[command(flatten)]
    pub run: GateRunArgs,
}
