//! A difference as text and as Markdown.

use std::fmt::Write as _;

use super::{Change, CostChange, Difference, Priced};
use crate::figure::{brief, count, percent, quantity};
use crate::table::{Align, markdown as escaped, printable, render};

/// What the intervals of measured times do not cover.
const APART: &str = "Times are of two recordings: where the machine was busier in one, they differ without the program, and their intervals do not know it.";
/// What a count cannot see.
const UNSEEN: &str = "Counts do not see memory and caches, contention, waiting and native code: the measured costs do.";
/// Blocks shown of each method.
const BLOCKS: usize = 4;
/// Costs that are told.
const SHOWN: [&str; 3] = ["cpu", "wall", "alloc"];
/// Names listed before the rest is counted.
const NAMES: usize = 3;

impl Change {
    /// `+1,200 (+4.1 %)`.
    fn told(&self) -> String {
        let delta = self.delta();
        if delta == 0.0 {
            return "no change".to_owned();
        }
        let relative = if self.before > 0.0 {
            format!(" ({})", signed_percent(delta / self.before))
        } else {
            String::new()
        };
        format!("{}{relative}", signed(delta, count))
    }
}

/// What is told of a difference, for any layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The setting, totals and measured costs, a sentence each.
    pub head: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<(String, Align)>,
    /// Methods and, indented by two blanks, what is told of the one above.
    pub rows: Vec<Vec<String>>,
    /// What else there is, a sentence each.
    pub tail: Vec<String>,
}

impl Difference {
    /// The setting, totals, methods, their blocks.
    pub fn told(&self, limit: usize) -> Told {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let mut tail = String::new();
        self.tail(&mut tail, limit);
        Told {
            head: lines(&self.head()),
            columns: self.header(),
            rows: self.rows(limit),
            tail: lines(&tail),
        }
    }

