//! Control programs: predicted against measured, per program and estimator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figure::percent;
use crate::table::{Align, render};

/// A price list held against programs it was not learnt from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlReport {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// What to know before trusting it.
    pub warnings: Vec<String>,
    /// Platform of the measurements.
    pub platform: BTreeMap<String, String>,
    /// By charging rules.
    pub modes: BTreeMap<String, ModeReport>,
    /// Programs that could not be measured, with the reason.
    pub refused: Vec<(String, String)>,
}

/// Results under one set of charging rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeReport {
    /// The estimator that counts unless another is asked for.
    pub chosen: String,
    /// Means over programs, by estimator.
    pub overall: BTreeMap<String, Errors>,
    /// The same over sizes without collections only.
    pub quiet: BTreeMap<String, Errors>,
    /// The same over sizes with collections only.
    pub collecting: BTreeMap<String, Errors>,
    /// Share of rows inside the chosen estimator's intervals, rows with collections among them.
    pub coverage: Option<f64>,
    /// The same over sizes without and with collections.
    #[serde(default)]
    pub coverage_by_collections: (Option<f64>, Option<f64>),
    /// Nominal coverage.
    pub level: Option<f64>,
    /// Per program.
    pub programs: Vec<ControlProgram>,
    /// Pairs of programs that compute the same.
    pub rankings: Vec<Ranking>,
}

/// Relative errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Mean of |predicted − measured| / measured.
    pub mean: f64,
    /// Mean of (predicted − measured) / measured.
    pub signed: f64,
    /// Largest of the absolute ones.
    pub largest: f64,
    /// Share of what was predicted below the measured value.
    pub under: f64,
    /// Programs, or sizes.
    pub of: u32,
}

impl Errors {
    /// Of `(predicted, measured)`.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let relative: Vec<f64> = pairs
            .iter()
            .filter(|(_, m)| *m > 0.0)
            .map(|(p, m)| (p - m) / m)
            .collect();
        let n = relative.len() as f64;
        (n > 0.0).then(|| Self {
            mean: relative.iter().map(|e| e.abs()).sum::<f64>() / n,
            signed: relative.iter().sum::<f64>() / n,
            largest: relative.iter().fold(0.0, |m, e| e.abs().max(m)),
            under: relative.iter().filter(|e| **e < 0.0).count() as f64 / n,
            of: relative.len() as u32,
        })
    }

    /// The mean of several programs' errors, each counting alike.
    pub fn mean(all: &[Self]) -> Option<Self> {
        let n = all.len() as f64;
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / n;
        (n > 0.0).then(|| Self {
            mean: mean(|e| e.mean),
            signed: mean(|e| e.signed),
            largest: all.iter().fold(0.0, |m, e| e.mean.max(m)),
            under: mean(|e| e.under),
            of: all.len() as u32,
        })
    }
}

/// One program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlProgram {
    /// Its name.
    pub name: String,
    /// What kind of program it is.
    pub family: String,
    /// Constructs without a price: nothing is predicted then.
    pub unpriced: Vec<String>,
    /// Errors over its sizes, by estimator.
    pub errors: BTreeMap<String, Errors>,
    /// Largest error of the bytes, relative to those measured or to 1000 where there are fewer.
    pub bytes: f64,
    /// Sizes whose number of collections is as predicted.
    pub exact: u32,
    /// Its sizes.
    pub rows: Vec<ControlRow>,
}

/// One size of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlRow {
    /// The size.
    pub size: f64,
    /// Nanoseconds measured.
    pub measured: f64,
    /// Nanoseconds predicted, by estimator.
    pub predicted: BTreeMap<String, f64>,
    /// Interval of the chosen estimator.
    pub interval: Option<(f64, f64)>,
    /// Bytes measured, and predicted if everything has a price.
    pub bytes: (f64, Option<f64>),
    /// Collections measured, and predicted if everything has a price and a collector was learnt.
    pub collections: (f64, Option<f64>),
    /// Major collections finished during the run, which are outside of the model.
    pub major: f64,
    /// Whether one was said to be possible.
    #[serde(default)]
    pub may_finish_major: bool,
}

impl ControlRow {
    /// Whether the number of collections is as predicted.
    pub fn is_exact(&self) -> bool {
        self.collections.1 == Some(self.collections.0)
    }
}

/// Two programs that compute the same, at one size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// What they compute.
    pub pair: String,
    /// The programs.
    pub programs: (String, String),
    /// Sizes at which their measured times differ by more than a tenth.
    pub apart: u32,
    /// Of these, sizes at which the one predicted faster is the faster one.
    pub right: u32,
}

impl ControlReport {
    /// Tables: overall, per program, ranking.
    pub fn to_text(&self, width: usize) -> String {
        let mut text = String::new();
        for (mode, report) in &self.modes {
            // Writing into a string cannot fail.
            writeln!(text, "{mode} mode").ok();
            text.push_str(&report.overall_text(width));
            text.push('\n');
        }
        let merged = self.merged();
        text.push_str(&merged_text(&merged, &self.modes, width));
        for (mode, report) in &self.modes {
            text.push_str(&report.ranking_text(mode));
        }
        for (name, reason) in &self.refused {
            writeln!(text, "{name}: not measured: {reason}").ok();
        }
        for warning in &self.warnings {
            writeln!(text, "warning: {warning}").ok();
        }
        text
    }

