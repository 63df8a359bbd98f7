//! Robust statistics of repeated measurements.
//!
//! Quantiles are R's default, type 7 (Hyndman & Fan 1996, "Sample quantiles in statistical packages"). The interval of a
//! median is distribution-free: order statistics whose coverage is a binomial probability (David & Nagaraja 2003, *Order
//! Statistics*, §7.1), so it needs no resampling. Arguments must not contain NaN; samples that do, or are empty, have no
//! statistics and yield `None`.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::Interval;

/// Makes the median absolute deviation estimate the standard deviation of normal data: 1 / Φ⁻¹(3/4), as in R's `mad`.
pub const MAD_TO_SIGMA: f64 = 1.4826;

/// The fraction that [`low_quantile`] takes: low enough to leave disturbance out, high enough not to be one lucky run.
pub const LOW_FRACTION: f64 = 0.1;

fn sorted(sample: &[f64]) -> Option<Vec<f64>> {
    if sample.is_empty() || sample.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut values = sample.to_vec();
    values.sort_by(f64::total_cmp);
    Some(values)
}

fn quantile_of_sorted(values: &[f64], p: f64) -> f64 {
    let position = p * (values.len() - 1) as f64;
    let below = position.floor();
    let (low, fraction) = (values[below as usize], position - below);
    match values.get(below as usize + 1) {
        Some(high) if fraction > 0.0 && *high > low => low + fraction * (high - low),
        _ => low,
    }
}

/// The quantile at `p` in 0..=1 (type 7: linear between order statistics).
pub fn quantile(sample: &[f64], p: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    sorted(sample).map(|values| quantile_of_sorted(&values, p))
}

/// The middle value; the mean of the two middle values for an even number.
pub fn median(sample: &[f64]) -> Option<f64> {
    quantile(sample, 0.5)
}

/// The smallest value.
pub fn minimum(sample: &[f64]) -> Option<f64> {
    quantile(sample, 0.0)
}

/// The quantile at [`LOW_FRACTION`]: what a run costs when little disturbs it.
pub fn low_quantile(sample: &[f64]) -> Option<f64> {
    quantile(sample, LOW_FRACTION)
}

/// Median absolute deviation from the median, unscaled; times [`MAD_TO_SIGMA`] it is R's `mad`.
pub fn mad(sample: &[f64]) -> Option<f64> {
    let centre = median(sample)?;
    let deviations: Vec<f64> = sample.iter().map(|x| (x - centre).abs()).collect();
    median(&deviations)
}

/// Scaled MAD over the median: a robust coefficient of variation, 0.02 for two per cent. `None` if the median is zero;
/// 0 for a single value, which says nothing about spread.
pub fn relative_spread(sample: &[f64]) -> Option<f64> {
    let centre = median(sample)?;
    if centre == 0.0 {
        return None;
    }
    mad(sample).map(|deviation| MAD_TO_SIGMA * deviation / centre.abs())
}

/// A confidence interval of a median, with the confidence it really has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MedianInterval {
    /// From an order statistic to its mirror image.
    pub interval: Interval,
    /// Coverage, at least what was asked for.
    pub confidence: f64,
}

/// The narrowest symmetric pair of order statistics that covers the median of the distribution with at least the
/// given confidence. `None` when the sample is too small: six values reach 0.95, five only 0.9375.
pub fn median_interval(sample: &[f64], confidence: f64) -> Option<MedianInterval> {
    if !(0.0..1.0).contains(&confidence) {
        return None;
    }
    let values = sorted(sample)?;
    let n = values.len();
    let mut tail = 0.0; // P(B <= rank) for B ~ Binomial(n, 1/2)
    let mut best = None;
    let mut log_probability = -(n as f64) * std::f64::consts::LN_2; // ln P(B = 0)
    for rank in 0..n / 2 {
        tail += log_probability.exp();
        let coverage = 1.0 - 2.0 * tail;
        if coverage < confidence {
            break;
        }
        best = Some(MedianInterval {
            interval: Interval {
                low: values[rank],
                high: values[n - 1 - rank],
            },
            confidence: coverage,
        });
        log_probability += ((n - rank) as f64 / (rank + 1) as f64).ln();
    }
    best
}

