//! What counting costs, in words.

use crate::options::{RecordOptions, Timing};

/// States a slow-down (0.35 for 35 %) of something, what it means for the times, and whether it exceeds the budget.
pub(crate) fn sentence(slow_down: f64, of: &str, options: &RecordOptions) -> String {
    let source = match options.timing {
        Timing::Separate => "times come from separate runs without counters",
        Timing::Same | Timing::Never => "times come from the counting runs and contain it",
    };
    let exceeded = options.overhead.filter(|&budget| slow_down > budget);
    let verdict = exceeded.map_or_else(String::new, |budget| {
        format!("; that exceeds the budget of {:.0} %", budget * 100.0)
    });
    format!(
        "counting slowed {of} by {:.0} %; {source}{verdict}",
        slow_down * 100.0
    )
}
