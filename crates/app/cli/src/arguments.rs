//! Every flag and argument, with its help: the one definition behind parsing, man pages and completions.
//!
//! Doc comments here are what the user reads in `--help`.

mod bounds;
mod evaluator;
mod gate;
mod learning;
mod ocaml;
mod patterns;
mod platform;
mod questions;
mod services;
mod slices;
mod subject;
mod tables;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

pub use bounds::{OcamlBoundArgs, OcamlCompareArgs, SideArg};
pub use evaluator::{EvaluatorBuildArgs, EvaluatorCheckArgs, EvaluatorCommand, EvaluatorServeArgs};
pub use gate::{GateAcceptArgs, GateCheckArgs, GateCommand, GateRecordArgs, GateRunArgs};
pub use learning::{FitArgs, FitChoices, PaceArg};
pub use ocaml::{
    CallArgs, ModeArg, NativeArgs, OcamlCommand, OcamlCountArgs, OcamlEvaluateArgs, OcamlLearnArgs,
    OcamlPredictArgs,
};
pub use patterns::{PatternsArgs, WindowArg};
pub use platform::{
    MoveArgs, PlatformApplyArgs, PlatformCommand, PlatformDiffArgs, PlatformImportArgs,
    PlatformMeasureArgs,
};
pub use questions::{
    DiffArgs, DiffViewer, DiffWeight, ExplainArgs, Layout, PredictArgs, ReportArgs,
};
pub use services::{ServicesCommand, ServicesLearnArgs, ServicesRecordArgs, ServicesShowArgs};
pub use slices::{ExceptionsArg, SliceArgs};
pub use subject::{
    InstrumentArgs, LaunchArgs, RecordArgs, SubjectArgs, Switch, TimeBlocksArgs, TimingArg,
};
pub use tables::{ExportArgs, Format, ImportArgs, InspectArgs, Listing, TableColumns};

/// Learns what a program's running time is made of, and predicts it for inputs it has not seen.
#[derive(Debug, Parser)]
#[command(
    name = "pricetag",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = AFTER_HELP)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a bound was exceeded (a budget of --overhead that cannot be kept, a gate).
Every option can also be given in the environment (--repeat as PRICETAG_REPEAT) or in pricetag.toml in the working directory \
(repeat = 5, for one command below [record] or [ocaml.learn]); a flag wins over the environment, the environment over the file. \
What means different things to different commands is told apart: --output as PRICETAG_RECORD_OUTPUT, or below [record].

