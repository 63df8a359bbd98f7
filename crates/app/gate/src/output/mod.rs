//! A verdict in the forms that people and services of continuous integration read.

mod annotations;
mod junit;
mod markdown;
mod services;
mod text;

pub use annotations::annotations;
pub use junit::junit;
pub use markdown::markdown;
pub use services::{bencher, benchmark_action};
pub use text::{history, text};

use pricetag_finding::figure::{count, percent};

use crate::figure::Figure;
use crate::verdict::{Level, Row};

/// What counts do not tell.
const UNSEEN: &str =
    "Counts do not see memory and caches, contention, waiting and native code: only times do.";

impl Level {
    fn told(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Better => "less",
            Self::Within => "within its noise",
            Self::Allowed => "allowed",
            Self::Warned => "WARNED",
            Self::Failed => "FAILED",
        }
    }
}

/// A count, or the interval of what does not repeat.
fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Exact(exact) => count(*exact as f64),
        Figure::Wavering { low, high, .. } => {
            format!("{} … {}", count(*low as f64), count(*high as f64))
        }
    }
}

/// `+18 (+4.7 %)`; of what does not repeat, of the means.
fn change(row: &Row) -> String {
    let delta = row.after.middle() - row.before.middle();
    let sign = if delta < 0.0 { "−" } else { "+" };
    let share = row.change().filter(|share| *share != 0.0);
    let share = share.map(|share| {
        format!(
            " ({}{})",
            if share < 0.0 { "−" } else { "+" },
            percent(share.abs())
        )
    });
    format!("{sign}{}{}", count(delta.abs()), share.unwrap_or_default())
}

/// Rows that the build of the baseline does not count, the worst first, then the largest change.
fn changed(rows: &[Row]) -> Vec<&Row> {
    let mut shown: Vec<&Row> = rows
        .iter()
        .filter(|row| !row.level.is_unchanged())
        .collect();
    let size = |row: &Row| row.change().unwrap_or(f64::INFINITY).abs();
    shown.sort_by(|a, b| {
        let by_size = size(b).total_cmp(&size(a));
        b.level
            .cmp(&a.level)
            .then(by_size)
            .then_with(|| (&a.benchmark, a.metric).cmp(&(&b.benchmark, b.metric)))
    });
    shown
}
