//! Flags of `pricetag services`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use pricetag_trace::Pattern;

use super::subject::LaunchArgs;
use super::values::{pattern, word};

#[derive(Debug, Subcommand)]
pub enum ServicesCommand {
    /// Run a program and note each call that enters a component and each that leaves it, with parameters and results.
    ///
    /// The program runs once more for what the component's own code executes in each call, and --repeat times for times.
    Record(ServicesRecordArgs),
    /// Learn formulas: how often each required service is called, with what, and what is executed.
    ///
    /// A third of the calls is kept aside to check the formulas.
    Learn(ServicesLearnArgs),
    /// Show a learnt behaviour as text.
    Show(ServicesShowArgs),
}

#[derive(Debug, Args)]
pub struct ServicesRecordArgs {
    /// The component's classes, such as `org.shop.**`; may be repeated.
    #[arg(long, required = true, value_name = "PATTERN", value_parser = pattern)]
    pub component: Vec<Pattern>,
    /// Where to write what was recorded.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Count calls of the JDK's files, channels and sockets as required services, too.
    #[arg(long)]
    pub resources: bool,
    /// Do not count instructions and take no times: the program runs once.
    #[arg(long)]
    pub calls_only: bool,
    /// How instructions are grouped: `fine`, `lata`, or a TOML file of your own.
    #[arg(long, value_name = "TABLE", default_value = "fine", value_hint = ValueHint::FilePath)]
    pub categories: String,
    /// Timing runs per input; none for 0.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub repeat: u32,
    /// Run the program on each file that matches; `{}` in the command stands for the file.
    #[arg(long, value_name = "GLOB", value_parser = word(), conflicts_with = "workload")]
    pub inputs: Option<String>,
    /// Run it on each row of a CSV file; `{column}` in the command stands for the row's value.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub workload: Option<PathBuf>,
    /// Replace what is already there.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Where rewritten classes are kept for later recordings: a directory, or `none`; `pricetag` in the user's cache by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cache: Option<PathBuf>,
    /// The program's command, such as `java -jar shop.jar`.
    #[arg(last = true, required = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ServicesLearnArgs {
    /// What `services record` wrote.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub recording: PathBuf,
    /// The behaviour to write.
    #[arg(short, long, default_value = "behaviour.json", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Numbers that may occur in formulas, beside those in the component's code.
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub constants: Vec<f64>,
    /// Do not offer the numbers in the component's code.
    #[arg(long)]
    pub no_code: bool,
    /// Generations of genetic programming, for what no simple law explains.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub generations: u32,
    /// Show every category of instructions.
    #[arg(long)]
    pub all: bool,
    /// Replace a behaviour that is already there.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct ServicesShowArgs {
    /// What `services learn` wrote.
    #[arg(value_name = "BEHAVIOUR.json", value_hint = ValueHint::FilePath)]
    pub behaviour: PathBuf,
    /// Show every category of instructions.
    #[arg(long)]
    pub all: bool,
    /// Write a Palladio model (repository) into this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub palladio: Option<PathBuf>,
    /// Draw the component and its calls into an SVG file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub picture: Option<PathBuf>,
    /// Write the drawing and the formulas as one HTML page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
}
