//! What a check says: what costs more, what is the same, and what could not be judged.

use std::collections::BTreeSet;

use pricetag_finding::Difference;
use pricetag_finding::figure::count;
use serde::{Deserialize, Serialize};

use crate::baseline::{Baseline, Benchmark, Java};
use crate::counted::Counted;
use crate::explain::difference;
use crate::figure::{Figure, Metric};
use crate::limits::Amount;
use crate::suite::Suite;

/// Names listed before the rest is counted.
const NAMES: usize = 5;

/// Part of the baseline's instructions below which a benchmark is thought to have stopped early.
const VANISHED: u64 = 10;

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
    pub fn wants_another_run(&self) -> bool {
        let failed = self.rows.iter().filter(|row| row.level == Level::Failed);
        let wavering = |row: &Row| !row.before.repeats() || !row.after.repeats();
        match self.runs {
            1 => !self.passed,
            2 => failed.into_iter().any(wavering),
            _ => false,
        }
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
        verdict.rows.extend(rows(baseline, name, benchmark, suite));
    }
    let failed = verdict.of(Level::Failed).next().is_some();
    verdict.passed = verdict.problems.is_empty() && !failed;
    let differs = verdict
        .rows
        .iter()
        .any(|row| row.metric != Metric::Bytes && !matches!(row.level, Level::Same));
    if differs {
        verdict.difference = difference(baseline, suite);
    }
    verdict
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

/// Whether a benchmark's digest is of other figures than stand beside it: it covers them, so that somebody changed them by hand.
fn edited(name: &str, benchmark: &Benchmark, suite: &Suite) -> Option<String> {
    let recorded = benchmark.digest.as_ref()?;
    let run = suite.first()?;
    let counts = run.benchmarks.get(name)?;
    if counts.digest(&run.methods) != *recorded {
        return None;
    }
    let differs = |figure: &Figure, counted: u64| figure.repeats() && figure.low() != counted;
    let differ = differs(&benchmark.instructions, counts.instructions)
        || differs(&benchmark.calls, counts.calls);
    differ.then(|| {
        format!(
            "`{name}` executes what the baseline's digest says, {} instructions and {} calls, and the baseline says other numbers: they were changed by hand",
            counts.instructions, counts.calls
        )
    })
}

/// What keeps it from judging.
fn problems(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(first) = suite.first() else {
        return vec!["nothing was counted".to_owned()];
    };
    problems.extend(other_java(
        &baseline.java,
        &first.identity.java,
        baseline.setup.count_jdk,
    ));
    let names = suite.names();
    if !names.is_empty() && !baseline.benchmarks.keys().any(|name| names.contains(name)) {
        problems.push(format!(
            "no benchmark of the baseline ran, {} for example, but {} did: it is of another suite",
            some(baseline.benchmarks.keys(), 1),
            some(names.iter(), 2)
        ));
        return problems;
    }
    for (name, benchmark) in &baseline.benchmarks {
        problems.extend(edited(name, benchmark, suite));
    }
    let missing: Vec<&String> = baseline
        .benchmarks
        .keys()
        .filter(|name| {
            !suite
                .runs
                .iter()
                .all(|run| run.benchmarks.contains_key(*name))
        })
        .collect();
    for name in &missing {
        if let Some(why) = suite.runs.iter().find_map(|run| run.failed.get(*name)) {
            problems.push(format!("the benchmark `{name}` failed: {why}"));
        }
    }
    let gone: Vec<&String> = missing
        .into_iter()
        .filter(|name| !suite.runs.iter().any(|run| run.failed.contains_key(*name)))
        .collect();
    if !gone.is_empty() {
        problems.push(format!(
            "benchmarks of the baseline did not run: {}",
            some(gone.into_iter(), NAMES)
        ));
    }
    let empty: Vec<&String> = baseline
        .benchmarks
        .keys()
        .filter(|name| {
            let mut counts = suite.of_benchmark(name);
            counts.any(|counts| counts.instructions == 0)
        })
        .collect();
    if !empty.is_empty() {
        problems.push(format!(
            "nothing was counted in {}: none of the classes that are counted executed anything",
            some(empty.into_iter(), NAMES)
        ));
    } else if !baseline.methods.is_empty()
        && !baseline
            .methods
            .keys()
            .any(|name| first.methods.contains_key(name))
        && problems.is_empty()
    {
        problems.push(format!(
            "none of the {} methods that the baseline lists ran, {} for example: it is of another program",
            baseline.methods.len(),
            some(baseline.methods.keys().map(ToString::to_string).collect::<Vec<_>>().iter(), 1)
        ));
    }
    if problems.is_empty() {
        problems.extend(vanished(baseline, suite));
    }
    problems.extend(less_counted(baseline, suite));
    problems
}

/// Benchmarks that hardly do anything any more: a gain, or a benchmark that stopped early, which nobody could tell from a green gate.
fn vanished(baseline: &Baseline, suite: &Suite) -> Option<String> {
    let benchmarks = baseline.benchmarks.iter();
    let vanished: Vec<&String> = benchmarks
        .filter(|(name, benchmark)| {
            let counts = suite.counts(name, Metric::Instructions);
            let most = counts.into_iter().max();
            most.is_some_and(|most| most.saturating_mul(VANISHED) < benchmark.instructions.low())
        })
        .map(|(name, _)| name)
        .collect();
    (!vanished.is_empty()).then(|| {
        format!(
            "less than a tenth of the baseline's instructions ran in {}: if they still do their work, `gate accept` holds the gain",
            some(vanished.into_iter(), NAMES)
        )
    })
}

