//! Where the warm-up of a scope ends.
//!
//! A method is interpreted, then compiled, then compiled better; until that settles its times say little about the rest.
//! Times of invocations differ because their inputs do, so each is divided by its work (the sum of its counters, where
//! known). The level of the last quarter of the sequence is taken as settled; warm-up ends before the first window whose
//! median is within [`TOLERANCE`] of that level and whose successor is, too, behind its leading slow ones. Medians, because single invocations may be
//! hit by a collection. After Georges, Buytaert & Eeckhout 2007, "Statistically rigorous Java performance evaluation",
//! section 4.2, who use the coefficient of variation of a window instead of medians. Limits: a sequence still speeding up in its
//! last quarter is called settled there; fewer than [`LEAST`] invocations are not judged.

use pricetag_quantity::median;

/// How far a window's median may lie above the settled level.
pub const TOLERANCE: f64 = 0.10;
/// Shortest sequence that is judged.
pub const LEAST: usize = 20;

/// Number of leading invocations that are warm-up; none if the sequence is too short to tell.
///
/// `times` in ns; `work` parallel to it, zero where unknown.
pub fn detect(times: &[f64], work: &[f64]) -> Option<usize> {
    let n = times.len();
    if n < LEAST {
        return None;
    }
    let pace: Vec<f64> = times.iter().zip(work).map(|(t, w)| t / (w + 1.0)).collect();
    let level = median(&pace[n - n / 4..])? * (1.0 + TOLERANCE);
    let window = (n / 20).clamp(5, 100);
    let settled = |at: usize| {
        pace.get(at..at + window)
            .and_then(median)
            .is_some_and(|m| m <= level)
    };
    let latest = n - n / 4;
    let start = (0..latest).find(|&at| settled(at) && settled(at + window));
    // A window may begin with the last slow ones.
    let skip = |at: usize| pace[at..].iter().take_while(|&&p| p > level).count();
    Some(start.map_or(latest, |at| at + skip(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times per unit of work fall from 50 to 1 over the first 30 invocations.
    fn speeding_up(n: usize) -> (Vec<f64>, Vec<f64>) {
        let work: Vec<f64> = (0..n)
            .map(|i| 1000.0 + 900.0 * ((i * 7919 % 13) as f64))
            .collect();
        let pace = |i: usize| {
            if i < 30 {
                50.0 - 1.6 * i as f64
            } else {
                1.0 + 0.02 * ((i % 5) as f64 - 2.0)
            }
        };
        let times = work.iter().enumerate().map(|(i, w)| w * pace(i)).collect();
        (times, work)
    }

    #[test]
    fn warm_up_ends_where_the_pace_settles() {
        let (times, work) = speeding_up(400);
        let end = detect(&times, &work).unwrap();
        assert!((20..=32).contains(&end), "{end}");
    }

    #[test]
    fn a_steady_sequence_has_none_even_with_outliers() {
        let (mut times, work) = speeding_up(400);
        times.drain(..40);
        for i in (0..times.len()).step_by(37) {
            times[i] *= 30.0;
        }
        assert!(detect(&times, &work[40..]).unwrap() <= 2);
    }

    #[test]
    fn short_sequences_are_not_judged_and_restless_ones_lose_most() {
        assert_eq!(detect(&[1.0; 10], &[0.0; 10]), None);
        let falling: Vec<f64> = (0..100).map(|i| f64::from(1000 - 9 * i)).collect();
        assert!(detect(&falling, &[0.0; 100]).unwrap() >= 40);
    }
}