/// The interval that covers the mean of a normal distribution with the given confidence (Student 1908). `None` for fewer than two values.
pub fn mean_interval(sample: &[f64], confidence: f64) -> Option<Interval> {
    if !(0.0..1.0).contains(&confidence) || sample.len() < 2 {
        return None;
    }
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
    let half = t.inverse_cdf(0.5 + confidence / 2.0) * error;
    Interval::between(mean - half, mean + half)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R 4.2.2: `x <- c(3.1, 4.7, 1.2, 9.9, 5.5, 2.8, 7.3, 100)`.
    const X: [f64; 8] = [3.1, 4.7, 1.2, 9.9, 5.5, 2.8, 7.3, 100.0];

    fn close(a: Option<f64>, b: f64) {
        let a = a.expect("a value");
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn quantiles_agree_with_r() {
        // quantile(x, c(0, .1, .25, .5, .9, 1))
        close(quantile(&X, 0.0), 1.2);
        close(quantile(&X, 0.1), R_Q10);
        close(quantile(&X, 0.25), R_Q25);
        close(quantile(&X, 0.5), 5.1);
        close(quantile(&X, 0.9), R_Q90);
        close(quantile(&X, 1.0), 100.0);
        close(low_quantile(&X), R_Q10);
        close(minimum(&X), 1.2);
    }
    const R_Q10: f64 = 2.32;
    const R_Q25: f64 = 3.025;
    const R_Q90: f64 = 36.93;

    #[test]
    fn mad_agrees_with_r() {
        close(mad(&X).map(|m| m * MAD_TO_SIGMA), R_MAD);
        close(relative_spread(&X), R_MAD / 5.1);
    }
    /// `mad(x)`
    const R_MAD: f64 = 3.33585;

    #[test]
    fn mean_interval_is_students() {
        // By the distribution function for odd degrees of freedom in closed form (Abramowitz & Stegun 1964, 26.7.3), whose quantile for seven is 1.894578605.
        let interval = mean_interval(&X, 0.9).unwrap();
        for (found, expected) in [
            (interval.low, -5.777_134_910),
            (interval.high, 39.402_134_910),
        ] {
            assert!((found - expected).abs() < 1e-6, "{found}");
        }
        let alike = mean_interval(&[2.0; 5], 0.95).unwrap();
        assert_eq!((alike.low, alike.high), (2.0, 2.0));
        assert!(mean_interval(&[1.0], 0.9).is_none());
        assert!(mean_interval(&[1.0, f64::NAN], 0.9).is_none());
    }

    #[test]
    fn median_interval_has_binomial_coverage() {
        // For n = 10 the pair (x(2), x(9)) covers with 1 - 2*pbinom(1, 10, .5) = 0.978515625.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        let m = median_interval(&ten, 0.95).unwrap();
        assert_eq!(
            m.interval,
            Interval {
                low: 2.0,
                high: 9.0
            }
        );
        assert!((m.confidence - 0.978_515_625).abs() < 1e-12);
        // For n = 100: (x(40), x(61)), coverage 0.9647998 (1 - 2*pbinom(39, 100, .5)).
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let m = median_interval(&hundred, 0.95).unwrap();
        assert_eq!(
            m.interval,
            Interval {
                low: 40.0,
                high: 61.0
            }
        );
        assert!((m.confidence - 0.964_799_8).abs() < 1e-7);
    }

    #[test]
    fn small_samples_have_no_interval() {
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(median_interval(&five, 0.95).is_none());
        assert!((median_interval(&five, 0.9).unwrap().confidence - 0.9375).abs() < 1e-12);
        assert!(median_interval(&[1.0], 0.5).is_none());
    }

    #[test]
    fn degenerate_samples() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(quantile(&X, 1.5), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(relative_spread(&[7.0]), Some(0.0));
        assert_eq!(relative_spread(&[0.0, 0.0]), None);
        assert_eq!(median(&[1.0, f64::INFINITY]), Some(f64::INFINITY));
        assert_eq!(
            quantile(&[1.0, f64::INFINITY, f64::INFINITY], 0.75),
            Some(f64::INFINITY)
        );
    }
}
