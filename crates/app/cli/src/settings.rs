//! Where a value comes from: flag, then environment (`PRICETAG_…`), then `pricetag.toml`, then default.
//!
//! The file's values become clap's defaults and the environment is clap's own, so the order is clap's and holds for
//! every option alike. At the file's top level a key holds for all commands that have the option; in a table named as a
//! command, for that one.

use std::path::Path;

use clap::builder::FalseyValueParser;
use clap::{Arg, ArgAction, Command};
use toml::{Table, Value};

use crate::failure::Failure;

/// Name of the settings file.
pub const FILE: &str = "pricetag.toml";

/// Reads the settings file of a directory; an absent file is an empty one.
pub fn read(dir: &Path) -> Result<Table, Failure> {
    let path = dir.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Table::new()),
        Err(e) => return Err(Failure::new(format!("cannot read {}: {e}", path.display()))),
    };
    text.parse::<Table>().map_err(|e| {
        Failure::usage(format!(
            "{} is not valid TOML: {}",
            path.display(),
            e.message()
        ))
    })
}

/// Gives every option its environment variable and the file's value as default.
pub fn apply(mut command: Command, settings: &Table) -> Result<Command, Failure> {
    check(&command, settings)?;
    let names: Vec<String> = command
        .get_subcommands()
        .map(|s| s.get_name().to_owned())
        .collect();
    command = command.mut_args(|arg| equip(arg, settings, None));
    for name in names {
        let own = settings.get(&name).and_then(Value::as_table);
        command =
            command.mut_subcommand(&name, |sub| sub.mut_args(|arg| equip(arg, settings, own)));
    }
    Ok(command)
}

fn equip(arg: Arg, shared: &Table, own: Option<&Table>) -> Arg {
    let Some(long) = arg.get_long().map(str::to_owned) else {
        return arg;
    };
    if matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    ) {
        return arg;
    }
    let mut arg = arg
        .env(format!(
            "PRICETAG_{}",
            long.to_uppercase().replace('-', "_")
        ))
        .hide_env(true);
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        arg = arg.value_parser(FalseyValueParser::new());
    }
    match own.and_then(|t| t.get(&long)).or_else(|| shared.get(&long)) {
        Some(value) => {
            let values = texts(value);
            // A required option that the file gives is given.
            arg.default_values(values).required(false)
        }
        None => arg,
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

/// Whether `--json` is given somehow, for failures before the command line is understood.
pub fn json_is_asked_for(settings: &Table) -> bool {
    let ours = std::env::args().take_while(|argument| argument != "--");
    let falsey = ["", "0", "n", "no", "f", "false", "off"];
    let variable = std::env::var("PRICETAG_JSON")
        .is_ok_and(|value| !falsey.contains(&value.to_lowercase().as_str()));
    ours.into_iter().any(|argument| argument == "--json")
        || variable
        || settings.get("json").and_then(Value::as_bool) == Some(true)
}

/// Every key must be an option, every table a command.
fn check(command: &Command, settings: &Table) -> Result<(), Failure> {
    let has = |c: &Command, key: &str| c.get_arguments().any(|a| a.get_long() == Some(key));
    let everywhere =
        |key: &str| has(command, key) || command.get_subcommands().any(|s| has(s, key));
    let unknown = |key: &str| {
        let why = format!("{FILE}: `{key}` is no option");
        Err(Failure::usage(why)
            .advice("keys are the long names of options; tables are named as commands"))
    };
    for (key, value) in settings {
        match (value.as_table(), command.find_subcommand(key)) {
            (Some(table), Some(sub)) => {
                for inner in table.keys() {
                    if !has(sub, inner) && !has(command, inner) {
                        return unknown(&format!("{key}.{inner}"));
                    }
                }
            }
            (Some(_), None) => return unknown(key),
            (None, _) if !everywhere(key) => return unknown(key),
            (None, _) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Cli, Command as Parsed};
    use clap::{CommandFactory, FromArgMatches};

    fn parse(settings: &str, args: &[&str]) -> Cli {
        let command = apply(Cli::command(), &settings.parse().unwrap()).unwrap();
        Cli::from_arg_matches(&command.try_get_matches_from(args).unwrap()).unwrap()
    }

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        let file = "seed = 7\nrepeat = 9\njson = true\n[record]\nrepeat = 5\ninclude = ['a.**', 'b.*']\noutput = 'data'";
        let cli = parse(file, &["pricetag", "record", "--", "java"]);
        assert_eq!(cli.common.seed, 7);
        assert!(cli.common.json);
        let Parsed::Record(record) = cli.command else {
            panic!("not record")
        };
        assert_eq!(record.subject.repeat, 5);
        assert_eq!(record.subject.include.len(), 2);
        assert_eq!(record.output, Path::new("data"));
        let cli = parse(
            file,
            &[
                "pricetag", "--seed", "8", "mine", "--repeat", "2", "--", "java",
            ],
        );
        assert_eq!(cli.common.seed, 8);
        let Parsed::Mine(mine) = cli.command else {
            panic!("not mine")
        };
        assert_eq!(mine.subject.repeat, 2);
    }

    #[test]
    fn unknown_keys_are_refused() {
        for file in ["sed = 1", "[record]\nrepat = 1", "[recrd]\nrepeat = 1"] {
            let failure = apply(Cli::command(), &file.parse().unwrap()).unwrap_err();
            assert_eq!(failure.code, 2, "{file}");
        }
    }
}
