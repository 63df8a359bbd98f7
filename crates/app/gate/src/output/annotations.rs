//! A verdict as workflow commands of GitHub Actions, which its runner shows beside the source lines of a change.
//!
//! Source: *Workflow commands for GitHub Actions*; in data `%` and line ends are escaped, in properties `:` and `,` as well.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pricetag_finding::MethodChange;
use pricetag_finding::figure::{count, quantity};
use pricetag_finding::table::printable_lines;

use super::text::{culprit, headline};
use crate::verdict::{Level, Verdict};

/// Of a kind, a step shows so many.
const SHOWN: usize = 10;
/// Where sources often are.
const USUAL: [&str; 5] = [
    "src/main/java",
    "src/main/kotlin",
    "src/main/scala",
    "src",
    ".",
];

/// Commands, one a line: the verdict, and the methods that execute more at their lines. `sources` are roots of source files, the usual ones if
/// there are none.
pub fn annotations(verdict: &Verdict, sources: &[PathBuf]) -> String {
    let kind = if !verdict.passed {
        "error"
    } else if verdict.of(Level::Warned).next().is_some() {
        "warning"
    } else {
        "notice"
    };
    let title = property("pricetag gate");
    // Where bytes alone are beyond the limit, no method is known to have allocated them.
    let bytes_alone = verdict.only_bytes_fail();
    let blamed = verdict.difference.as_ref().and_then(culprit);
    let blamed = blamed.filter(|_| !bytes_alone);
    let said = [Some(headline(verdict)), blamed.filter(|_| kind != "notice")];
    let said: Vec<String> = said
        .into_iter()
        .flatten()
        .chain(verdict.problems.clone())
        .chain(verdict.notes.iter().filter(|_| bytes_alone).cloned())
        .collect();
    let mut text = format!("::{kind} title={title}::{}\n", data(&said.join("\n")));
    if kind == "notice" || bytes_alone {
        return text;
    }
    let unit = verdict.difference.as_ref().and_then(|d| d.unit.clone());
    let changed = verdict.difference.iter().flat_map(|d| &d.changed);
    let more = changed.filter(|method| method.instructions.delta() > 0.0);
    for method in more.take(SHOWN - 1) {
        let Some(place) = place(method, sources) else {
            continue;
        };
        let worth = method.worth.as_ref().map(|worth| {
            let unit = unit.as_deref().unwrap_or("1");
            match worth.bounds {
                Some((low, high)) => format!(
                    ", worth {} ({} … {})",
                    quantity(worth.cost, unit),
                    quantity(low, unit),
                    quantity(high, unit)
                ),
                None => format!(", worth {}, no interval", quantity(worth.cost, unit)),
            }
        });
        let message = format!(
            "{} executes {} more instructions: {} → {}{}",
            method.name,
            count(method.instructions.delta()),
            count(method.instructions.before),
            count(method.instructions.after),
            worth.unwrap_or_default()
        );
        let _ = writeln!(text, "::{kind} {place},title={title}::{}", data(&message));
    }
    text
}

/// `file=…,line=…` of the block of a method that executes the most more; none if its file is not found.
fn place(method: &MethodChange, sources: &[PathBuf]) -> Option<String> {
    let place = method.place.as_ref()?;
    let mut blocks = method
        .blocks
        .iter()
        .filter(|block| block.instructions.delta() > 0.0);
    let lines = blocks.find_map(|block| block.lines).or(place.lines)?;
    let relative = place.source_path()?;
    let usual: Vec<PathBuf> = USUAL.iter().map(PathBuf::from).collect();
    let roots = if sources.is_empty() { &usual } else { sources };
    let file = roots
        .iter()
        .map(|root| root.join(&relative))
        .find(|file| file.is_file())?;
    let file = file.strip_prefix(".").map_or(file.as_path(), |bare| bare);
    Some(format!("file={},line={}", property(&shown(file)), lines.0))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn data(text: &str) -> String {
    printable_lines(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
