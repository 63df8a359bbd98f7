//! What is in a dataset, and what a fit could and could not learn from it.

use pricetag_quantity::counted;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figure::{brief, count, percent, quantity};
use crate::table::{Align, printable, render};

/// Columns with missing values that a screen names.
const MISSING: usize = 5;

/// Contents and defects of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// The subject's command, or the imported file.
    pub subject: Vec<String>,
    /// `main`, or the scope method.
    pub scope: String,
    /// Observations by status: `ok`, `failed`, `warm-up`.
    pub observations: BTreeMap<String, u32>,
    /// Features by kind.
    pub features: BTreeMap<String, u32>,
    /// Measured costs.
    pub costs: Vec<CostColumn>,
    /// Which time is explained unless one is named, and why, in a sentence; empty where there is no choice.
    #[serde(default)]
    pub time: String,
    /// The cost that is explained unless one is named.
    #[serde(default)]
    pub usual: String,
    /// Least share of the wall time that the program waited, where it is notable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<f64>,
    /// The part of it in which it waited for a processor that others used, where that is known and not in `waited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<f64>,
    /// Observations that failed.
    pub failed: Vec<FailedObservation>,
    /// Observations whose counts are not wholly trusted.
    pub uncertain: Vec<UncertainObservation>,
    /// Features whose counts differ between two runs of one input.
    pub nondeterministic: Vec<NondeterministicFeature>,
    /// Classes and methods that ran uncounted, with the reason.
    pub uncounted: Vec<String>,
    /// Features by when in a run they are final, earliest first; empty if that was not looked at.
    #[serde(default)]
    pub available: Vec<AvailableFeature>,
    /// Rank, condition and buckets, once an estimator has looked.
    pub design: Option<Design>,
    /// What to do to learn more, most useful first.
    pub advice: Vec<String>,
    /// Notes of the recording.
    pub notes: Vec<String>,
}

/// A measured cost over the successful observations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostColumn {
    /// `wall`, `cpu`, `alloc`, or a column.
    pub name: String,
    /// Base unit.
    pub unit: String,
    /// Observations that have it.
    pub observations: u32,
    /// Smallest, median and largest value over observations (median of the repeats of each).
    pub range: Option<(f64, f64, f64)>,
    /// Median number of repeats.
    pub repeats: u32,
    /// Median over observations of the repeats' relative spread (half their range over their median), as they were measured.
    pub noise: Option<f64>,
    /// The same in words, with what an even pace leaves of it.
    #[serde(default)]
    pub noise_text: String,
}

/// An observation that failed, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedObservation {
    /// Its label.
    pub label: String,
    /// Why it failed.
    pub reason: String,
}

/// An observation whose counts are not wholly trusted, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncertainObservation {
    /// Its label.
    pub label: String,
    /// Each doubt.
    pub caveats: Vec<String>,
}

/// A feature that does not repeat itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NondeterministicFeature {
    /// Its name.
    pub feature: String,
    /// Observations in which two counting runs differed.
    pub observations: u32,
}

/// When in a run a feature has its final value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AvailableFeature {
    /// Its name.
    pub feature: String,
    /// Share of the run's executed cost after which it does not change any more; an upper bound.
    pub share: f64,
    /// How often it was seen to change; a lower bound.
    pub changes: u32,
}

/// What the columns of a dataset allow a fit to determine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Rows that may enter a fit.
    pub rows: u32,
    /// Feature columns.
    pub columns: u32,
    /// Columns left after constant, empty and duplicate ones are merged.
    pub buckets: u32,
    /// Numerical rank.
    pub rank: u32,
    /// Condition number of the scaled columns; none if infinite.
    pub condition: Option<f64>,
    /// Columns without any non-zero value.
    pub empty: u32,
    /// Columns with the same value in every row.
    pub constant: u32,
    /// Values that are missing in some rows and therefore left out.
    #[serde(default)]
    pub incomplete: u32,
    /// These by name, in the dataset's order.
    #[serde(default)]
    pub missing: Vec<MissingColumn>,
    /// Buckets of several features that these rows cannot tell apart, largest first.
    pub merged: Vec<MergedBucket>,
    /// In how many rows the columns vary.
    #[serde(default)]
    pub support: SupportTally,
    /// The columns that vary in the fewest rows, fewest first; those that never vary are counted elsewhere.
    #[serde(default)]
    pub least_supported: Vec<ColumnSupport>,
    /// Where the condition number is large: the columns behind it, most inflated first.
    #[serde(default)]
    pub inflated: Vec<InflatedColumn>,
    /// Rows whose prediction hangs mostly on their own cost, highest leverage first.
    #[serde(default)]
    pub leverage: Vec<RowLeverage>,
}

