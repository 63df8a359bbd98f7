//! A verdict and a history as text.

use std::fmt::Write as _;

use pricetag_finding::Difference;
use pricetag_finding::figure::count;
use pricetag_finding::table::{Align, printable, render};
use pricetag_quantity::counted;

use super::{UNSEEN, change, changed, delta, figure, seen};
use crate::baseline::{Baseline, Entry};
use crate::verdict::{Level, Verdict};

/// Figures shown before the rest is counted.
const ROWS: usize = 20;
/// How the line begins that asks for a model beside a dataset.
const NO_PRICES: &str = "no prices:";
/// How the line begins that asks for a model of the second dataset.
const UNTOLD: &str = "cannot be told:";

/// Lays a verdict out.
pub fn text(verdict: &Verdict, limit: usize, width: usize) -> String {
    let mut text = format!("{}\n", headline(verdict));
    for problem in &verdict.problems {
        let _ = writeln!(text, "  cannot be judged: {}", printable(problem));
    }
    let shown = changed(&verdict.rows);
    if !shown.is_empty() {
        text.push('\n');
        text.push_str(&table(verdict, width));
        if shown.len() > ROWS {
            let _ = writeln!(text, "{} more figures differ", shown.len() - ROWS);
        }
    }
    let unchanged = verdict.unchanged();
    if unchanged > 0 {
        let _ = writeln!(text, "{} as in the baseline", execute(unchanged));
    }
    for note in &verdict.notes {
        let _ = writeln!(text, "note: {}", printable(note));
    }
    match &verdict.difference {
        Some(difference) => {
            text.push('\n');
            text.push_str(&explained(&difference.to_text(limit, width)));
        }
        None => {
            let _ = writeln!(text, "{UNSEEN}");
        }
    }
    text
}

/// `gate of x: passed`, with how much.
pub(super) fn headline(verdict: &Verdict) -> String {
    let suite = printable(&verdict.suite);
    let failed = verdict.of(Level::Failed).count();
    let warned = verdict.of(Level::Warned).count();
    let outcome = if !verdict.problems.is_empty() {
        "FAILED: it cannot be judged".to_owned()
    } else if failed > 0 {
        format!("FAILED: {} beyond what is allowed", figures(failed))
    } else if warned > 0 {
        format!(
            "passed with a warning: {} beyond the soft limit",
            figures(warned)
        )
    } else if verdict.of(Level::Allowed).next().is_some() {
        "passed: figures are above the baseline, as far as is allowed".to_owned()
    } else if verdict.of(Level::Better).next().is_some() {
        "passed: figures are below the baseline; `pricetag gate accept` holds the gain".to_owned()
    } else {
        "passed".to_owned()
    };
    format!("gate of {suite}: {outcome}")
}

fn figures(n: usize) -> String {
    counted(n, "figure")
}

fn execute(n: usize) -> String {
    let verb = if n == 1 { "executes" } else { "execute" };
    format!("{} {verb}", counted(n, "benchmark"))
}

fn table(verdict: &Verdict, width: usize) -> String {
    let header = [
        ("benchmark", Align::Left),
        ("figure", Align::Left),
        ("baseline", Align::Right),
        ("now", Align::Right),
        ("change", Align::Right),
        ("allowed", Align::Right),
        ("", Align::Left),
    ];
    let rows: Vec<Vec<String>> = changed(&verdict.rows)
        .into_iter()
        .take(ROWS)
        .map(|row| {
            vec![
                printable(&row.benchmark),
                row.metric.name().to_owned(),
                figure(&row.before),
                seen(&row.after),
                change(row),
                row.limit.clone(),
                row.level.told().to_owned(),
            ]
        })
        .collect();
    render(&header, &rows, 0, width)
}

/// An explanation that asks for models where a gate takes them.
pub(super) fn explained(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = if line.starts_with(NO_PRICES) {
            "no prices: the baseline was recorded without --prices MODEL.json"
        } else if line.starts_with(UNTOLD) {
            "cannot be told: new code that calls what its method did not call before, or no longer calls what it did, has no price in the baseline"
        } else {
            line
        };
        let _ = writeln!(out, "{line}");
    }
    out
}

/// What was accepted, the latest first.
pub fn history(baseline: &Baseline) -> String {
    let mut text = format!(
        "suite {}, recorded {} with pricetag {}: {}, {}\n",
        printable(&baseline.suite),
        printable(&baseline.recorded),
        printable(&baseline.pricetag),
        counted(baseline.benchmarks.len(), "benchmark"),
        counted(baseline.history.len(), "accepted change"),
    );
    for entry in baseline.history.iter().rev() {
        let (day, reason) = (printable(&entry.accepted), printable(&entry.reason));
        let _ = writeln!(text, "\n{day}  {reason}");
        if entry.changes.is_empty() {
            text.push_str("  no figure changed\n");
        }
        let mut changes: Vec<&Entry> = entry.changes.iter().collect();
        changes.sort_by(|a, b| share(b).total_cmp(&share(a)));
        for change in changes.iter().take(ROWS) {
            let side = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), count);
            let both = change.before.zip(change.after);
            let _ = writeln!(
                text,
                "  {} {}: {} → {}{}",
                printable(&change.benchmark),
                printable(&change.metric),
                side(change.before),
                side(change.after),
                both.map_or_else(String::new, |(a, b)| format!(", {}", delta(a, b)))
            );
        }
        if changes.len() > ROWS {
            let more = counted(changes.len() - ROWS, "more figure");
            let _ = writeln!(text, "  {more} changed: they are in the file");
        }
    }
    text
}

/// Size of an accepted change as a share of what was; what came or went is the largest.
fn share(entry: &Entry) -> f64 {
    let both = entry.before.zip(entry.after);
    both.map_or(f64::INFINITY, |(before, after)| {
        ((after - before) / before).abs()
    })
}

/// Blames, for services that show one line: the first method that executes more.
pub(super) fn culprit(difference: &Difference) -> Option<String> {
    let more = difference
        .changed
        .iter()
        .find(|m| m.instructions.delta() > 0.0)?;
    Some(format!(
        "{} executes {} more instructions",
        more.name,
        count(more.instructions.delta())
    ))
}
