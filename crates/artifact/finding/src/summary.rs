//! What a whole run found, on one screen.

use std::fmt::Write as _;

use pricetag_cost_model::{Concise, Term};
use serde::{Deserialize, Serialize};

use crate::figure::{brief, percent, quantity};
use crate::formula::term_table;
use crate::sampled::interval;
use crate::table::{Align, printable, render};

/// Terms of a formula that fit on a screen.
const TERMS: usize = 8;
/// Sentences before the table.
const FIRST: usize = 2;
/// Columns of prose, however wide the terminal is.
const PROSE: usize = 100;
/// Notes of the recording that fit on a screen.
const NOTES: usize = 4;

/// One screen about a run of `mine`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// The subject's command.
    pub subject: Vec<String>,
    /// Cost that was explained.
    pub target: String,
    /// Its base unit.
    pub unit: String,
    /// Observations that succeeded.
    pub observations: u32,
    /// Observations that failed.
    pub failed: u32,
    /// Features that were counted.
    pub features: u32,
    /// Buckets that got a price.
    pub priced: u32,
    /// Buckets without a price.
    pub unpriced: u32,
    /// Method of the model.
    pub method: String,
    /// Rows used for learning, and rows held out.
    pub split: Option<(u32, u32)>,
    /// Median and 90th percentile of the relative error on rows held out.
    pub error: Option<(f64, f64)>,
    /// The same from the sizes of the inputs alone.
    pub baseline: Option<(f64, f64)>,
    /// The same of one cost for all inputs, on those kept aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<(f64, f64)>,
    /// Spread of repeated measurements of one input: a floor for errors, up to the averaging of repeats.
    pub noise: Option<f64>,
    /// Nominal and measured coverage of the intervals.
    pub coverage: Option<(f64, Option<f64>)>,
    /// Standard deviation of the measured coverage by the luck of which inputs were learnt from.
    #[serde(default)]
    pub scatter: Option<f64>,
    /// The most expensive methods.
    pub top: Vec<SummaryItem>,
    /// Lines below these: the other methods together, and where the shares come from.
    #[serde(default)]
    pub below: Vec<String>,
    /// The formula, where it is no sum of prices.
    #[serde(default)]
    pub formula: Option<String>,
    /// Its terms and what they carry, the largest first.
    #[serde(default)]
    pub terms: Vec<Term>,
    /// The cost in few terms, where it was sought.
    #[serde(default)]
    pub concise: Option<Concise>,
    /// Features in merged buckets, and the number of those buckets.
    pub inseparable: Option<(u32, u32)>,
    /// Whole sentences, as shown at the top of the report.
    pub sentences: Vec<String>,
    /// What limits trust, worst first.
    pub warnings: Vec<String>,
    /// What the recording has to say: where times come from, what was left out, how quiet the machine was.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Where the artefacts are, as `(what, path)`.
    pub outputs: Vec<(String, String)>,
}

/// A line of the table of methods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SummaryItem {
    /// Method or feature.
    pub name: String,
    /// Predicted cost over all observations.
    pub cost: f64,
    /// Its share.
    pub share: f64,
    /// Interval of the share, where it is measured by samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
}

impl Summary {
    /// The dearest methods: with intervals where they are known.
    fn top_text(&self, width: usize) -> String {
        let sampled = self.top.iter().any(|item| item.bounds.is_some());
        let rows: Vec<Vec<String>> = self
            .top
            .iter()
            .map(|item| {
                let mut cells = vec![
                    brief(&item.name),
                    quantity(item.cost, &self.unit),
                    percent(item.share),
                ];
                if sampled {
                    cells.push(item.bounds.map_or_else(String::new, interval));
                }
                cells.push(bar(item.share));
                cells
            })
            .collect();
        let mut header = vec![
            ("where the cost goes", Align::Left),
            (self.target.as_str(), Align::Right),
            ("share", Align::Right),
        ];
        if sampled {
            header.push(("95 % interval", Align::Right));
        }
        header.push(("", Align::Left));
        render(&header, &rows, 0, width)
    }

    /// Lays the summary out on one screen of `width` columns.
    pub fn to_text(&self, width: usize) -> String {
        let prose = width.min(PROSE);
        let say = |text: &mut String, line: &str| text.push_str(&wrap(&printable(line), prose));
        let mut text = String::new();
        // The answer first: what ran, where the cost goes.
        let (first, others) = self.sentences.split_at(self.sentences.len().min(FIRST));
        for sentence in first {
            say(&mut text, sentence);
        }
        if !self.top.is_empty() {
            text.push('\n');
            text.push_str(&self.top_text(width));
        }
        for line in &self.below {
            say(&mut text, &brief(line));
        }
        if !self.below.is_empty() && !others.is_empty() {
            text.push('\n');
        }
        for sentence in others {
            say(&mut text, sentence);
        }
        if !self.terms.is_empty() {
            let table = term_table(&self.terms, TERMS, width, "the model has them");
            let _ = write!(text, "\n{} is the sum of\n{table}", self.target);
        }
        if !self.warnings.is_empty() || !self.notes.is_empty() {
            text.push('\n');
        }
        for warning in self.warnings.iter().take(8) {
            say(&mut text, &format!("! {warning}"));
        }
        if self.warnings.len() > 8 {
            let _ = writeln!(
                text,
                "! {} more warnings in the report",
                self.warnings.len() - 8
            );
        }
        for note in self.notes.iter().take(NOTES) {
            say(&mut text, &format!("- {note}"));
        }
        if self.notes.len() > NOTES {
            let _ = writeln!(
                text,
                "- {} more notes in the report",
                self.notes.len() - NOTES
            );
        }
        if !self.outputs.is_empty() {
            text.push('\n');
        }
        let wide = self
            .outputs
            .iter()
            .map(|(what, _)| what.chars().count())
            .max()
            .unwrap_or(0);
        for (what, path) in &self.outputs {
            let _ = writeln!(text, "{what:<wide$}  {}", printable(path));
        }
        text
    }
}

/// A bar of at most twenty characters, in eighths of a character.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * 160.0).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Breaks a sentence at spaces; words longer than a line stay whole.
fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}