/// Columns by the number of rows in which they differ from their most frequent value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportTally {
    /// Columns that differ in one row: its noise is in their price whole.
    pub one: u32,
    /// In two to four rows.
    pub few: u32,
    /// In five rows or more.
    pub many: u32,
}

/// In how many rows a column says anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSupport {
    /// Its name.
    pub feature: String,
    /// Rows in which it differs from its most frequent value.
    pub varying: u32,
    /// Rows in which it is not zero.
    pub non_zero: u32,
}

/// A column without a value in some rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingColumn {
    /// Its name.
    pub feature: String,
    /// Rows that have no value of it.
    pub rows: u32,
}

/// A column that the others nearly determine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InflatedColumn {
    /// Its name.
    pub feature: String,
    /// By how much the variance of its price is larger than on its own.
    pub inflation: f64,
    /// The column whose price errs most in company with its own.
    pub nearest: String,
}

/// A row that decides its own prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowLeverage {
    /// Its label.
    pub label: String,
    /// Its leverage, at most 1.
    pub leverage: f64,
}

/// Features that the rows cannot tell apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MergedBucket {
    /// Name of the bucket.
    pub name: String,
    /// Its members.
    pub members: Vec<String>,
    /// Which inputs would separate them.
    pub advice: Option<String>,
}

impl Inspection {
    /// Lays the inspection out in sections; lists are cut at `limit` entries and say so.
    pub fn to_text(&self, limit: usize, width: usize) -> String {
        let mut text = format!("subject       {}\n", printable(&self.subject.join(" ")));
        let _ = writeln!(text, "scope         {}", printable(&self.scope));
        let _ = writeln!(text, "observations  {}", tally(&self.observations));
        let _ = writeln!(text, "features      {}", tally(&self.features));
        if !self.costs.is_empty() {
            text.push('\n');
            text.push_str(&self.costs_text(width));
            if !self.time.is_empty() {
                let _ = writeln!(text, "{}", printable(&self.time));
            }
        }
        if let Some(design) = &self.design {
            text.push('\n');
            text.push_str(&design.to_text(limit, width));
        }
        let failed: Vec<String> = self
            .failed
            .iter()
            .map(|row| format!("{}: {}", row.label, row.reason))
            .collect();
        let uncertain: Vec<String> = self
            .uncertain
            .iter()
            .map(|row| format!("{}: {}", row.label, row.caveats.join("; ")))
            .collect();
        let unstable: Vec<String> = self
            .nondeterministic
            .iter()
            .map(|row| {
                format!(
                    "{}: in {}",
                    brief(&row.feature),
                    counted(row.observations as usize, "observation")
                )
            })
            .collect();
        text.push_str(&self.available_text(limit));
        let advice: Vec<String> = self.advice.iter().map(|line| brief(line)).collect();
        for (title, lines) in [
            ("failed observations", &failed),
            ("uncertain observations", &uncertain),
            (
                "counts that differ between two runs of one input",
                &unstable,
            ),
            ("running uncounted", &self.uncounted),
            ("advice", &advice),
            ("notes", &self.notes),
        ] {
            text.push_str(&section(title, lines, limit));
        }
        text
    }

    /// When features are final: how many by then, and the earliest by name.
    fn available_text(&self, limit: usize) -> String {
        if self.available.is_empty() {
            return String::new();
        }
        let by = |share: f64| self.available.iter().filter(|f| f.share <= share).count();
        let mut text = format!(
            "\nfinal values  {} of {} features by 1 % of the run, {} by 10 %, {} by 50 %\n",
            by(0.01),
            self.available.len(),
            by(0.1),
            by(0.5)
        );
        for feature in self.available.iter().take(limit) {
            let _ = writeln!(
                text,
                "  {}  {}, changes {}",
                percent(feature.share),
                brief(&feature.feature),
                feature.changes
            );
        }
        if self.available.len() > limit {
            let _ = writeln!(text, "  … {} more", self.available.len() - limit);
        }
        text
    }

