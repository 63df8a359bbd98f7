//! The worked examples of the learning guides, literally: their commands are run, and what the guides show of the output
//! must be in the output.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::{Desk, ran};
use pricetag_study::Method;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs")
}

/// Words of a command, quoted ones whole.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, piece) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The command in a line, alone, behind a prompt or between backquotes in a sentence.
fn command(line: &str, in_code: bool) -> Option<&str> {
    const START: &str = "pricetag fit docs/learning/";
    if in_code {
        let line = line.trim().trim_start_matches("$ ");
        return line.starts_with(START).then_some(line);
    }
    line.split('`').find(|span| span.starts_with(START))
}

/// A line with its columns moved together; a last word may be cut off by an ellipsis.
fn collapsed(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").trim_end_matches('…').trim_end().to_owned()
}

/// What was found in the examples of the pages.
#[derive(Default)]
struct Examples {
    /// What they say and the program does not.
    wrong: Vec<String>,
    /// The methods of their commands.
    methods: BTreeSet<String>,
    /// Lines compared.
    lines: usize,
}

/// Runs the examples of a page.
fn compare(page: &str, desk: &Desk, found: &mut Examples) {
    // What the commands since the last heading printed.
    let mut printed: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in page.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let in_code = fenced || line.starts_with("    ");
        if !in_code && line.starts_with('#') {
            printed.clear();
        }
        if let Some(command) = command(line, in_code) {
            let words = words(command);
            let method = words.iter().skip_while(|w| *w != "--method").nth(1);
            found
                .methods
                .insert(method.map_or("auto", String::as_str).to_owned());
            let mut run = desk.command("");
            run.args(&words[1..]);
            let run = ran(run);
            if run.code != 0 {
                found.wrong.push(format!("{command}: {}", run.stderr));
            }
            printed.extend(run.stdout.lines().map(collapsed));
            continue;
        }
        let shown = collapsed(line);
        if in_code && !shown.is_empty() && !printed.is_empty() {
            found.lines += 1;
            if !printed.iter().any(|line| line.contains(&shown)) {
                found.wrong.push(format!("not printed: {shown}"));
            }
        }
    }
}

#[test]
fn worked_examples_are_what_the_program_prints() {
    let desk = Desk::new(&[]);
    let guides = docs().join("learning");
    let tables = desk.path("docs/learning");
    std::fs::create_dir_all(&tables).unwrap();
    let mut pages = vec![docs().join("learning.md")];
    for file in std::fs::read_dir(&guides).unwrap() {
        let path = file.unwrap().path();
        match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => {
                std::fs::copy(&path, tables.join(path.file_name().unwrap())).unwrap();
            }
            Some("md") => pages.push(path),
            _ => {}
        }
    }
    pages.sort();
    let mut found = Examples::default();
    for page in pages {
        compare(&std::fs::read_to_string(&page).unwrap(), &desk, &mut found);
    }
    assert!(found.wrong.is_empty(), "{:#?}", found.wrong);
    // Tables have no samples.
    let all = Method::NAMES.iter().map(|(name, _)| (*name).to_owned());
    let all = all.filter(|name| name != "sampled");
    assert_eq!(found.methods, all.collect::<BTreeSet<_>>());
    assert!(found.lines >= 100, "{}", found.lines);
}
