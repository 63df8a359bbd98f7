//! The `pricetag` command line: parses, calls the stages in order, prints.
//!
//! Nothing is computed here. `arguments` defines every flag, `settings` says where values come from, `commands` holds
//! one module per command, `console` prints, `failure` carries what went wrong and the exit code; `interrupt` is Ctrl-C, and
//! `scratch` holds temporary folders, which go with the command however that ends.

mod analysis;
mod arguments;
mod commands;
mod console;
mod diagnosis;
mod failure;
mod interrupt;
mod invocations;
mod learning;
mod lists;
mod output;
mod recording;
mod scratch;
mod settings;
mod watch;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use pricetag_finding::table::printable_lines;

use arguments::{Cli, Command};
use console::Console;
use failure::Failure;

/// Stack of the thread that does the work: parsers and searches recurse, and a shell may allow the main thread a few hundred KB.
const STACK: usize = 256 << 20;

/// Exit code of an error of ours.
const PANICKED: u8 = 101;

fn main() -> ExitCode {
    let work = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // It has said so.
        Ok(Err(_panic)) => ExitCode::from(PANICKED),
        Err(why) => refuse(
            &Failure::new(format!("cannot start a thread: {why}"))
                .advice("allow this program more memory (ulimit -v) or more threads (ulimit -u)"),
            false,
            false,
        ),
    }
}

fn work() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let console = Console::new(&cli.common);
    match interrupt::watch().and_then(|()| run(&cli, &console)) {
        Ok(code) => code,
        Err(failure) => refuse(&failure, console.json, console.color),
    }
}

/// Says why; nothing else goes to standard output when a command fails.
fn refuse(failure: &Failure, json: bool, color: bool) -> ExitCode {
    if json {
        console::print_json(&format!("{:#}", failure.json())).ok();
    }
    writeln!(std::io::stderr(), "{}", failure.text(color)).ok();
    ExitCode::from(failure.code)
}

/// Flags over environment over `pricetag.toml` over defaults.
fn parse() -> Result<Cli, ExitCode> {
    let color =
        std::env::args_os().any(|a| a == "--color=never") || std::env::var_os("NO_COLOR").is_some();
    let choice = if color {
        clap::ColorChoice::Never
    } else {
        clap::ColorChoice::Auto
    };
    let report = |failure: Failure| {
        let json = settings::json_is_asked_for(&toml::Table::new());
        refuse(&failure, json, false)
    };
    let settings = settings::read(Path::new(".")).map_err(report)?;
    let command = settings::apply(Cli::command().color(choice), &settings).map_err(report)?;
    let given = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let odd = settings::unknown_variables(&command, given);
    let matches = command
        .try_get_matches()
        .and_then(|m| Cli::from_arg_matches(&m));
    if matches.as_ref().is_ok_and(|cli| !cli.common.quiet) {
        for name in odd {
            console::tell(&format!(
                "warning: the environment has {name}, which is no option and is ignored; `pricetag COMMAND --help` lists the options, --repeat is PRICETAG_REPEAT"
            ));
        }
    }
    matches.map_err(|e| {
        // Help and version are printed on standard output and are no failure.
        let code = u8::try_from(e.exit_code()).unwrap_or(failure::USAGE);
        if code != 0 && settings::json_is_asked_for(&settings) {
            console::print_json(&format!("{:#}", Failure::of_usage(&e).json())).ok();
        }
        let plain = e.to_string();
        if printable_lines(&plain) == plain {
            e.print().ok();
        } else {
            // What was given drives terminals: it is named without colours.
            console::tell(plain.trim_end());
        }
        let unquoted = std::env::args_os().any(|word| word == "--inputs");
        if e.kind() == clap::error::ErrorKind::UnknownArgument && unquoted {
            console::tell("  try: quote the pattern of --inputs, or the shell puts all files in its place: --inputs 'in/*'");
        }
        ExitCode::from(code)
    })
}

fn run(cli: &Cli, console: &Console) -> Result<ExitCode, Failure> {
    let common = &cli.common;
    if let Some(bytes) = common.table_memory {
        pricetag_dataset::table::allow(bytes);
    }
    match &cli.command {
        Command::Mine(args) => commands::mine::run(args, common, console),
        Command::Record(args) => commands::record::run(args, common, console),
        Command::Instrument(args) => commands::instrument::run(args, console),
        Command::Inspect(args) => commands::inspect::run(args, console),
        Command::Export(args) => commands::export::run(args, console),
        Command::Import(args) => commands::import::run(args, console),
        Command::Fit(args) => commands::fit::run(args, common, console),
        Command::Predict(args) => commands::predict::run(args, common, console),
        Command::Evaluator(command) => commands::evaluator::run(command, common, console),
        Command::Explain(args) => commands::explain::run(args, console),
        Command::Diff(args) => commands::diff::run(args, console),
        Command::Gate(command) => commands::gate::run(command, common, console),
        Command::Patterns(args) => commands::patterns::run(args, console),
        Command::Services(command) => commands::services::run(command, common, console),
        Command::Slice(args) => commands::slice::run(args, console),
        Command::Platform(command) => commands::platform::run(command, common, console),
        Command::Report(args) => commands::report::run(args, console),
        Command::TimeBlocks(args) => commands::time_blocks::run(args, common, console),
        Command::Ocaml(command) => commands::ocaml::run(command, common, console),
        Command::Doctor(args) => commands::doctor::run(args, console),
        Command::Completions { shell } => commands::pages::completions(*shell),
        Command::Man { output } => commands::pages::man(output.as_deref(), console),
    }
}
