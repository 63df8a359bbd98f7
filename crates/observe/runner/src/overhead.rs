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
    format!("{}; {source}{verdict}", slowed(slow_down, of))
}

/// A measured speed-up is noise, and is not printed as a figure.
fn slowed(slow_down: f64, of: &str) -> String {
    if slow_down < 0.005 {
        return format!("counting did not slow {of} beyond the noise");
    }
    format!("counting slowed {of} by {:.0} %", slow_down * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_slow_down_is_not_printed() {
        let said = slowed(-0.28, "the subject");
        assert_eq!(said, "counting did not slow the subject beyond the noise");
        assert_eq!(slowed(0.28, "it"), "counting slowed it by 28 %");
    }
}
