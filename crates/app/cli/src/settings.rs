//! Where a value comes from: flag, then environment (`PRICETAG_…`), then `pricetag.toml`, then default.
//!
//! The file's values become clap's defaults and the environment is clap's own, so the order is clap's and holds for
//! every option alike. At the file's top level a key holds for all commands that have the option; in a table named as a
//! command, for that one (`[record]`, `[ocaml]`, `[ocaml.learn]`); the innermost table wins.

use std::collections::{BTreeMap, BTreeSet};
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
pub fn apply(command: Command, settings: &Table) -> Result<Command, Failure> {
    check(&command, settings, "")?;
    let ambiguous = ambiguous(&command);
    Ok(equipped(command, &[], Some(settings), "", &ambiguous))
}

/// `own` is the table named as this command, `outer` those around it, the innermost last; `place` begins the names of variables that
/// are this command's alone.
fn equipped(
    mut command: Command,
    outer: &[&Table],
    own: Option<&Table>,
    place: &str,
    ambiguous: &BTreeSet<String>,
) -> Command {
    let tables: Vec<&Table> = outer.iter().copied().chain(own).collect();
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    command = command.mut_args(|arg| equip(arg, &tables, place, ambiguous));
    for name in names {
        let inner = own.and_then(|table| table.get(&name)?.as_table());
        let place = format!("{place}{name}_");
        command = command.mut_subcommand(&name, |sub| {
            equipped(sub, &tables, inner, &place, ambiguous)
        });
    }
    command
}

