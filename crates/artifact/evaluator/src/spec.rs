//! What a predictor computes, and how.

use std::fmt::Write as _;

use pricetag_cost_model::{CostModel, Domain};
use serde::{Deserialize, Serialize};

use crate::postfix::postfix;

/// Version of the JSON in a predictor.
pub const EVALUATOR_SCHEMA: u32 = 1;

/// Inputs kept aside below which errors say little.
const FEW: u32 = 10;

/// A predictor without its classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluator {
    /// [`EVALUATOR_SCHEMA`].
    pub schema: u32,
    /// The model: formula, intervals, training domain, provenance.
    pub model: CostModel,
    /// The program whose classes it holds.
    pub subject: Subject,
    /// The features that the formula needs.
    pub features: Vec<Wanted>,
    /// Counters that the rewritten classes have.
    pub counters: usize,
    /// Groups of them that are known to be final before the program ends.
    pub groups: usize,
    /// How long an evaluation may take, in ms.
    pub limit_ms: u64,
    /// Places that tell when code runs that no training run had reached.
    pub guards: usize,
    /// Methods that return at once instead of doing their work.
    pub emptied: Vec<String>,
    /// Methods that may count, may be called from outside of the program, and were entered by no training run: assumed not to be entered when
    /// counting has ended.
    #[serde(default)]
    pub assumed: Vec<String>,
    /// How values were compared with recorded ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// Places where the program opens files for writing, which lead nowhere.
    pub redirected: usize,
    /// Share of a run that an evaluation takes, as measured at the building: the median over some training inputs.
    pub share: f64,
    /// The largest acceptable share.
    pub budget: f64,
    /// Error against evaluation cost, in order of cost.
    pub curve: Vec<Point>,
    /// Candidates that are no cheaper than the program itself, with the reason.
    pub rejected: Vec<(String, String)>,
}

/// The program that is predicted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Its main class, dotted.
    pub main: String,
    /// Its arguments as recorded, with placeholders.
    pub arguments: Vec<String>,
    /// Options of the JVM as recorded, without the class path.
    pub options: Vec<String>,
    /// Archives and folders of its class path.
    pub class_path: Vec<String>,
}

/// A feature of the formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Its name in the dataset.
    pub name: String,
    /// Where its value comes from.
    pub source: Source,
    /// Range over the training rows.
    pub domain: Option<(f64, f64)>,
    /// Share of a run after which it is known.
    pub share: f64,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The same in every run.
    Constant(f64),
    /// Known before the run, from an argument.
    Input {
        /// Which argument of the program, counted from 0.
        argument: usize,
        /// What of it.
        known: Known,
    },
    /// Counted while the program runs.
    Counter(Counted),
}

/// What is known of an argument before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// The number that it is.
    Number,
    /// Length of the file that it names.
    Bytes,
    /// Lines of that file; a last one without end counts.
    Lines,
    /// Whether it is this text.
    Is(String),
}

/// A feature that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Its counter.
    pub counter: usize,
    /// Its group; none if it may grow until the program ends.
    pub group: Option<usize>,
}

/// A point of the curve of error against evaluation cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Features whose evaluation costs no more than this share of a run were offered.
    pub offered_up_to: f64,
    /// How many those are.
    pub offered: usize,
    /// Share of a run that the features which the formula uses cost.
    pub share: f64,
    /// Features that the formula uses.
    pub used: usize,
    /// Median relative error on held-out rows; none if there were none.
    pub median_error: Option<f64>,
    /// 90th percentile of the same.
    pub p90_error: Option<f64>,
    /// Held-out rows.
    pub rows: u32,
    /// Whether it is the one that was built.
    pub chosen: bool,
}

/// Recorded inputs, but for those that cuts were searched on, on which values were compared: none differed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    /// Inputs whose values were as recorded.
    pub compared: u32,
    /// Inputs that were flagged, or had no answer.
    pub flagged: u32,
}

impl Validation {
    /// What it means: with n inputs and no difference, at most 3/n of inputs like these differ, at 95 %.
    pub fn to_text(&self) -> String {
        let most = (300.0 / f64::from(self.compared)).min(100.0);
        format!(
            "{} recorded inputs without a difference ({} flagged), so at most {most:.1} % of inputs like these are wrong, at 95 %",
            self.compared, self.flagged
        )
    }
}

