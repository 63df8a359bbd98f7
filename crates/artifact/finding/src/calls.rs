//! What the calls of a program will cost: time, bytes, collections, and which constructs carry the time.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figure::{bounds, count, percent, quantity};
use crate::table::{Align, render};

/// Predictions for the top-level items of one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallPredictions {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// The program.
    pub program: String,
    /// Charging rules.
    pub mode: String,
    /// Estimator of the prices.
    pub estimator: String,
    /// Nominal coverage of the intervals, if there are any.
    pub level: Option<f64>,
    /// What to know before trusting them.
    pub warnings: Vec<String>,
    /// In the order of the program.
    pub calls: Vec<CallPrediction>,
}

/// Prediction for one top-level item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallPrediction {
    /// What it defines, or `expression`, and its line.
    pub label: String,
    /// Its line.
    pub line: u32,
    /// Nanoseconds, collections included; none if a construct has no price.
    pub time: Option<f64>,
    /// Interval of the time.
    pub interval: Option<(f64, f64)>,
    /// Nanoseconds of the collections in it.
    pub collecting: f64,
    /// Bytes allocated.
    pub bytes: Option<f64>,
    /// Minor collections, beginning with an empty heap.
    pub collections: Option<f64>,
    /// Words promoted in them, where the evaluator knows.
    pub promoted: Option<f64>,
    /// Whether a major collection may finish meanwhile, which is outside of the model.
    #[serde(default)]
    pub major: bool,
    /// Constructs without a price, by name.
    pub unpriced: Vec<String>,
    /// What carries the time, the largest share first.
    pub parts: Vec<CallPart>,
}

/// A construct's part in the time of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallPart {
    /// Its name.
    pub construct: String,
    /// How often it runs.
    pub count: f64,
    /// Nanoseconds of one.
    pub price: f64,
    /// Nanoseconds of all.
    pub time: f64,
    /// Share of the call's time.
    pub share: f64,
}

impl CallPredictions {
    /// A table; with `explain`, the constructs below each call.
    pub fn to_text(&self, width: usize, explain: bool) -> String {
        let header = [
            ("call", Align::Left),
            ("time", Align::Right),
            ("interval", Align::Right),
            ("bytes", Align::Right),
            ("collections", Align::Right),
        ];
        let mut text = String::new();
        let lines: Vec<Vec<String>> = self.calls.iter().map(CallPrediction::line).collect();
        if explain {
            for (call, line) in self.calls.iter().zip(&lines) {
                text.push_str(&render(&header, std::slice::from_ref(line), 0, width));
                text.push_str(&call.explanation(width));
                text.push('\n');
            }
        } else {
            text.push_str(&render(&header, &lines, 0, width));
        }
        for call in self.calls.iter().filter(|c| !c.unpriced.is_empty()) {
            // Writing into a string cannot fail.
            writeln!(
                text,
                "{}: no price for {}",
                call.label,
                call.unpriced.join(", ")
            )
            .ok();
        }
        for call in self.calls.iter().filter(|c| c.major) {
            writeln!(
                text,
                "{}: a major collection may finish, depending on how large the heap was before; its time is not in this, and it may begin minor collections out of turn",
                call.label
            )
            .ok();
        }
        for warning in &self.warnings {
            writeln!(text, "warning: {warning}").ok();
        }
        text
    }
}

impl CallPrediction {
    fn line(&self) -> Vec<String> {
        vec![
            self.label.clone(),
            self.time
                .map_or_else(|| "refused".to_owned(), |t| quantity(t, "ns")),
            self.interval.map(|i| bounds(i, "ns")).unwrap_or_default(),
            self.bytes.map_or_else(String::new, |b| quantity(b, "byte")),
            self.collections.map_or_else(String::new, count),
        ]
    }

    fn explanation(&self, width: usize) -> String {
        let header = [
            ("  construct", Align::Left),
            ("runs", Align::Right),
            ("price", Align::Right),
            ("time", Align::Right),
            ("share", Align::Right),
        ];
        let rows: Vec<Vec<String>> = self
            .parts
            .iter()
            .map(|p| {
                vec![
                    format!("  {}", p.construct),
                    count(p.count),
                    quantity(p.price, "ns"),
                    quantity(p.time, "ns"),
                    percent(p.share),
                ]
            })
            .collect();
        render(&header, &rows, 0, width)
    }
}