    /// Programs by name with their results in every mode.
    fn merged(&self) -> BTreeMap<&str, BTreeMap<&str, &ControlProgram>> {
        let mut out: BTreeMap<&str, BTreeMap<&str, &ControlProgram>> = BTreeMap::new();
        for (mode, report) in &self.modes {
            for program in &report.programs {
                out.entry(&program.name).or_default().insert(mode, program);
            }
        }
        out
    }
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

/// One line per program: errors of the chosen estimator in every mode, bytes and collections.
fn merged_text(
    merged: &BTreeMap<&str, BTreeMap<&str, &ControlProgram>>,
    modes: &BTreeMap<String, ModeReport>,
    width: usize,
) -> String {
    let mut names: Vec<String> = Vec::new();
    for mode in modes.keys() {
        names.extend(
            ["error", "signed", "bytes", "collections"].map(|what| format!("{mode}: {what}")),
        );
    }
    let mut header = vec![("program", Align::Left)];
    header.extend(names.iter().map(|n| (n.as_str(), Align::Right)));
    let all = merged.values().flat_map(BTreeMap::values);
    let marked = all.clone().any(|p| p.major() > 0);
    if marked {
        header.push(("sizes with major collections", Align::Right));
    }
    let rows: Vec<Vec<String>> = merged
        .iter()
        .map(|(name, by_mode)| {
            let mut row = vec![(*name).to_owned()];
            for (mode, report) in modes {
                match by_mode.get(mode.as_str()) {
                    Some(p) => row.extend(p.cells(&report.chosen)),
                    None => row.extend(std::iter::repeat_n(String::new(), 4)),
                }
            }
            if marked {
                let most = by_mode.values().map(|p| p.major()).max().unwrap_or(0);
                row.push(if most > 0 {
                    most.to_string()
                } else {
                    String::new()
                });
            }
            row
        })
        .collect();
    render(&header, &rows, 0, width)
}

impl ControlProgram {
    /// Sizes at which a major collection was finished, which the prices do not hold.
    fn major(&self) -> usize {
        self.rows.iter().filter(|r| r.major > 0.0).count()
    }

    fn cells(&self, estimator: &str) -> [String; 4] {
        let Some(e) = self.errors.get(estimator) else {
            let why = format!("no price: {}", self.unpriced.join(", "));
            return [why, String::new(), String::new(), String::new()];
        };
        [
            percent(e.mean),
            signed(e.signed),
            percent(self.bytes),
            format!("{}/{}", self.exact, self.rows.len()),
        ]
    }
}

impl ModeReport {
    fn overall_text(&self, width: usize) -> String {
        let header = [
            ("estimator", Align::Left),
            ("without collections", Align::Right),
            ("with", Align::Right),
            ("all", Align::Right),
            ("signed", Align::Right),
            ("under", Align::Right),
            ("worst program", Align::Right),
        ];
        let cell = |map: &BTreeMap<String, Errors>, name: &str| {
            map.get(name).map_or_else(String::new, |e| percent(e.mean))
        };
        let rows: Vec<Vec<String>> = self
            .overall
            .iter()
            .map(|(name, e)| {
                vec![
                    name.clone(),
                    cell(&self.quiet, name),
                    cell(&self.collecting, name),
                    percent(e.mean),
                    signed(e.signed),
                    percent(e.under),
                    percent(e.largest),
                ]
            })
            .collect();
        let mut text = render(&header, &rows, 0, width);
        if let (Some(coverage), Some(level)) = (self.coverage, self.level) {
            let (quiet, collecting) = self.coverage_by_collections;
            let of = |part: Option<f64>| part.map_or_else(|| "–".into(), percent);
            writeln!(
                text,
                "intervals of {}: nominal {}, measured {} (without collections {}, with {})",
                self.chosen,
                percent(level),
                percent(coverage),
                of(quiet),
                of(collecting)
            )
            .ok();
        }
        text.push_str(&self.collections_text());
        text
    }

    /// At how many sizes the number of collections is as predicted, those apart where a major collection may interfere,
    /// and those of programs that nothing is predicted of.
    fn collections_text(&self) -> String {
        let rows = || self.programs.iter().flat_map(|p| &p.rows);
        let predicted = || rows().filter(|r| r.collections.1.is_some());
        let right = |major: bool| {
            let these = predicted().filter(|r| r.may_finish_major == major);
            let exact = these.clone().filter(|r| r.is_exact());
            format!("{} of {}", exact.count(), these.count())
        };
        if !predicted().any(|r| r.collections.0 > 0.0) {
            return String::new();
        }
        let mut text = format!("collections as predicted: at {} sizes", right(false));
        // Writing into a string cannot fail.
        if predicted().any(|r| r.may_finish_major) {
            let finished = predicted().filter(|r| r.may_finish_major && r.major > 0.0);
            write!(
                text,
                ", and at {} where a major collection may finish, outside the model (it did at {})",
                right(true),
                finished.count()
            )
            .ok();
        }
        let without = rows().count() - predicted().count();
        if without > 0 {
            write!(text, "; at {without} there is no prediction").ok();
        }
        text.push('\n');
        text
    }

    fn ranking_text(&self, mode: &str) -> String {
        let mut text = String::new();
        let apart = self.rankings.iter().filter(|r| r.apart > 0).count();
        let right = self
            .rankings
            .iter()
            .filter(|r| r.apart > 0 && r.right == r.apart)
            .count();
        writeln!(
            text,
            "{mode} mode: of {} pairs {apart} are measurably apart, {right} of these are ranked right at every size",
            self.rankings.len()
        )
        .ok();
        for r in self.rankings.iter().filter(|r| r.right < r.apart) {
            writeln!(
                text,
                "  {} and {}: right at {} of {} sizes",
                r.programs.0, r.programs.1, r.right, r.apart
            )
            .ok();
        }
        text
    }
}