impl Evaluator {
    /// What the Java code in a predictor reads: a line per fact, its fields separated by tabs.
    ///
    /// | line | fields |
    /// |---|---|
    /// | `main` | class |
    /// | `arguments` | the program's arguments in training; what differed begins with `{` |
    /// | `target` | name of the cost, unit |
    /// | `feature` | name, source (`constant`, `counter`, `number`, `bytes`, `lines`, `is`), its number, least and largest value in training (empty if unknown), text of `is` |
    /// | `formula` | in postfix notation |
    /// | `interval` | level, factor of the lower end, of the upper end |
    /// | `least` | what takes the place of a negative prediction |
    /// | `limit` | ms |
    /// | `counters` | how many, groups of them, 1 if some are final at the program's end only |
    pub fn to_table(&self) -> String {
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let number = |name: &str| {
            self.features
                .iter()
                .position(|f| f.name == name)
                .unwrap_or(0)
        };
        let mut table = String::new();
        let _ = writeln!(table, "main\t{}", self.subject.main);
        table.push_str("arguments");
        for word in &self.subject.arguments {
            let _ = write!(table, "\t{}", plain(word));
        }
        table.push('\n');
        let _ = writeln!(
            table,
            "target\t{}\t{}",
            plain(&self.model.target),
            plain(&self.model.unit)
        );
        let mut late = self.groups == 0;
        for feature in &self.features {
            let (source, value, text) = match &feature.source {
                Source::Constant(value) => ("constant", value.to_string(), ""),
                Source::Input { argument, known } => {
                    let (known, text) = match known {
                        Known::Number => ("number", ""),
                        Known::Bytes => ("bytes", ""),
                        Known::Lines => ("lines", ""),
                        Known::Is(text) => ("is", text.as_str()),
                    };
                    (known, argument.to_string(), text)
                }
                Source::Counter(counted) => {
                    late |= counted.group.is_none();
                    ("counter", counted.counter.to_string(), "")
                }
            };
            let (min, max) = feature.domain.map_or_else(Default::default, |(min, max)| {
                (min.to_string(), max.to_string())
            });
            let (name, text) = (plain(&feature.name), plain(text));
            let _ = writeln!(
                table,
                "feature\t{name}\t{source}\t{value}\t{min}\t{max}\t{text}"
            );
        }
        let _ = writeln!(table, "formula\t{}", postfix(&self.model.formula, &number));
        if let Some(interval) = &self.model.interval {
            let (level, lower, upper) = (interval.level, interval.lower, interval.upper);
            let _ = writeln!(table, "interval\t{level}\t{lower}\t{upper}");
        }
        let costs = self.model.costs.as_ref();
        if let Some(least) = costs.and_then(Domain::least_plausible) {
            let _ = writeln!(table, "least\t{least}");
        }
        let _ = writeln!(table, "limit\t{}", self.limit_ms);
        let (counters, groups) = (self.counters, self.groups);
        let _ = writeln!(table, "counters\t{counters}\t{groups}\t{}", u8::from(late));
        table
    }
}

/// The table of a survey: nothing is counted, the program runs to its end, and it is told when each group was final.
pub fn survey_table(main: &str, groups: usize, limit_ms: u64) -> String {
    format!("main\t{main}\nlimit\t{limit_ms}\ncounters\t0\t{groups}\t1\n")
}

/// The curve as a table for people. Limits that gave the same formula are one line.
pub fn curve_text(curve: &[Point]) -> String {
    let mut text = String::from(
        "evaluation ÷ run   features offered   used   median error   90th percentile\n",
    );
    let percent = |share: Option<f64>| {
        share.map_or_else(|| "–".to_owned(), |s| format!("{:.1} %", 100.0 * s))
    };
    let same = |a: &Point, b: &Point| {
        (a.share, a.used, a.median_error, a.p90_error)
            == (b.share, b.used, b.median_error, b.p90_error)
    };
    for points in curve.chunk_by(same) {
        let point = &points[0];
        let chosen = points.iter().any(|point| point.chosen);
        let _ = writeln!(
            text,
            "{:>16}   {:>16}   {:>4}   {:>12}   {:>15}{}",
            percent(Some(point.share)),
            points.iter().map(|point| point.offered).max().unwrap_or(0),
            point.used,
            percent(point.median_error),
            percent(point.p90_error),
            if chosen { "   ← built" } else { "" }
        );
    }
    let rows = curve.iter().map(|point| point.rows).max().unwrap_or(0);
    let few = if rows < FEW {
        ": too few to tell models apart"
    } else {
        ""
    };
    let _ = writeln!(text, "errors are of {rows} inputs kept aside{few}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_with_the_same_formula_are_one_line() {
        let point = |offered: usize, error: f64, chosen| Point {
            offered_up_to: 0.1,
            offered,
            share: 0.05,
            used: 2,
            median_error: Some(error),
            p90_error: None,
            rows: 4,
            chosen,
        };
        let curve = [
            point(3, 0.2, false),
            point(9, 0.2, true),
            point(9, 0.1, false),
        ];
        let text = curve_text(&curve);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(
            lines[1].contains(" 9 ") && lines[1].ends_with("← built"),
            "{text}"
        );
        assert_eq!(
            lines[3],
            "errors are of 4 inputs kept aside: too few to tell models apart"
        );
    }
}
