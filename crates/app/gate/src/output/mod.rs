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

/// What the runs of a check counted, which is what is judged: from the least to the most.
fn seen(figure: &Figure) -> String {
    let (least, most) = match figure {
        Figure::Exact(exact) => (*exact, *exact),
        Figure::Wavering { runs, .. } => {
            let ends = runs.iter().min().zip(runs.iter().max());
            ends.map_or((figure.low(), figure.high()), |(a, b)| (*a, *b))
        }
    };
    let [least, most] = [least, most].map(|end| count(end as f64));
    if least == most {
        return least;
    }
    format!("{least} … {most}")
}

/// `+18 (+4.7 %)`; of what does not repeat, of the means.
fn change(row: &Row) -> String {
    delta(row.before.middle(), row.after.middle())
}

/// `+18 (+4.7 %)`, or `+18` of nothing.
fn delta(before: f64, after: f64) -> String {
    let signed =
        |number: f64, shown: String| format!("{}{shown}", if number < 0.0 { "−" } else { "+" });
    let delta = after - before;
    let share = (before > 0.0)
        .then(|| delta / before)
        .filter(|share| *share != 0.0);
    let share = share.map(|share| format!(" ({})", signed(share, percent(share.abs()))));
    format!(
        "{}{}",
        signed(delta, count(delta.abs())),
        share.unwrap_or_default()
    )
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
