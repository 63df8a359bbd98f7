//! What a check says: what costs more, what is the same, and what could not be judged.

use std::collections::BTreeSet;

use pricetag_finding::Difference;
use pricetag_finding::figure::count;
use serde::{Deserialize, Serialize};

use crate::baseline::{Baseline, Benchmark};
use crate::circumstances::bytes_elsewhere;
use crate::explain::difference;
use crate::figure::{Figure, Metric};
use crate::limits::Amount;
use crate::notes::notes;
use crate::suite::Suite;
use crate::trouble::{may_go_otherwise, problems};

/// What is said where nothing but bytes fails.
const BYTES_ALONE: &str = "bytes are measured for a benchmark as a whole, so no method is blamed for them; `pricetag mine --target alloc` says which methods allocate";

/// How a figure stands to the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The same count.
    Same,
    /// Less than the same build counts.
    Better,
    /// Not the same, but the same build may count so.
    Within,
    /// More, but allowed.
    Allowed,
    /// More than the soft limit.
    Warned,
    /// More than the hard limit.
    Failed,
}

/// A metric of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The benchmark.
    pub benchmark: String,
    /// The metric.
    pub metric: Metric,
    /// In the baseline.
    pub before: Figure,
    /// Now, over the runs of the check.
    pub after: Figure,
    /// How it stands.
    pub level: Level,
    /// The most that is allowed.
    pub most: u64,
    /// The hard limit as it is written.
    pub limit: String,
}

impl Row {
    /// After less before, as a share of before; none of nothing.
    pub fn change(&self) -> Option<f64> {
        let before = self.before.middle();
        (before > 0.0).then(|| self.after.middle() / before - 1.0)
    }
}

/// A metric that is judged.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// In the baseline.
    pub before: &'a Figure,
    /// Hard limit.
    pub hard: Amount,
    /// Soft limit, if there is one.
    pub soft: Option<Amount>,
}

impl Judged<'_> {
    /// How runs stand to it: only what all of them say counts against the build.
    pub fn level(self, runs: &[u64]) -> Level {
        let least = runs.iter().copied().min().unwrap_or_default();
        let most = runs.iter().copied().max().unwrap_or_default();
        let (low, high) = (self.before.low(), self.before.high());
        if self.before.repeats() && least == low && most == high {
            Level::Same
        } else if most < low {
            Level::Better
        } else if least > self.hard.above(high) {
            Level::Failed
        } else if least <= high {
            Level::Within
        } else if self.soft.is_some_and(|soft| least > soft.above(high)) {
            Level::Warned
        } else {
            Level::Allowed
        }
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Version of this form.
    pub schema: u32,
    /// Name of the suite.
    pub suite: String,
    /// Whether nothing costs more than allowed, and all was judged.
    pub passed: bool,
    /// Why something could not be judged: each fails the gate.
    pub problems: Vec<String>,
    /// Every metric of every benchmark, by name of the benchmark.
    pub rows: Vec<Row>,
    /// Benchmarks of the baseline that did not run to their end.
    #[serde(default)]
    pub missing: Vec<String>,
    /// What to keep in mind.
    pub notes: Vec<String>,
    /// Runs of the check.
    pub runs: u32,
    /// What executes more or less, where anything does.
    pub difference: Option<Difference>,
}

impl Verdict {
    /// A check that could not even begin.
    pub fn refused(suite: &str, why: String) -> Self {
        Self {
            schema: 1,
            suite: suite.to_owned(),
            problems: vec![why],
            ..Self::default()
        }
    }

    /// Whether another run could change it: what one run says may not repeat.
    pub fn wants_another_run(&self, baseline: &Baseline, suite: &Suite) -> bool {
        let mut failed = self.of(Level::Failed);
        let wavering = |row: &Row| !row.before.repeats() || !row.after.repeats();
        match self.runs {
            1 if self.passed => self.of(Level::Better).next().is_some(),
            1 => may_go_otherwise(baseline, suite),
            2 => failed.any(wavering),
            _ => false,
        }
    }

    /// Whether figures fail, and all of them are bytes.
    pub fn only_bytes_fail(&self) -> bool {
        let mut failed = self.of(Level::Failed).peekable();
        failed.peek().is_some() && failed.all(|row| row.metric == Metric::Bytes)
    }

    /// Rows of a level.
    pub fn of(&self, level: Level) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.level == level)
    }

    /// Benchmarks that count as the build of the baseline does.
    pub fn unchanged(&self) -> usize {
        let all: BTreeSet<&str> = self.rows.iter().map(|row| row.benchmark.as_str()).collect();
        let changed = self.rows.iter().filter(|row| !row.level.is_unchanged());
        let changed: BTreeSet<&str> = changed.map(|row| row.benchmark.as_str()).collect();
        all.len() - changed.len()
    }
}

