//! What inputs will cost: values with intervals, and how far they stand outside of what the model has seen.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figure::{bounds, percent, quantity};
use crate::table::{Align, printable, render};

/// Predictions of one model for some observations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// Cost that is predicted: `wall`, `cpu`, `alloc`, or a column.
    pub target: String,
    /// Its base unit.
    pub unit: String,
    /// Method that made the model.
    pub method: String,
    /// Nominal coverage of the intervals, if there are any.
    pub level: Option<f64>,
    /// Features the model uses that the table has no column for, taken as zero (or as the one value the training had).
    pub assumed: Vec<String>,
    /// One per observation, in the order of the table.
    pub rows: Vec<Prediction>,
    /// Observations whose run failed: of them there is nothing to predict by.
    #[serde(default)]
    pub failed: Vec<Unpredicted>,
    /// Whether none of the classes that the model knows was counted: it may be of another program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown_program: bool,
}

/// An observation without a prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpredicted {
    /// Its label.
    pub label: String,
    /// Why its run failed.
    pub reason: String,
}

/// Predicted cost of one observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Label of the observation.
    pub label: String,
    /// Predicted cost in the base unit.
    pub value: f64,
    /// Interval at the level of [`Predictions::level`]. It assumes a row like those of the training: see `outside`.
    pub interval: Option<(f64, f64)>,
    /// What the formula gives, where that is below zero though every cost learnt from is above: `value` is then the least
    /// that is plausible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implausible: Option<f64>,
    /// Measured cost, where the table has one.
    pub measured: Option<f64>,
    /// Features outside the range of the training rows, the one that moves the prediction most first.
    pub outside: Vec<Outside>,
    /// How much the prediction would change if every feature were moved into its range, relative to the prediction.
    pub outside_share: f64,
    /// Features the observation has but the model does not price, because no training row had them.
    pub unpriced: Vec<String>,
    /// Merged buckets whose members are not in the proportion they had in training: their price is that of the mixture.
    pub separated: Vec<String>,
}

/// A feature outside the range of the training rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outside {
    /// Its name.
    pub feature: String,
    /// Its value in this observation.
    pub value: f64,
    /// Smallest value over the training rows.
    pub min: f64,
    /// Largest value over the training rows.
    pub max: f64,
    /// Distance from the range in widths of the range (of the larger end where the range is a point).
    pub excess: f64,
    /// Change of the prediction if this feature alone were moved into its range, relative to the prediction.
    pub effect: f64,
}

/// Failed runs that a text names.
const SHOWN_FAILURES: usize = 5;

/// Change of a prediction, and distance from the range in its widths, up to which a row hardly extrapolates.
const SLIGHT: (f64, f64) = (0.01, 1.0);

/// How far a feature that never varied may be off, as a share of its value.
const UNVARIED: f64 = 0.1;

impl Outside {
    /// Whether it is off so little that its effect can be told by the formula.
    fn is_near(&self) -> bool {
        self.excess
            <= if self.min < self.max {
                SLIGHT.1
            } else {
                UNVARIED
            }
    }
}

impl Prediction {
    /// Whether it extrapolates so little that it is enough to count it: nothing unknown, no feature far off, no effect to speak of.
    pub fn hardly_extrapolates(&self) -> bool {
        let known = self.unpriced.is_empty() && self.separated.is_empty();
        let near = self.outside.iter().all(Outside::is_near) && self.implausible.is_none();
        !self.outside.is_empty() && known && near && self.outside_share.abs() < SLIGHT.0
    }

    /// Whether the model is used outside of what it has seen.
    pub fn extrapolates(&self) -> bool {
        !self.outside.is_empty()
            || !self.unpriced.is_empty()
            || !self.separated.is_empty()
            || self.implausible.is_some()
    }

    /// (predicted − measured) / measured.
    pub fn relative_error(&self) -> Option<f64> {
        self.measured
            .filter(|&measured| measured != 0.0)
            .map(|measured| (self.value - measured) / measured)
    }