fn equip(arg: Arg, tables: &[&Table], place: &str, ambiguous: &BTreeSet<String>) -> Arg {
    let Some(long) = arg.get_long().map(str::to_owned) else {
        return arg;
    };
    if matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    ) {
        return arg;
    }
    let place = if ambiguous.contains(&long) { place } else { "" };
    let variable = format!("pricetag_{place}{long}").to_uppercase();
    let mut arg = arg.env(variable.replace('-', "_")).hide_env(true);
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        arg = arg.value_parser(FalseyValueParser::new());
    }
    match tables.iter().rev().find_map(|table| table.get(&long)) {
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

/// Variables that are no options: of the tests.
const OF_TESTS: [&str; 8] = [
    "CHROMIUM",
    "CONFORMANCE",
    "EXACTNESS",
    "FULL",
    "LINK",
    "SUBJECTS",
    "TESTBED",
    "ASAN_TARGET",
];

/// Variables of the environment that look like options and are none: they would be ignored.
pub fn unknown_variables(command: &Command, given: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    collect_variables(command, &mut known);
    let odd = given.filter(|name| {
        let ours = name.strip_prefix("PRICETAG_");
        ours.is_some_and(|rest| !known.contains(name) && !OF_TESTS.contains(&rest))
    });
    odd.collect()
}

fn collect_variables(command: &Command, known: &mut BTreeSet<String>) {
    let variables = command.get_arguments().filter_map(Arg::get_env);
    known.extend(variables.map(|name| name.to_string_lossy().into_owned()));
    command
        .get_subcommands()
        .for_each(|sub| collect_variables(sub, known));
}

/// Whether `--json` is given somehow, for failures before the command line is understood.
pub fn json_is_asked_for(settings: &Table) -> bool {
    let ours = std::env::args_os().take_while(|argument| argument != "--");
    let falsey = ["", "0", "n", "no", "f", "false", "off"];
    let variable = std::env::var("PRICETAG_JSON")
        .is_ok_and(|value| !falsey.contains(&value.to_lowercase().as_str()));
    ours.into_iter().any(|argument| argument == "--json")
        || variable
        || settings.get("json").and_then(Value::as_bool) == Some(true)
}

/// Every key must be an option of the table's command or of those below it, and mean one thing to them; every table a command. `place`
/// ends in a dot or is empty.
fn check(command: &Command, table: &Table, place: &str) -> Result<(), Failure> {
    let ambiguous = ambiguous(command);
    for (key, value) in table {
        match (value.as_table(), command.find_subcommand(key)) {
            (Some(inner), Some(sub)) => check(sub, inner, &format!("{place}{key}."))?,
            (None, _) if ambiguous.contains(key) => {
                let why =
                    format!("{FILE}: `{place}{key}` means different things to different commands");
                return Err(Failure::usage(why)
                    .advice("move it into the table of a command, such as [record]"));
            }
            (None, _) if has(command, key) => {}
            _ => {
                let why = format!("{FILE}: `{place}{key}` is no option");
                return Err(Failure::usage(why).advice(
                    "keys are the long names of options, those of all commands at the top; tables are named as commands",
                ));
            }
        }
    }
    Ok(())
}

fn has(command: &Command, key: &str) -> bool {
    command.get_arguments().any(|a| a.get_long() == Some(key))
        || command.get_subcommands().any(|sub| has(sub, key))
}

/// Options whose values are called differently by different commands, as `--features` takes a list here and a file there.
fn ambiguous(command: &Command) -> BTreeSet<String> {
    let mut meanings = BTreeMap::new();
    collect(command, &mut meanings);
    let several = meanings.into_iter().filter(|(_, named)| named.len() > 1);
    several.map(|(long, _)| long).collect()
}

fn collect(command: &Command, meanings: &mut BTreeMap<String, BTreeSet<String>>) {
    for arg in command.get_arguments() {
        let Some(long) = arg.get_long() else { continue };
        let values = match arg.get_action() {
            ArgAction::Set | ArgAction::Append => format!("{:?}", arg.get_value_names()),
            _ => String::new(),
        };
        meanings.entry(long.to_owned()).or_default().insert(values);
    }
    command
        .get_subcommands()
        .for_each(|sub| collect(sub, meanings));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Cli, Command as Parsed, OcamlCommand};
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
    fn commands_of_ocaml_have_tables_of_their_own() {
        let file = "[ocaml]\nkeep = 'raw'\n[ocaml.evaluate]\nkeep = 'judged'";
        let learn = parse(file, &["pricetag", "ocaml", "learn", "-o", "list.json"]);
        let Parsed::Ocaml(OcamlCommand::Learn(learn)) = learn.command else {
            panic!("not learn")
        };
        assert_eq!(learn.native.keep.as_deref(), Some(Path::new("raw")));
        let evaluate = parse(file, &["pricetag", "ocaml", "evaluate", "list.json"]);
        let Parsed::Ocaml(OcamlCommand::Evaluate(evaluate)) = evaluate.command else {
            panic!("not evaluate")
        };
        assert_eq!(evaluate.native.keep.as_deref(), Some(Path::new("judged")));
    }

    #[test]
    fn options_of_several_meanings_are_each_commands_own() {
        let command = Cli::command();
        let several = ["features", "output", "values", "window"].map(str::to_owned);
        assert_eq!(ambiguous(&command), BTreeSet::from(several));
        let failure = apply(Cli::command(), &"features = ['loops']".parse().unwrap()).unwrap_err();
        assert!(
            failure.why.contains("`features` means different things"),
            "{failure:?}"
        );
        let command = apply(command, &Table::new()).unwrap();
        let variable = |path: &[&str], long: &str| {
            let of = path
                .iter()
                .fold(&command, |c, name| c.find_subcommand(name).unwrap());
            let arg = of
                .get_arguments()
                .find(|a| a.get_long() == Some(long))
                .unwrap();
            arg.get_env().unwrap().to_string_lossy().into_owned()
        };
        assert_eq!(
            variable(&["predict"], "features"),
            "PRICETAG_PREDICT_FEATURES"
        );
        assert_eq!(
            variable(&["ocaml", "learn"], "output"),
            "PRICETAG_OCAML_LEARN_OUTPUT"
        );
        assert_eq!(variable(&["record"], "count-jdk"), "PRICETAG_COUNT_JDK");
    }

    #[test]
    fn mistyped_variables_are_found() {
        let command = apply(Cli::command(), &Table::new()).unwrap();
        let given = [
            "PRICETAG_REPAET",
            "PRICETAG_REPEAT",
            "PRICETAG_CHROMIUM",
            "PATH",
            "PRICETAG_OUTPUT",
            "PRICETAG_RECORD_OUTPUT",
        ];
        let odd = unknown_variables(&command, given.iter().map(|&name| name.to_owned()));
        assert_eq!(odd, ["PRICETAG_REPAET", "PRICETAG_OUTPUT"]);
    }

    #[test]
    fn unknown_keys_are_refused() {
        for file in [
            "sed = 1",
            "[record]\nrepat = 1",
            "[recrd]\nrepeat = 1",
            "[ocaml]\nrepat = 1",
            "[ocaml.count]\nsed = 1",
            "[learn]\nkeep = 'a'",
            "[record]\nseed = 1",
            "[predict]\nestimator = 'lr'",
        ] {
            let failure = apply(Cli::command(), &file.parse().unwrap()).unwrap_err();
            assert_eq!(failure.code, 2, "{file}");
        }
    }
}
