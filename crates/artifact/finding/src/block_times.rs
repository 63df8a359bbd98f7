//! Times of single blocks, each execution timed by itself: the baseline that a cost model is compared with.
//!
//! After Lata 2016, section 2.1.1. Shown with its spread, since that is the argument against it: the first execution, the compiler,
//! the collector and the clock itself are all in these times.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figure::{brief, count, quantity};
use crate::table::{Align, printable, render};

/// Times of the blocks of a program over some runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockTimes {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// Runs that ended in order, each in a fresh virtual machine.
    pub runs: u32,
    /// Why other runs failed.
    pub failures: Vec<String>,
    /// What reading the clock costs on this machine, ns.
    pub clock_ns: f64,
    /// By class, method and block.
    pub blocks: Vec<TimedBlock>,
    /// What may make times wrong, or was not timed.
    pub notes: Vec<String>,
}

/// Times of one block over all runs, in ns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimedBlock {
    /// `org.example.Sorter.sort(int[])`.
    pub method: String,
    /// Number of the block in the method, from 0.
    pub block: u32,
    /// Source lines its instructions stem from.
    pub lines: Vec<u16>,
    /// Executions that were timed.
    pub executions: u64,
    /// Mean time.
    pub mean: f64,
    /// Standard deviation of a single execution; none for a single one.
    pub deviation: Option<f64>,
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// First execution in each run, averaged over the runs.
    pub first: f64,
}

impl BlockTimes {
    /// Why these numbers are a baseline only, and what the clock costs.
    pub fn caution(&self) -> String {
        let shortest = self.blocks.iter().map(|block| block.min).min();
        let shortest = shortest.map_or_else(String::new, |ns| {
            format!(" (the shortest block took {})", quantity(ns as f64, "ns"))
        });
        format!(
            "A baseline only: every block is timed with its calls by two readings of a clock that costs {} to read, and more to reach from \
             Java{shortest}, which slows the blocks around it and keeps the compiler from treating them as it would; \
             `pricetag record` and `pricetag fit` price blocks without touching the timed run.",
            quantity(self.clock_ns, "ns"),
        )
    }

    /// A table, then the caution.
    pub fn to_text(&self, width: usize) -> String {
        let time = |ns: f64| quantity(ns, "ns");
        let rows: Vec<Vec<String>> = self
            .blocks
            .iter()
            .map(|block| {
                vec![
                    brief(&block.method),
                    block.block.to_string(),
                    lines(&block.lines),
                    count(block.executions as f64),
                    time(block.mean),
                    block.deviation.map_or_else(|| "–".to_owned(), time),
                    time(block.min as f64),
                    time(block.max as f64),
                    time(block.first),
                ]
            })
            .collect();
        let header = [
            ("method", Align::Left),
            ("block", Align::Right),
            ("lines", Align::Left),
            ("executions", Align::Right),
            ("mean", Align::Right),
            ("std. dev.", Align::Right),
            ("min", Align::Right),
            ("max", Align::Right),
            ("first", Align::Right),
        ];
        let mut text = render(&header, &rows, 0, width);
        for failure in &self.failures {
            let _ = writeln!(text, "failed run: {}", printable(failure));
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {}", printable(note));
        }
        text.push('\n');
        text.push_str(&self.caution());
        text.push('\n');
        text
    }
}

/// `7`, `7–9` from the first to the last.
fn lines(lines: &[u16]) -> String {
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first == last => first.to_string(),
        (Some(first), Some(last)) => format!("{first}–{last}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_stands_beside_the_mean() {
        let times = BlockTimes {
            runs: 2,
            clock_ns: 25.0,
            blocks: vec![TimedBlock {
                method: "org.example.A.run(int)".to_owned(),
                block: 3,
                lines: vec![7, 9],
                executions: 2,
                mean: 2e6,
                deviation: Some(1e6),
                min: 1_000_000,
                max: 3_000_000,
                first: 3e6,
            }],
            failures: vec!["exit code 1".to_owned()],
            ..BlockTimes::default()
        };
        let text = times.to_text(100);
        let row = "3  7–9             2  2.00 ms    1.00 ms  1.00 ms  3.00 ms  3.00 ms";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("costs 25.0 ns to read"), "{text}");
        assert!(text.contains("failed run: exit code 1"), "{text}");
    }
}