fn other_java(recorded: &Java, here: &Java, count_jdk: bool) -> Option<String> {
    if recorded.major != here.major {
        return Some(format!(
            "the baseline is of Java {}, and this is Java {}: compilers and libraries of another release execute other code, so keep a baseline for each",
            told(recorded),
            told(here)
        ));
    }
    (count_jdk && recorded.version != here.version).then(|| {
        format!(
            "the JDK's classes are counted, the baseline's are of {}, and these of {}",
            recorded.version, here.version
        )
    })
}

fn told(java: &Java) -> String {
    if java.major == 0 {
        "of unknown version".to_owned()
    } else {
        java.major.to_string()
    }
}

/// What was counted before and is not any more: fewer instructions would look like a gain.
fn less_counted(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let mut problems = Vec::new();
    let mut fresh: Option<BTreeSet<&String>> = None;
    for run in &suite.runs {
        let of: BTreeSet<&String> = run.uncounted.difference(&baseline.uncounted).collect();
        fresh = Some(match fresh {
            Some(known) => known.intersection(&of).copied().collect(),
            None => of,
        });
    }
    let fresh = fresh.unwrap_or_default();
    if !fresh.is_empty() {
        problems.push(format!(
            "not counted, other than in the baseline: {}",
            some(fresh.iter().copied(), NAMES)
        ));
    }
    for (name, benchmark) in &baseline.benchmarks {
        let caveat = |run: &Counted| run.benchmarks.get(name)?.caveats.first().cloned();
        let mut caveats = suite.runs.iter().map(caveat);
        if benchmark.caveats.is_empty()
            && let Some(Some(caveat)) = caveats.next()
            && caveats.all(|caveat| caveat.is_some())
        {
            problems.push(format!("the counts of `{name}` are not whole: {caveat}"));
        }
    }
    problems
}

/// Benchmarks whose input has another size, or another number, than in the baseline.
fn other_inputs(baseline: &Baseline, run: &Counted) -> Option<String> {
    let differs = |(name, benchmark): (&String, &Benchmark)| {
        let now = &run.benchmarks.get(name)?.inputs;
        let mut both = benchmark
            .inputs
            .iter()
            .filter_map(|(k, v)| Some((k, v, now.get(k)?)));
        let (input, before, after) = both.find(|(_, before, after)| before != after)?;
        Some(format!("`{name}` ({input} {before} → {after})"))
    };
    let changed: Vec<String> = baseline.benchmarks.iter().filter_map(differs).collect();
    let told = some(changed.iter(), NAMES);
    (!changed.is_empty()).then(|| {
        format!("the input is another one than in the baseline, and counts with it: {told}")
    })
}

fn notes(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(first) = suite.first() else {
        return notes;
    };
    let here = &first.identity;
    if here.java.major == baseline.java.major && here.java != baseline.java {
        notes.push(format!(
            "the baseline was recorded on {} {}, and this is {} {}: the counted classes are the program's own",
            baseline.java.vm, baseline.java.version, here.java.vm, here.java.version
        ));
    }
    if here.flags != baseline.flags {
        notes.push(format!(
            "options of the JVM were `{}` and are `{}`",
            baseline.flags, here.flags
        ));
    }
    notes.extend(other_inputs(baseline, first));
    let names = suite.names();
    let new: Vec<&String> = names
        .iter()
        .filter(|name| !baseline.benchmarks.contains_key(*name))
        .filter(|name| !baseline.left_out.contains_key(*name))
        .collect();
    if !new.is_empty() {
        notes.push(format!(
            "{} benchmarks are not in the baseline and not judged, until `gate accept` takes them in: {}",
            new.len(),
            some(new.into_iter(), NAMES)
        ));
    }
    if !baseline.left_out.is_empty() {
        notes.push(format!(
            "left out since the recording: {}",
            some(baseline.left_out.keys(), NAMES)
        ));
    }
    let wavering = baseline
        .benchmarks
        .iter()
        .filter(|(_, b)| !b.instructions.repeats());
    let wavering: Vec<&String> = wavering.map(|(name, _)| name).collect();
    if !wavering.is_empty() {
        notes.push(format!(
            "instructions did not repeat when the baseline was recorded, so these are compared with an interval: {}",
            some(wavering.into_iter(), NAMES)
        ));
    }
    notes
}

/// The first names, and how many there are more.
pub(crate) fn some<'a>(names: impl Iterator<Item = &'a String>, limit: usize) -> String {
    let names: Vec<&String> = names.collect();
    let shown: Vec<&str> = names.iter().take(limit).map(|name| name.as_str()).collect();
    match names.len().saturating_sub(limit) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), count(more as f64)),
    }
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

    #[test]
    fn releases_of_java_are_told_apart() {
        let of = |version| Java::of(version, "vm");
        assert_eq!(of("17.0.2").major, 17);
        assert_eq!(of("1.8.0_392").major, 8);
        assert_eq!(of("21-ea").major, 21);
        assert_eq!(of("").major, 0);
        assert!(other_java(&of("17.0.2"), &of("17.0.9"), false).is_none());
        assert!(other_java(&of("17.0.2"), &of("17.0.9"), true).is_some());
        assert!(other_java(&of("17.0.2"), &of("21.0.1"), false).is_some());
    }
}
