//! How two platforms differ, what a price list says of counted programs, and predictions moved from one platform to another.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::Predictions;
use crate::figure::{percent, quantity};
use crate::table::{Align, printable, render};

/// Where two price lists differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlatformDifference {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// The first platform in a few words.
    pub here: String,
    /// The second.
    pub there: String,
    /// How benchmarks of both differ; none where they share none.
    pub benchmarks: Option<Ratios>,
    /// How prices of both differ; none where they share none.
    pub prices: Option<Ratios>,
    /// What may be made of it, in words.
    pub verdict: String,
    /// Groups of benchmarks, in the order of the first list.
    pub groups: Vec<GroupRatio>,
    /// Benchmarks farthest from the median, the farthest first.
    pub extremes: Vec<BenchmarkRatio>,
    /// Benchmarks that only one list has a time for, with the reason where there is one.
    pub missing: Vec<String>,
    /// What it means for a program, if one was given.
    pub program: Option<Moved>,
}

/// Ratios of times there to times here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratios {
    /// How many.
    pub count: u32,
    /// Their median.
    pub median: f64,
    /// Interquartile range of their logarithms.
    pub spread: f64,
    /// What of that both lists' own scatter explains.
    pub noise: f64,
    /// Pearson correlation of the logarithms of the times.
    pub correlation: Option<f64>,
}

/// A group of benchmarks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupRatio {
    /// Its name.
    pub group: String,
    /// Benchmarks.
    pub count: u32,
    /// Median ratio.
    pub median: f64,
    /// Smallest and largest ratio.
    pub range: (f64, f64),
}

/// A benchmark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkRatio {
    /// Its name.
    pub name: String,
    /// ns here and there.
    pub ns: (f64, f64),
    /// There over here.
    pub ratio: f64,
}

/// How predictions were moved to another platform.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Where the model was learnt.
    pub here: String,
    /// Where it is to predict.
    pub there: String,
    /// `ratio`, `mixture`, `sum`, `paper`.
    pub route: String,
    /// Why this one.
    pub why: String,
    /// Median over the observations of moved over unmoved prediction.
    pub factor: f64,
    /// Standard deviation of the logarithm of that factor: what the intervals were widened by.
    pub uncertainty: f64,
    /// Benchmarks that the program resembles, with their shares, the largest first.
    pub resembles: Vec<(String, f64)>,
    /// Share of what the program executes, opcodes and calls that are counted, that has a price here.
    pub covered: Option<f64>,
    /// What runs there were worth.
    pub calibration: Option<Calibration>,
    /// Half width of the factor's interval now and with one run there more, as shares.
    pub one_more: (f64, f64),
    /// Commands that would give a better answer.
    pub commands: Vec<String>,
    /// What to be careful about.
    pub cautions: Vec<String>,
}

/// An update by runs on the other platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Runs.
    pub runs: u32,
    /// By what the factor was multiplied.
    pub scale: f64,
    /// Uncertainty of the factor before.
    pub before: f64,
    /// Scatter of single runs about it.
    pub scatter: f64,
}

/// Predictions for a platform where the program never ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MovedPredictions {
    /// The predictions.
    #[serde(flatten)]
    pub predictions: Predictions,
    /// How they were moved.
    pub moved: Moved,
}

/// Σ counts × prices for each observation, after Krogmann et al. (2010), section 3.6.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// The list's platform in a few words.
    pub list: String,
    /// The measured cost, if the dataset has it.
    pub target: Option<String>,
    /// Features that have a price and are counted.
    pub priced: u32,
    /// Rank of their counts, exactly; none where counts are no whole numbers.
    pub rank: Option<u32>,
    /// Counted features without a price.
    pub unpriced: Vec<String>,
    /// One for each observation.
    pub rows: Vec<AppliedRow>,
    /// The calibration factor R over the observations, if something was measured.
    pub factor: Option<FactorSummary>,
}

/// One observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AppliedRow {
    /// Its label.
    pub label: String,
    /// Σ counts × prices, ns.
    pub sum: f64,
    /// The measured cost.
    pub measured: Option<f64>,
    /// R: the sum over the measured cost.
    pub factor: Option<f64>,
}

/// The factor R.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FactorSummary {
    /// Its mean.
    pub mean: f64,
    /// Its sample standard deviation over the mean.
    pub variation: f64,
    /// Median error of R from each observation applied to each other one.
    pub one_file_median: f64,
    /// Largest of these errors.
    pub one_file_max: f64,
}

