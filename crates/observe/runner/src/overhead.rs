//! What counting costs, in words.

use pricetag_trace::Scope;

use crate::options::{RecordOptions, Timing};

/// States a slow-down (0.35 for 35 %) of something, what it means for the times, and of a scope whether it exceeds the budget.
///
/// `range` is an interval of its mean, where it is known: a slow-down that may be none is not stated as one.
pub(crate) fn sentence(
    slow_down: f64,
    range: Option<(f64, f64)>,
    of: &str,
    options: &RecordOptions,
) -> String {
    let source = match options.timing {
        Timing::Separate => "times come from separate runs without counters",
        Timing::Same | Timing::Never => "times come from the counting runs and contain it",
    };
    // Whole runs were fitted to it, by more runs than these. An invocation may still cost more.
    let budget = options.overhead.filter(|_| options.scope != Scope::Main);
    let exceeded = budget.filter(|&budget| slow_down > budget);
    let verdict = exceeded.map_or_else(String::new, |budget| {
        format!("; that exceeds the budget of {}", percent(budget))
    });
    format!("{}; {source}{verdict}", slowed(slow_down, range, of))
}

/// A fraction in per cent with one decimal place, and as many as its first digit needs where it is smaller. A measured speed-up counts as none.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction.max(0.0) * 100.0;
    let mut places = 1;
    // What is below a millionth of a per cent is none, too. The product may fall short of 1 by rounding.
    while percent * 10f64.powi(places) < 0.999 && percent >= 1e-6 {
        places += 1;
    }
    format!("{percent:.*} %", places as usize)
}

/// A measured speed-up is noise, and is not printed as a figure.
fn slowed(slow_down: f64, range: Option<(f64, f64)>, of: &str) -> String {
    let percent = |fraction: f64| format!("{:.0} %", fraction * 100.0);
    match range {
        Some((low, high)) if low <= 0.0 => format!(
            "counting did not slow {of} beyond the noise (95 %: {} to {})",
            percent(low),
            percent(high)
        ),
        Some((low, high)) => format!(
            "counting slowed {of} by {} (95 %: {} to {})",
            percent(slow_down),
            percent(low),
            percent(high)
        ),
        None if slow_down < 0.005 => format!("counting did not slow {of} beyond the noise"),
        None => format!("counting slowed {of} by {}", percent(slow_down)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_shares_keep_their_digits() {
        let cases = [
            (0.05, "5.0 %"),
            (0.235, "23.5 %"),
            (0.0123, "1.2 %"),
            (0.004, "0.4 %"),
        ];
        let small = [
            (0.0001, "0.01 %"),
            (0.000_012_3, "0.001 %"),
            (0.0, "0.0 %"),
            (-0.2, "0.0 %"),
        ];
        for (fraction, text) in cases.into_iter().chain(small) {
            assert_eq!(percent(fraction), text);
        }
    }

    #[test]
    fn a_negative_slow_down_is_not_printed() {
        let said = slowed(-0.28, None, "the subject");
        assert_eq!(said, "counting did not slow the subject beyond the noise");
        assert_eq!(slowed(0.28, None, "it"), "counting slowed it by 28 %");
        assert_eq!(
            slowed(0.25, Some((0.12, 0.4)), "it"),
            "counting slowed it by 25 % (95 %: 12 % to 40 %)"
        );
        assert_eq!(
            slowed(0.02, Some((-0.05, 0.1)), "it"),
            "counting did not slow it beyond the noise (95 %: -5 % to 10 %)"
        );
    }
}