Example: pricetag mine --inputs 'corpus/*' -- java -jar app.jar {}";

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Print the result as JSON with a `schema` field.
    #[arg(long, global = true, help_heading = "Common options")]
    pub json: bool,
    /// Print the answer alone: no progress, no notes, no advice on what to do next.
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Common options"
    )]
    pub quiet: bool,
    /// Print more: every run, every failed observation, what each comparison for `--overhead` showed.
    #[arg(long, short, global = true, help_heading = "Common options")]
    pub verbose: bool,
    /// Use colours; `NO_COLOR` is honoured.
    #[arg(long, global = true, hide_short_help = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", help_heading = "Common options")]
    pub color: Color,
    /// Seed of every random choice: same seed, same bytes.
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        default_value_t = 1,
        value_name = "N",
        help_heading = "Common options"
    )]
    pub seed: u64,
    /// Counting runs at the same time. Timing runs are always alone, but for those that `--overhead` compares with counting ones. More than one only if runs do not share files.
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        default_value_t = 1,
        value_name = "N",
        help_heading = "Common options"
    )]
    pub jobs: usize,
    /// Memory that a table may take, such as `500M` or `8G`; by default 2 GiB, or a hundred times the size of its file if that is more.
    #[arg(long, global = true, hide_short_help = true, value_name = "SIZE", value_parser = values::bytes, help_heading = "Common options")]
    pub table_memory: Option<u64>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, made once from the command line"
)]
pub enum Command {
    /// The main job: record, inspect, fit, test on held-out inputs, explain, write a report.
    Mine(MineArgs),
    /// Run a subject over a workload and write a dataset.
    Record(RecordArgs),
    /// Rewrite a jar or war so that its classes count by themselves, where no agent can be loaded.
    ///
    /// The counts are those of the agent. The new archive is run like the old one; at its end the JVM writes the counts to the file that
    /// -Dpricetag.counts=FILE names (pricetag.counts in the working directory by default; FILE.1, FILE.2, … if there is one already), and
    /// `pricetag import FILE --jar OUT.jar -o DATASET` makes a dataset of them. No costs are measured.
    Instrument(InstrumentArgs),
    /// Show what is in a dataset and what can be learnt from it.
    Inspect(InspectArgs),
    /// Write a dataset for other tools.
    Export(ExportArgs),
    /// Make a dataset of a table that another tool wrote, or of the counts of an instrumented jar.
    Import(ImportArgs),
    /// Learn a cost model from a dataset.
    Fit(FitArgs),
    /// Predict the cost of inputs, with an interval and a warning when they are unlike those learnt from.
    Predict(PredictArgs),
    /// Turn a recorded program into a jar that predicts its own cost without running to its end.
    #[command(subcommand)]
    Evaluator(EvaluatorCommand),
    /// Show where the cost goes.
    Explain(ExplainArgs),
    /// Show what a change made a program execute, and what that is worth: two datasets of the same inputs, before and after.
    ///
    /// Methods are matched by name, and by content where they were renamed or renumbered. Counts are exact. Prices come from the
    /// model.json in BEFORE; of what is new, in AFTER.
    Diff(DiffArgs),
    /// Hold a build against a committed baseline of counts: exit code 3, with an explanation, if it costs more.
    #[command(subcommand)]
    Gate(GateCommand),
    /// Show what a sequence of method calls looks like: how local it is, its loops, and the sequences that recur.
    ///
    /// Measures of Hwang & Huang's analyzer in one pass: localities, consecutive and loop-N patterns, distances in the class hierarchy, sizes,
    /// native methods. Beyond them, which methods stand between many and unlikely neighbours, and sequences of any length that recur.
    Patterns(PatternsArgs),
    /// Show what a count, a branch, a variable or a field depends on: the slice of the program that decides it. Nothing is run.
    ///
    /// The class path is the command's. Data and control dependences are followed through calls, fields and arrays; a table says what the JDK's
    /// methods do. A static slice is often most of a program; `docs/slices.md` says what it is good for, and what it leaves out.
    Slice(SliceArgs),
    /// Learn what a component does at its border: which calls enter and leave it, how often, with what, and what it executes.
    #[command(subcommand)]
    Services(ServicesCommand),
    /// Measure what a machine, a JVM and its options charge, and compare such price lists.
    #[command(subcommand)]
    Platform(PlatformCommand),
    /// Write one self-contained HTML page about a model.
    Report(ReportArgs),
    /// Time every block by itself, an inaccurate baseline for cost models: its mean with its spread.
    ///
    /// After Lata 2016, section 2.1.1: a clock is read where a block begins and where it ends, calls in the block included. The readings
    /// slow the program down and change how it is compiled, a first execution costs many times a later one, and short blocks
    /// are mostly clock; so this is a baseline to hold against a cost model, not a way to price blocks. `record` and `fit` are. In a
    /// constructor the clock starts when the superclass's constructor has returned; a block that runs when the JVM exits is left out.
    TimeBlocks(TimeBlocksArgs),
    /// Learn, predict and count what OCaml programs cost.
    #[command(subcommand)]
    Ocaml(OcamlCommand),
    /// Check what recording needs: a JVM, the agent, a good timer, a quiet machine.
    Doctor(DoctorArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a directory.
    Man {
        /// Where to write `pricetag.1`, `pricetag-record.1`, ….
        #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        output: Option<PathBuf>,
    },
}

/// What `-h` shows: enough for a first hour. `--help` shows all.
const FIRST: [&str; 23] = [
    "output",
    "report",
    "inputs",
    "workload",
    "timeout",
    "scope",
    "include",
    "exclude",
    "samples",
    "repeat",
    "resume",
    "force",
    "command",
    "attach",
    "every",
    "length",
    "target",
    "method",
    "dataset",
    "features_file",
    "model",
    "platform",
    "calibrate",
];

/// Leaves an argument out of `-h` unless it is one of the first.
fn brief(arg: clap::Arg) -> clap::Arg {
    let shown = FIRST.contains(&arg.get_id().as_str());
    arg.hide_short_help(!shown)
}

#[derive(Debug, Args)]
#[command(mut_args(brief))]
pub struct MineArgs {
    /// Directory of the dataset; the model becomes `model.json` in it.
    #[arg(short, long, default_value = "pricetag-data", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// The report.
    #[arg(long, default_value = "report.html", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: PathBuf,
    /// Root of the subject's source files, for annotated source; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub fit: FitChoices,
    #[command(flatten)]
    pub subject: SubjectArgs,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The java to check.
    #[arg(long, default_value = "java", value_name = "PROGRAM")]
    pub java: String,
    /// The agent's library; beside the executable by default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub agent: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn short_help_fits_on_a_screen() {
        for name in ["mine", "record", "fit", "predict", "explain"] {
            let mut all = Cli::command();
            all.build();
            let command = all.find_subcommand_mut(name).unwrap();
            let (short, long) = (command.render_help(), command.render_long_help());
            let lines = |text: String| text.lines().count();
            let (short, long) = (lines(short.to_string()), lines(long.to_string()));
            assert!(short <= 50, "{name} -h has {short} lines");
            assert!(long > short, "{name}");
        }
    }

    #[test]
    fn the_command_stands_behind_two_dashes() {
        let cli = Cli::try_parse_from([
            "pricetag", "mine", "--inputs", "*", "--", "java", "-jar", "a.jar", "{}",
        ])
        .unwrap();
        let Command::Mine(mine) = cli.command else {
            panic!("not mine")
        };
        assert_eq!(mine.subject.command, ["java", "-jar", "a.jar", "{}"]);
        assert!(Cli::try_parse_from(["pricetag", "record", "-o", "x"]).is_err());
        assert!(Cli::try_parse_from(["pricetag", "predict", "m.json"]).is_err());
    }
}