    /// Says in one line how far the observation is from the training rows; empty if it is not.
    pub fn caution(&self) -> String {
        let mut text = String::new();
        if let Some(first) = self.outside.first() {
            text = format!(
                "{} outside training range, {} of the prediction; most: {} = {} (seen {} … {})",
                match self.outside.len() {
                    1 => "1 feature".to_owned(),
                    n => format!("{n} features"),
                },
                percent(self.outside_share.abs()),
                first.feature,
                crate::figure::count(first.value),
                crate::figure::count(first.min),
                crate::figure::count(first.max),
            );
        }
        if let Some(given) = self.implausible {
            if !text.is_empty() {
                text.push_str("; ");
            }
            let _ = write!(
                text,
                "the formula gives {given:.4}, below zero: instead stands a tenth of the least cost learnt from"
            );
        }
        if let Some(first) = self.unpriced.first() {
            if !text.is_empty() {
                text.push_str("; ");
            }
            let unpriced = match self.unpriced.len() {
                1 => format!("{first} has no price"),
                n => format!("{n} features have no price, such as {first}"),
            };
            text.push_str(&unpriced);
        }
        if let Some(first) = self.separated.first() {
            if !text.is_empty() {
                text.push_str("; ");
            }
            let _ = write!(
                text,
                "{} merged buckets come apart, such as {first}",
                self.separated.len()
            );
        }
        text
    }
}

impl Predictions {
    /// Lays the predictions out as a table, with a line for each that extrapolates to some effect.
    pub fn to_text(&self, width: usize) -> String {
        let measured = self.rows.iter().any(|row| row.measured.is_some());
        let mut header = vec![("observation", Align::Left), ("predicted", Align::Right)];
        let level = self
            .level
            .map(|level| format!("{:.0} % interval", 100.0 * level));
        if let Some(level) = &level {
            header.push((level, Align::Right));
        }
        if measured {
            header.extend([("measured", Align::Right), ("error", Align::Right)]);
        }
        header.push(("", Align::Left));
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| self.cells(row, measured))
            .collect();
        let mut text = render(&header, &rows, 0, width);
        let cautions: Vec<String> = self
            .rows
            .iter()
            .filter(|row| row.extrapolates() && !row.hardly_extrapolates())
            .map(|row| {
                format!(
                    "! {}\n",
                    printable(&format!("{}: {}", row.label, row.caution()))
                )
            })
            .collect();
        let hardly = self
            .rows
            .iter()
            .filter(|row| row.hardly_extrapolates())
            .count();
        if hardly > 0 || !cautions.is_empty() {
            text.push('\n');
        }
        text.extend(cautions);
        if hardly > 0 {
            let _ = writeln!(
                text,
                "hardly: features are a little outside of the training range and carry less than {} of the prediction ({hardly} of {} observations; --json names them)",
                percent(SLIGHT.0),
                self.rows.len()
            );
        }
        if self.unknown_program {
            text.push_str("\nwarning: none of the classes that the model knows was counted: is this the program that it was learnt from?\n");
        }
        if let Some(first) = self.assumed.first() {
            let _ = writeln!(
                text,
                "\n{} of the model's features are not in the table and were taken as in runs that never reach them, such as {first}",
                self.assumed.len()
            );
        }
        text.push_str(&self.failures());
        text
    }

    fn failures(&self) -> String {
        let (failed, all) = (self.failed.len(), self.failed.len() + self.rows.len());
        if failed == 0 {
            return String::new();
        }
        let mut text = format!("\n{failed} of {all} observations failed and have no prediction:\n");
        for Unpredicted { label, reason } in self.failed.iter().take(SHOWN_FAILURES) {
            let _ = writeln!(text, "! {}", printable(&format!("{label}: {reason}")));
        }
        if failed > SHOWN_FAILURES {
            let _ = writeln!(text, "… (--json names all)");
        }
        text
    }

    fn cells(&self, row: &Prediction, measured: bool) -> Vec<String> {
        let mut cells = vec![row.label.clone(), quantity(row.value, &self.unit)];
        if self.level.is_some() {
            cells.push(
                row.interval
                    .map_or_else(String::new, |ends| bounds(ends, &self.unit)),
            );
        }
        if measured {
            cells.push(
                row.measured
                    .map_or_else(String::new, |value| quantity(value, &self.unit)),
            );
            cells.push(row.relative_error().map_or_else(String::new, percent));
        }
        let far = match (row.extrapolates(), row.hardly_extrapolates()) {
            (true, false) => "extrapolates",
            (true, true) => "hardly",
            (false, _) => "",
        };
        cells.push(far.to_owned());
        cells
    }
}