impl Level {
    /// Whether the build of the baseline counts so, too.
    pub fn is_unchanged(self) -> bool {
        matches!(self, Self::Same | Self::Within)
    }
}

/// Holds a build against the baseline.
pub fn check(baseline: &Baseline, suite: &Suite) -> Verdict {
    let mut verdict = Verdict {
        schema: 1,
        suite: baseline.suite.clone(),
        runs: suite.runs.len() as u32,
        ..Verdict::default()
    };
    verdict.problems = problems(baseline, suite);
    verdict.notes = notes(baseline, suite);
    for (name, benchmark) in &baseline.benchmarks {
        let before = verdict.rows.len();
        verdict.rows.extend(rows(baseline, name, benchmark, suite));
        if verdict.rows.len() == before {
            verdict.missing.push(name.clone());
        }
    }
    let failed: Vec<&Row> = verdict.of(Level::Failed).collect();
    let bytes: Vec<&Row> = failed
        .iter()
        .copied()
        .filter(|row| row.metric == Metric::Bytes)
        .collect();
    let elsewhere = suite.first();
    let elsewhere = elsewhere.and_then(|run| bytes_elsewhere(baseline, &run.identity, &bytes));
    let failed = !failed.is_empty();
    verdict.problems.extend(elsewhere);
    verdict.passed = verdict.problems.is_empty() && !failed;
    let differs = verdict
        .rows
        .iter()
        .any(|row| row.metric != Metric::Bytes && !matches!(row.level, Level::Same));
    if differs {
        verdict.difference = difference(baseline, suite);
    }
    let remarks = remarks(&verdict);
    verdict.notes.extend(remarks);
    verdict
}

/// What figures alone would hide: that bytes name no method, and that work may have left the counted code.
fn remarks(verdict: &Verdict) -> Vec<String> {
    let mut remarks = Vec::new();
    if verdict.only_bytes_fail() {
        remarks.push(BYTES_ALONE.to_owned());
    }
    let mut less = verdict.of(Level::Better);
    if less.any(|row| row.metric == Metric::Instructions) {
        let calls = verdict.difference.iter().flat_map(|d| &d.calls);
        let more = calls.filter(|(_, calls)| calls.delta() > 0.0);
        let most = more.max_by(|a, b| a.1.delta().total_cmp(&b.1.delta()));
        remarks.extend(most.map(|(callee, calls)| {
            format!(
                "fewer instructions may be work that moved to where nothing is counted: {callee} is called {} times, and was {} times",
                count(calls.after),
                count(calls.before)
            )
        }));
    }
    remarks
}

fn rows<'a>(
    baseline: &'a Baseline,
    name: &'a str,
    benchmark: &'a Benchmark,
    suite: &'a Suite,
) -> impl Iterator<Item = Row> + use<'a> {
    Metric::ALL.into_iter().filter_map(move |metric| {
        let before = benchmark.figure(metric)?;
        let runs = suite.counts(name, metric);
        let after = Figure::of(&runs)?;
        let judged = Judged {
            before,
            hard: baseline.limits.hard(metric, name),
            soft: baseline.limits.soft(metric, name),
        };
        Some(Row {
            benchmark: name.to_owned(),
            metric,
            before: before.clone(),
            after,
            level: judged.level(&runs),
            most: judged.hard.above(before.high()),
            limit: judged.hard.to_string(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(before: &[u64], allow: f64, runs: &[u64]) -> Level {
        let before = Figure::of(before).unwrap();
        Judged {
            before: &before,
            hard: Amount::Share(allow),
            soft: Some(Amount::Share(allow / 2.0)),
        }
        .level(runs)
    }

    #[test]
    fn exact_counts_are_compared_exactly() {
        let exact = [1000, 1000];
        assert_eq!(level(&exact, 0.0, &[1000]), Level::Same);
        assert_eq!(level(&exact, 0.0, &[1001]), Level::Failed);
        assert_eq!(level(&exact, 0.0, &[999]), Level::Better);
        assert_eq!(level(&exact, 0.01, &[1003]), Level::Allowed);
        assert_eq!(level(&exact, 0.01, &[1006]), Level::Warned);
        assert_eq!(level(&exact, 0.01, &[1010]), Level::Warned);
        assert_eq!(level(&exact, 0.01, &[1011]), Level::Failed);
    }

    #[test]
    fn noise_alone_never_fails() {
        // One run that is not beyond the limit is enough.
        assert_eq!(level(&[1000, 1000], 0.0, &[1001, 1000]), Level::Within);
        assert_eq!(level(&[1000, 1000], 0.0, &[1001, 1002]), Level::Failed);
        let wavering = [1000, 1001, 1002];
        assert_eq!(level(&wavering, 0.0, &[1010]), Level::Within);
        assert_eq!(level(&wavering, 0.0, &[1020]), Level::Failed);
        assert_eq!(level(&wavering, 0.0, &[900]), Level::Better);
    }
}