impl PlatformDifference {
    /// As a person reads it.
    pub fn to_text(&self, width: usize) -> String {
        let mut text = format!(
            "here:  {}\nthere: {}\n\n{}\n",
            printable(&self.here),
            printable(&self.there),
            printable(&self.verdict)
        );
        if !self.groups.is_empty() {
            let header = [
                ("benchmarks", Align::Left),
                ("", Align::Right),
                ("there / here", Align::Right),
                ("range", Align::Right),
            ];
            let rows: Vec<Vec<String>> = self
                .groups
                .iter()
                .map(|g| {
                    let range = format!("{:.2} … {:.2}", g.range.0, g.range.1);
                    vec![
                        g.group.clone(),
                        g.count.to_string(),
                        format!("{:.2}", g.median),
                        range,
                    ]
                })
                .collect();
            let _ = write!(text, "\n{}", render(&header, &rows, 0, width));
        }
        if !self.extremes.is_empty() {
            let header = [
                ("farthest from the median", Align::Left),
                ("here", Align::Right),
                ("there", Align::Right),
                ("there / here", Align::Right),
            ];
            let rows: Vec<Vec<String>> = self
                .extremes
                .iter()
                .map(|b| {
                    vec![
                        b.name.clone(),
                        quantity(b.ns.0, "ns"),
                        quantity(b.ns.1, "ns"),
                        format!("{:.2}", b.ratio),
                    ]
                })
                .collect();
            let _ = write!(text, "\n{}", render(&header, &rows, 0, width));
        }
        if let Some(prices) = &self.prices {
            let _ = writeln!(
                text,
                "\n{} prices of both: median ratio {:.2}{}",
                prices.count,
                prices.median,
                prices.correlation.map_or_else(String::new, |c| format!(
                    ", correlation of logarithms {c:.2}"
                ))
            );
        }
        if let Some(first) = self.missing.first() {
            let _ = writeln!(
                text,
                "{} benchmarks have a time in one list alone, such as {}",
                self.missing.len(),
                printable(first)
            );
        }
        if let Some(program) = &self.program {
            let _ = write!(text, "\nThis program: {}", program.to_text());
        }
        text
    }
}

impl Moved {
    /// As a person reads it.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "moved from {}\n        to {}\nby {} (route `{}`), {:.2} times the cost there, ±{} at 95 %\n",
            printable(&self.here),
            printable(&self.there),
            printable(&self.why),
            self.route,
            self.factor,
            percent(self.one_more.0)
        );
        if !self.resembles.is_empty() {
            let names: Vec<String> = self
                .resembles
                .iter()
                .take(4)
                .map(|(name, share)| format!("{} {}", percent(*share), printable(name)))
                .collect();
            let _ = writeln!(text, "the program resembles {}", names.join(", "));
        }
        match &self.calibration {
            Some(done) => {
                let runs = if done.runs == 1 { "1 run" } else { "runs" };
                let many = if done.runs == 1 {
                    String::new()
                } else {
                    format!("{} ", done.runs)
                };
                let _ = writeln!(
                    text,
                    "{many}{runs} there multiplied it by {:.2}; one more would narrow ±{} to ±{}",
                    done.scale,
                    percent(self.one_more.0),
                    percent(self.one_more.1)
                );
            }
            None => {
                let _ = writeln!(
                    text,
                    "one run there would narrow ±{} to ±{}: --calibrate DATASET",
                    percent(self.one_more.0),
                    percent(self.one_more.1)
                );
            }
        }
        for caution in &self.cautions {
            let _ = writeln!(text, "! {}", printable(caution));
        }
        if !self.commands.is_empty() {
            text.push_str("better, since the program runs here in that mode, too:\n");
            for command in &self.commands {
                let _ = writeln!(text, "    {}", printable(command));
            }
        }
        text
    }
}

impl MovedPredictions {
    /// As a person reads it.
    pub fn to_text(&self, width: usize) -> String {
        format!(
            "{}\n{}",
            self.predictions.to_text(width),
            self.moved.to_text()
        )
    }
}

impl Applied {
    /// As a person reads it.
    pub fn to_text(&self, width: usize) -> String {
        let mut header = vec![
            ("observation", Align::Left),
            ("Σ counts × prices", Align::Right),
        ];
        let measured = self.rows.iter().any(|r| r.measured.is_some());
        if measured {
            header.extend([("measured", Align::Right), ("R", Align::Right)]);
        }
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let mut cells = vec![row.label.clone(), quantity(row.sum, "ns")];
                if measured {
                    cells.push(row.measured.map_or_else(String::new, |m| quantity(m, "ns")));
                    cells.push(row.factor.map_or_else(String::new, |r| format!("{r:.3}")));
                }
                cells
            })
            .collect();
        let mut text = format!("prices: {}\n\n", printable(&self.list));
        text.push_str(&render(&header, &rows, 0, width));
        let _ = writeln!(
            text,
            "\n{} counted features have a price{}",
            self.priced,
            self.rank
                .map_or_else(String::new, |r| format!(", their counts have rank {r}"))
        );
        if let Some(first) = self.unpriced.first() {
            let _ = writeln!(
                text,
                "{} counted features have no price, such as {}",
                self.unpriced.len(),
                printable(first)
            );
        }
        if let Some(factor) = &self.factor {
            let _ = writeln!(
                text,
                "R = {:.3}, varying by {}; R of one observation errs on another by {} in the median, at most {}",
                factor.mean,
                percent(factor.variation),
                percent(factor.one_file_median),
                percent(factor.one_file_max)
            );
        }
        text
    }
}
