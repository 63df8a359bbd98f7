//! A verdict as a report of JUnit: each benchmark is a test. The form is what Ant's task writes and Jenkins and GitLab read; there is no standard.

use std::fmt::Write as _;

use super::text::headline;
use super::{change, figure, seen};
use crate::verdict::{Level, Row, Verdict};

/// Name of the test that fails where the whole cannot be judged.
const WHOLE: &str = "can be judged";

/// Lays a verdict out.
pub fn junit(verdict: &Verdict) -> String {
    let mut names: Vec<&str> = verdict
        .rows
        .iter()
        .map(|row| row.benchmark.as_str())
        .collect();
    names.dedup();
    let beyond = |name: &str| -> Vec<&Row> {
        let failed = verdict.of(Level::Failed);
        failed.filter(|row| row.benchmark == name).collect()
    };
    let failures = names.iter().filter(|name| !beyond(name).is_empty()).count();
    let errors = usize::from(!verdict.problems.is_empty()) + verdict.missing.len();
    let suite = escaped(&verdict.suite);
    let sums = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"0\"",
        names.len() + verdict.missing.len() + 1
    );
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"pricetag gate\" {sums}>");
    let _ = writeln!(text, "  <testsuite name=\"{suite}\" {sums}>");
    let mut case = |name: &str, outcome: &str| {
        let name = escaped(name);
        let _ = writeln!(
            text,
            "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"0\">{outcome}</testcase>"
        );
    };
    let problems = verdict.problems.join("\n");
    let judged = if problems.is_empty() {
        String::new()
    } else {
        told("error", "not-judged", &headline(verdict), &problems)
    };
    case(WHOLE, &judged);
    for name in names {
        let rows = beyond(name);
        let lines: Vec<String> = rows.iter().map(|row| line(row)).collect();
        let outcome = match lines.first() {
            Some(first) => told("failure", "costs-more", first, &lines.join("\n")),
            None => String::new(),
        };
        case(name, &outcome);
    }
    for name in &verdict.missing {
        let why = "it did not run, or failed: see the test that all can be judged";
        case(name, &told("error", "did-not-run", why, why));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn told(element: &str, kind: &str, message: &str, text: &str) -> String {
    format!(
        "<{element} type=\"{kind}\" message=\"{}\">{}</{element}>",
        escaped(message),
        escaped(text)
    )
}

/// `instructions: 382 → 400, +18 (+4.7 %), allowed 0%`.
fn line(row: &Row) -> String {
    format!(
        "{}: {} → {}, {}, allowed {}",
        row.metric.name(),
        figure(&row.before),
        seen(&row.after),
        change(row),
        row.limit
    )
}

/// Text in XML 1.0, section 2.2: what it cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
