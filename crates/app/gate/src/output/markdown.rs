//! A verdict in Markdown, for the summary of a job or a comment.

use std::fmt::Write as _;

use pricetag_finding::table::markdown as escaped;

use super::text::{explained, headline};
use super::{UNSEEN, change, changed, figure, seen};
use crate::verdict::Verdict;

/// Figures shown: a summary has room for a mebibyte.
const ROWS: usize = 200;

/// Lays a verdict out.
pub fn markdown(verdict: &Verdict, limit: usize) -> String {
    let mut text = format!("## {}\n\n", escaped(&headline(verdict)));
    for problem in &verdict.problems {
        let _ = writeln!(text, "**Cannot be judged:** {}\n", escaped(problem));
    }
    let shown = changed(&verdict.rows);
    if !shown.is_empty() {
        text.push_str("| benchmark | figure | baseline | now | change | allowed | |\n");
        text.push_str("|---|---|--:|--:|--:|--:|---|\n");
        for row in shown.iter().take(ROWS) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} |",
                escaped(&row.benchmark),
                row.metric.name(),
                figure(&row.before),
                seen(&row.after),
                change(row),
                escaped(&row.limit),
                row.level.told()
            );
        }
        if shown.len() > ROWS {
            let _ = writeln!(text, "\n{} more figures differ", shown.len() - ROWS);
        }
        text.push('\n');
    }
    let unchanged = verdict.unchanged();
    if unchanged > 0 {
        let _ = writeln!(
            text,
            "Benchmarks that execute as in the baseline: {unchanged}\n"
        );
    }
    for note in &verdict.notes {
        let _ = writeln!(text, "- {}", escaped(note));
    }
    match &verdict.difference {
        Some(difference) => {
            text.push('\n');
            text.push_str(&explained(&difference.to_markdown(limit)));
        }
        None => {
            let _ = writeln!(text, "\n{UNSEEN}");
        }
    }
    text
}