    fn costs_text(&self, width: usize) -> String {
        let header = [
            ("cost", Align::Left),
            ("rows", Align::Right),
            ("smallest", Align::Right),
            ("median", Align::Right),
            ("largest", Align::Right),
            ("repeats", Align::Right),
            ("noise", Align::Right),
        ];
        let rows: Vec<Vec<String>> = self
            .costs
            .iter()
            .map(|cost| {
                let end = |pick: fn((f64, f64, f64)) -> f64| {
                    cost.range
                        .map_or_else(|| "–".to_owned(), |range| quantity(pick(range), &cost.unit))
                };
                vec![
                    cost.name.clone(),
                    cost.observations.to_string(),
                    end(|range| range.0),
                    end(|range| range.1),
                    end(|range| range.2),
                    cost.repeats.to_string(),
                    cost.noise.map_or_else(|| "–".to_owned(), percent),
                ]
            })
            .collect();
        render(&header, &rows, 0, width)
    }
}

impl Design {
    /// Says what can be determined, then lists merged buckets.
    pub fn to_text(&self, limit: usize, width: usize) -> String {
        let mut text = format!(
            "{} rows, {} columns: {} empty, {} constant{}; {} buckets, rank {}, condition {}\n",
            self.rows,
            self.columns,
            self.empty,
            self.constant,
            if self.incomplete > 0 {
                format!(", {} missing in some rows and left out", self.incomplete)
            } else {
                String::new()
            },
            self.buckets,
            self.rank,
            self.condition.map_or_else(|| "infinite".to_owned(), count),
        );
        let SupportTally { one, few, many } = self.support;
        if one + few + many > 0 {
            let _ = writeln!(
                text,
                "columns that vary: {one} in one row, {few} in 2 to 4, {many} in 5 or more"
            );
        }
        text.push_str(&self.missing_text());
        text.push_str(&self.merged_text(limit));
        let least = self.least_supported.iter();
        let lines: Vec<Vec<String>> = least
            .map(|column| {
                vec![
                    brief(&column.feature),
                    column.varying.to_string(),
                    column.non_zero.to_string(),
                ]
            })
            .collect();
        text.push_str(&titled(
            "least supported",
            &[
                ("column", Align::Left),
                ("varies in rows", Align::Right),
                ("not zero in", Align::Right),
            ],
            &lines,
            limit,
            width,
        ));
        let inflated = self.inflated.iter();
        let lines: Vec<Vec<String>> = inflated
            .map(|column| {
                vec![
                    brief(&column.feature),
                    format!("{:.1e}", column.inflation),
                    brief(&column.nearest),
                ]
            })
            .collect();
        text.push_str(&titled(
            "behind the condition number",
            &[
                ("column", Align::Left),
                ("variance inflation", Align::Right),
                ("nearest", Align::Left),
            ],
            &lines,
            limit,
            width,
        ));
        let rows = self.leverage.iter();
        let lines: Vec<Vec<String>> = rows
            .map(|row| vec![brief(&row.label), format!("{:.2}", row.leverage)])
            .collect();
        text.push_str(&titled(
            "rows that decide their own prediction",
            &[("row", Align::Left), ("leverage", Align::Right)],
            &lines,
            limit,
            width,
        ));
        text
    }

    /// The first columns that some rows have no value of.
    fn missing_text(&self) -> String {
        let lines = self.missing.iter().map(|column| {
            let name = brief(&column.feature);
            format!("{name}: in {} of {} rows", column.rows, self.rows)
        });
        let lines: Vec<String> = lines.collect();
        section("missing, so left out (--json names all)", &lines, MISSING)
    }

    /// Buckets of several features, each with what would separate them.
    fn merged_text(&self, limit: usize) -> String {
        let merged = self.merged.iter();
        let lines: Vec<String> = merged
            .map(|bucket| {
                let name = brief(&bucket.name);
                match &bucket.advice {
                    Some(advice) => format!("{name}: add {}", brief(advice)),
                    None => name,
                }
            })
            .collect();
        section("cannot be told apart", &lines, limit)
    }
}

/// A table under a title, cut at `limit` lines; nothing without lines.
fn titled(
    title: &str,
    header: &[(&str, Align)],
    lines: &[Vec<String>],
    limit: usize,
    width: usize,
) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let shown = &lines[..lines.len().min(limit)];
    let mut text = format!("\n{title}\n{}", render(header, shown, 0, width));
    if lines.len() > limit {
        let _ = writeln!(text, "{} more", lines.len() - limit);
    }
    text
}

fn tally(counts: &BTreeMap<String, u32>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .map(|(name, number)| format!("{} {name}", count(f64::from(*number))))
        .collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

fn section(title: &str, lines: &[String], limit: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}\n");
    for line in lines.iter().take(limit) {
        let _ = writeln!(text, "  {}", printable(line));
    }
    if lines.len() > limit {
        let _ = writeln!(text, "  … {} more", lines.len() - limit);
    }
    text
}