    /// Lays it out as text.
    pub fn to_text(&self, limit: usize, width: usize) -> String {
        let told = self.told(limit);
        let mut text = told.head.join("\n") + "\n";
        if !told.rows.is_empty() {
            let columns = told.columns.iter();
            let header: Vec<(&str, Align)> = columns
                .map(|(name, align)| (name.as_str(), *align))
                .collect();
            text.push('\n');
            text.push_str(&render(&header, &told.rows, 0, width));
        }
        for line in told.tail {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The same in Markdown, for a summary of continuous integration or a comment.
    pub fn to_markdown(&self, limit: usize) -> String {
        let told = self.told(limit);
        let mut text = "### What the change costs\n\n".to_owned();
        paragraphs(&mut text, &told.head);
        if !told.rows.is_empty() {
            let columns = told.columns.iter();
            let cells: Vec<&str> = columns.clone().map(|(name, _)| name.as_str()).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            let sides = columns.map(|(_, align)| if *align == Align::Left { "---" } else { "--:" });
            let _ = writeln!(text, "|{}|", sides.collect::<Vec<_>>().join("|"));
            for row in told.rows {
                let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
            text.push('\n');
        }
        paragraphs(&mut text, &told.tail);
        text
    }

    fn head(&self) -> String {
        let mut text = String::new();
        for setting in &self.settings {
            let shown = |value: &str| printable(if value.is_empty() { "none" } else { value });
            let _ = writeln!(
                text,
                "{} differs: {} → {}",
                setting.name,
                shown(&setting.before),
                shown(&setting.after)
            );
        }
        let verdict = if self.is_same() {
            ": every count that repeats is the same"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "instructions over the {} inputs both ran: {} → {}, {}{verdict}",
            self.inputs,
            count(self.instructions.before),
            count(self.instructions.after),
            self.instructions.told(),
        );
        for cost in self.costs.iter().filter(|c| self.is_shown(c)) {
            let ratio = match (cost.ratio, cost.ratio_bounds) {
                (Some(ratio), Some((low, high))) => format!(
                    "; of one input on average {} (95 % interval {} … {})",
                    signed_percent(ratio - 1.0),
                    signed_percent(low - 1.0),
                    signed_percent(high - 1.0)
                ),
                (Some(ratio), None) => format!(
                    "; of one input on average {}, too few inputs for an interval",
                    signed_percent(ratio - 1.0)
                ),
                _ => String::new(),
            };
            let _ = writeln!(
                text,
                "{} measured: {} → {} in all{}{ratio}",
                printable(&cost.name),
                quantity(cost.before, &cost.unit),
                quantity(cost.after, &cost.unit),
                if cost.before > 0.0 {
                    format!(", {}", signed_percent(cost.after / cost.before - 1.0))
                } else {
                    String::new()
                }
            );
        }
        if self
            .costs
            .iter()
            .any(|c| self.is_shown(c) && c.unit == "ns")
        {
            let _ = writeln!(text, "{APART}");
        }
        for (names, side) in [(&self.only_before, "first"), (&self.only_after, "second")] {
            if !names.is_empty() {
                let _ = writeln!(
                    text,
                    "in the {side} alone, not compared: {}",
                    some_of(names.iter())
                );
            }
        }
        text
    }

    /// Whether a cost is one that people ask for; JSON has all.
    fn is_shown(&self, cost: &CostChange) -> bool {
        let asked = SHOWN.contains(&cost.name.as_str()) || self.target.as_ref() == Some(&cost.name);
        asked && (cost.before, cost.after) != (0.0, 0.0)
    }

    fn header(&self) -> Vec<(String, Align)> {
        let worth = match &self.target {
            Some(target) => format!("worth ({target})"),
            None => "worth".to_owned(),
        };
        [
            ("method", Align::Left),
            ("calls", Align::Right),
            ("instructions", Align::Right),
            (worth.as_str(), Align::Right),
        ]
        .map(|(name, align)| (name.to_owned(), align))
        .to_vec()
    }

    /// Methods, and under each its blocks.
    fn rows(&self, limit: usize) -> Vec<Vec<String>> {
        let unit = self.unit.as_deref().unwrap_or("1");
        let mut rows = Vec::new();
        for method in self.changed.iter().take(limit) {
            let what = match method.kind.as_str() {
                "changed" => method
                    .was
                    .as_ref()
                    .map_or_else(String::new, |was| format!(" (was {})", brief(was))),
                kind => format!(" ({kind})"),
            };
            let worth = match &method.worth {
                Some(Priced {
                    cost,
                    bounds: Some(ends),
                }) => {
                    // An end that is next to nothing is none.
                    let wide = ends.0.abs().max(ends.1.abs());
                    let end = |end: f64| if end.abs() < 1e-3 * wide { 0.0 } else { end };
                    format!(
                        "{} ({} … {})",
                        signed(*cost, |c| quantity(c, unit)),
                        signed(end(ends.0), |c| quantity(c, unit)),
                        signed(end(ends.1), |c| quantity(c, unit))
                    )
                }
                Some(Priced { cost, bounds: None }) => {
                    format!("{}, no interval", signed(*cost, |c| quantity(c, unit)))
                }
                None => "cannot be told".to_owned(),
            };
            rows.push(vec![
                format!("{}{what}", brief(&method.name)),
                method.invocations.told(),
                if method.instructions.delta() == 0.0 && method.differing > 0 {
                    format!("the same in sum, not in {} inputs", method.differing)
                } else {
                    method.instructions.told()
                },
                worth,
            ]);
            if let Some(growth) = &method.growth {
                rows.push(vec![
                    format!(
                        "  grew with {}^{:.1}, now ^{:.1}",
                        growth.input, growth.before, growth.after
                    ),
                    String::new(),
                    String::new(),
                    String::new(),
                ]);
            }
            for block in method.blocks.iter().take(BLOCKS) {
                let place = match block.lines {
                    Some((first, last)) => {
                        let alike = method.blocks.iter().filter(|b| b.lines == block.lines);
                        let which = match alike.count() {
                            0 | 1 => String::new(),
                            _ => format!(" (block {})", block.block),
                        };
                        if first == last {
                            format!("line {first}{which}")
                        } else {
                            format!("lines {first}–{last}{which}")
                        }
                    }
                    None => format!("block {}", block.block),
                };
                let kind = match block.kind.as_str() {
                    "same" => String::new(),
                    kind => format!(", {kind}"),
                };
                let ran = block.executions;
                rows.push(vec![
                    format!("  {place}{kind}"),
                    format!("{} → {} times", count(ran.before), count(ran.after)),
                    block.instructions.told(),
                    String::new(),
                ]);
            }
        }
        rows
    }

    fn tail(&self, text: &mut String, limit: usize) {
        let more = self.changed.len().saturating_sub(limit);
        if more > 0 {
            let rest: f64 = self
                .changed
                .iter()
                .skip(limit)
                .map(|m| m.instructions.delta())
                .sum();
            let _ = writeln!(
                text,
                "{more} more methods: {} instructions (--limit)",
                signed(rest, count)
            );
        }
        let _ = writeln!(
            text,
            "{} methods execute exactly what they did",
            count(f64::from(self.same))
        );
        if !self.rewritten.is_empty() {
            let _ = writeln!(
                text,
                "{} methods have other code that runs as often and is as long: {}",
                self.rewritten.len(),
                some_of(self.rewritten.iter())
            );
        }
        if !self.varying.is_empty() {
            let _ = writeln!(
                text,
                "{} methods differ whose counts also differ between two runs of one input, so the change need not be why: {}",
                self.varying.len(),
                some_of(self.varying.iter().map(|m| &m.name))
            );
        }
        let fewest = self.recounted.into_iter().flatten().min();
        if let Some(fewest) = fewest.filter(|&n| n < self.inputs) {
            let _ = writeln!(
                text,
                "{} inputs were counted twice: counts that do not repeat in others are taken for changes (--check-determinism all)",
                if fewest == 0 {
                    "no".to_owned()
                } else {
                    format!("only {fewest}")
                }
            );
        }
        for (name, change) in self.calls.iter().take(limit.min(5)) {
            let _ = writeln!(
                text,
                "{}: {} → {}",
                brief(&printable(name)),
                count(change.before),
                count(change.after)
            );
        }
        if self.target.is_none() {
            let _ = writeln!(
                text,
                "no prices: neither dataset has a model.json (`pricetag fit DATASET` makes one)"
            );
        } else if self.changed.iter().any(|method| method.worth.is_none()) {
            let _ = writeln!(
                text,
                "cannot be told: new code that calls what its method did not call before, or no longer calls what it did, has a price only in a model of the second dataset (`pricetag fit DATASET`)"
            );
        }
        let _ = writeln!(text, "{UNSEEN}");
    }
}

/// With its sign.
fn signed(value: f64, show: impl Fn(f64) -> String) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", show(value.abs()))
}

fn signed_percent(share: f64) -> String {
    signed(share, percent)
}

/// The first names, and how many there are more.
fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    let first: Vec<String> = names.take(NAMES).map(|n| brief(&printable(n))).collect();
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{rest}", first.join(", "))
}

/// Each line a paragraph of Markdown.
fn paragraphs(text: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(text, "{}\n", escaped(line.trim()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::{BlockChange, MethodChange};

    fn difference() -> Difference {
        Difference {
            inputs: 3,
            instructions: Change {
                before: 1000.0,
                after: 1500.0,
            },
            changed: vec![MethodChange {
                name: "p.A.f(int)".to_owned(),
                kind: "changed".to_owned(),
                invocations: Change {
                    before: 3.0,
                    after: 3.0,
                },
                instructions: Change {
                    before: 900.0,
                    after: 1400.0,
                },
                worth: Some(Priced {
                    cost: 2e6,
                    bounds: Some((1e6, 3e6)),
                }),
                blocks: vec![BlockChange {
                    block: 2,
                    lines: Some((7, 8)),
                    kind: "same".to_owned(),
                    executions: Change {
                        before: 90.0,
                        after: 140.0,
                    },
                    instructions: Change {
                        before: 900.0,
                        after: 1400.0,
                    },
                }],
                ..MethodChange::default()
            }],
            same: 41,
            target: Some("cpu".to_owned()),
            unit: Some("ns".to_owned()),
            ..Difference::default()
        }
    }

    #[test]
    fn a_change_is_told_with_its_place_its_count_and_its_worth() {
        let text = difference().to_text(10, 100);
        for part in [
            "instructions over the 3 inputs both ran: 1,000 → 1,500, +500 (+50.0 %)",
            "A.f(int)",
            "lines 7–8",
            "90 → 140 times",
            "+2.00 ms (+1.00 ms … +3.00 ms)",
            "41 methods execute exactly",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn blocks_of_one_line_are_told_apart_and_the_sum_from_the_average() {
        let mut found = difference();
        let other = BlockChange {
            block: 5,
            ..found.changed[0].blocks[0].clone()
        };
        found.changed[0].blocks.push(other);
        found.costs.push(CostChange {
            name: "cpu".to_owned(),
            unit: "ns".to_owned(),
            before: 4e9,
            after: 3e9,
            ratio: Some(0.9),
            ratio_bounds: Some((0.8, 1.1)),
        });
        let text = found.to_text(10, 100);
        for part in [
            "lines 7–8 (block 2)",
            "lines 7–8 (block 5)",
            "cpu measured: 4.00 s → 3.00 s in all, −25.0 %; of one input on average −10.0 % (95 % interval −20.0 % … +10.0 %)",
            "Times are of two recordings",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn markdown_is_a_table_and_foreign_text_stays_text() {
        let mut found = difference();
        found.changed[0].name = "A.<b>|x`".to_owned();
        let text = found.to_markdown(10);
        assert!(
            text.contains("\n| method | calls | instructions | worth (cpu) |\n|---|--:|--:|--:|\n"),
            "{text}"
        );
        assert!(
            text.contains("A.&lt;b&gt;\\|x\\`") && !text.contains("<b>"),
            "{text}"
        );
    }

    #[test]
    fn nothing_changed_says_so() {
        let same = Difference {
            changed: Vec::new(),
            instructions: Change {
                before: 5.0,
                after: 5.0,
            },
            ..difference()
        };
        assert!(
            same.to_text(9, 80)
                .contains("no change: every count that repeats is the same")
        );
    }
}
