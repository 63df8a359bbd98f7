//! Whether an agent that was told what to count when its program started counts what is asked for now.
//!
//! What is not asked for is as the agent has it: only an option that is given is compared.

use std::collections::BTreeSet;

use pricetag_dataset::FeatureKind;
use pricetag_trace::{AgentOptions, Pattern};

use crate::arguments::SubjectArgs;
use crate::failure::Failure;
use crate::watch::{asked_for, asks_for, splits_invocations, splits_loops};

/// Refuses options that ask for something else.
pub fn check(counted: &AgentOptions, args: &SubjectArgs) -> Result<(), Failure> {
    let listed = asked_for(args)? != counted.keep;
    let asks = |kind| asks_for(args, kind);
    let options = [
        ("--include", differ(&args.include, &counted.include)),
        ("--exclude", differ(&args.exclude, &counted.exclude)),
        ("--methods", args.methods.is_some() && listed),
        ("--blocks", args.blocks.is_some() && listed),
        ("--count-jdk", args.count_jdk && !counted.count_jdk),
        (
            "transitions in --features",
            asks(FeatureKind::Transition) && !counted.transitions,
        ),
        (
            "strides in --features",
            asks(FeatureKind::Stride) && !counted.strides,
        ),
        (
            "loops and context in --features",
            splits_loops(args) && !counted.callers,
        ),
        (
            "methods and context in --features",
            splits_invocations(args) && !counted.invocations,
        ),
        (
            "--features",
            counted.keep.blocks().next().is_some() && !of_blocks(args),
        ),
    ];
    let options: Vec<&str> = options
        .iter()
        .filter_map(|(option, differs)| differs.then_some(*option))
        .collect();
    if options.is_empty() {
        return Ok(());
    }
    let options = options.join(", ");
    let why = format!(
        "the program was started with an agent that counts {}: it cannot do as {options} says",
        described(counted)
    );
    Err(Failure::usage(why).advice(format!(
        "leave out {options}; or start the program again without the agent, and give this command with its new process id"
    )))
}

/// Whether patterns are given, and others than there are.
fn differ(asked: &[Pattern], there: &[Pattern]) -> bool {
    let [asked, there] = [asked, there].map(|list| list.iter().collect::<BTreeSet<_>>());
    !asked.is_empty() && asked != there
}

/// Whether no features are named that are not counted of listed blocks.
fn of_blocks(args: &SubjectArgs) -> bool {
    let mut kinds = args.features.iter().flat_map(|group| &group.0);
    kinds.all(|kind| {
        matches!(
            kind,
            FeatureKind::Block
                | FeatureKind::Opcode
                | FeatureKind::Call
                | FeatureKind::Transition
                | FeatureKind::Stride
        )
    })
}

/// What an agent counts.
fn described(counted: &AgentOptions) -> String {
    let patterns = |option: &str, list: &[Pattern]| -> Vec<String> {
        list.iter()
            .map(|pattern| format!("{option} {}", pattern.as_str()))
            .collect()
    };
    let lists = [
        ("listed methods", counted.keep.methods().count()),
        ("listed blocks", counted.keep.blocks().count()),
    ];
    let kinds = [
        ("--count-jdk", counted.count_jdk),
        ("transitions", counted.transitions),
        ("strides", counted.strides),
        ("loops by caller", counted.callers),
        ("invocations by caller", counted.invocations),
    ];
    let mut parts = patterns("--include", &counted.include);
    if parts.is_empty() {
        parts.push("every class of the program".to_owned());
    }
    parts.extend(patterns("--exclude", &counted.exclude));
    let listed = lists.iter().filter(|(_, number)| *number > 0);
    parts.extend(listed.map(|(what, number)| format!("only {number} {what}")));
    let there = kinds.iter().filter(|(_, there)| *there);
    parts.extend(there.map(|(what, _)| (*what).to_owned()));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Cli, Command};
    use clap::Parser;
    use pricetag_trace::{Listed, Mode};

    fn refused(counted: &AgentOptions, line: &str) -> Option<String> {
        let line = format!("pricetag record -o data --attach 1 {line}");
        let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
        let Command::Record(record) = cli.command else {
            panic!("not record")
        };
        check(counted, &record.subject).err().map(|failure| {
            assert_eq!(failure.code, crate::failure::USAGE);
            failure.why
        })
    }

    #[test]
    fn only_what_is_asked_for_and_differs_is_refused() {
        let patterns = ["a.**", "b.*"].map(|p| Pattern::new(p).unwrap());
        let counted = AgentOptions {
            include: patterns.to_vec(),
            transitions: true,
            ..AgentOptions::new(Mode::Count, "t")
        };
        for agreed in [
            "",
            "--include b.* --include a.**",
            "--features transitions,loops",
            "--features context",
        ] {
            assert_eq!(refused(&counted, agreed), None, "{agreed}");
        }
        for (line, option) in [
            ("--include a.**", "--include"),
            ("--exclude c.*", "--exclude"),
            ("--count-jdk", "--count-jdk"),
            ("--features strides", "strides"),
            ("--features loops,context", "loops and context"),
            ("--features methods,context", "methods and context"),
        ] {
            let why = refused(&counted, line).unwrap();
            let counts = "counts --include a.**, --include b.*, transitions: ";
            assert!(why.contains(counts) && why.contains(option), "{why}");
        }
    }

    #[test]
    fn an_agent_of_listed_blocks_has_no_other_features() {
        let block = "a.B.c(int) block 3".parse().unwrap();
        let counted = AgentOptions {
            keep: Listed::Blocks([block].into()),
            ..AgentOptions::new(Mode::Count, "t")
        };
        assert_eq!(refused(&counted, "--features blocks,opcodes"), None);
        let why = refused(&counted, "--features loops").unwrap();
        assert!(why.contains("only 1 listed blocks"), "{why}");
    }
}
