//! A count of a benchmark: one number where it repeats, an interval where it does not.
//!
//! The interval is that in which one more run of the same build falls with 99 % confidence, if runs scatter as a normal distribution does
//! (Student 1908). Its limits: few runs, and machines that differ more from one another than one from itself.

use pricetag_quantity::mean_interval;
use serde::{Deserialize, Serialize};

/// Confidence of the interval for one more run.
const CONFIDENCE: f64 = 0.99;

/// Part of allocated bytes by which the same build may differ in any case.
const BYTES_SHARE: f64 = 0.01;
/// Bytes by which it may.
const BYTES: u64 = 4096;

/// What is counted of a benchmark as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Executed bytecode instructions of the counted classes.
    Instructions,
    /// Invocations of counted methods, and calls that leave the counted code.
    Calls,
    /// Bytes allocated, in runs without counters.
    Bytes,
}

impl Metric {
    /// All, in the order they are shown.
    pub const ALL: [Self; 3] = [Self::Instructions, Self::Calls, Self::Bytes];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Calls => "calls",
            Self::Bytes => "bytes",
        }
    }
}

/// A count over the runs of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// The same in all runs.
    Exact(u64),
    /// Not the same: one more run lies between `low` and `high`.
    Wavering {
        /// Lower end.
        low: u64,
        /// Upper end.
        high: u64,
        /// What was counted.
        runs: Vec<u64>,
    },
}

impl Figure {
    /// Of at least one run. One run alone says nothing about the next, so it counts as exact: the caller runs at least two.
    pub fn of(runs: &[u64]) -> Option<Self> {
        let first = *runs.first()?;
        if runs.iter().all(|run| *run == first) {
            return Some(Self::Exact(first));
        }
        let values: Vec<f64> = runs.iter().map(|&run| run as f64).collect();
        let mean = mean_interval(&values, CONFIDENCE)?;
        let middle = f64::midpoint(mean.low, mean.high);
        // From the mean to one more value: its own scatter comes on top.
        let half = mean.width() / 2.0 * (values.len() as f64 + 1.0).sqrt();
        let least = runs.iter().copied().min().unwrap_or(first);
        let most = runs.iter().copied().max().unwrap_or(first);
        Some(Self::Wavering {
            low: least.min((middle - half).max(0.0).floor() as u64),
            high: most.max((middle + half).ceil() as u64),
            runs: runs.to_vec(),
        })
    }

    /// Of allocated bytes, whose interval is never narrow: when the JIT compiler removes an allocation is a matter of time.
    pub fn of_bytes(runs: &[u64]) -> Option<Self> {
        let figure = Self::of(runs)?;
        let margin = ((figure.middle() * BYTES_SHARE).ceil() as u64).max(BYTES);
        let least = runs.iter().copied().min()?;
        let most = runs.iter().copied().max()?;
        Some(Self::Wavering {
            low: figure.low().min(least.saturating_sub(margin)),
            high: figure.high().max(most.saturating_add(margin)),
            runs: runs.to_vec(),
        })
    }

    /// Whether it repeats.
    pub fn repeats(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// Least that the same build counts.
    pub fn low(&self) -> u64 {
        match self {
            Self::Exact(count) => *count,
            Self::Wavering { low, .. } => *low,
        }
    }

    /// Most that the same build counts.
    pub fn high(&self) -> u64 {
        match self {
            Self::Exact(count) => *count,
            Self::Wavering { high, .. } => *high,
        }
    }

    /// The count, or the mean of the runs.
    pub fn middle(&self) -> f64 {
        match self {
            Self::Exact(count) => *count as f64,
            Self::Wavering { runs, .. } => {
                runs.iter().map(|&run| run as f64).sum::<f64>() / runs.len().max(1) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_is_exact_and_what_does_not_has_the_interval_of_one_more_run() {
        assert_eq!(Figure::of(&[]), None);
        assert_eq!(Figure::of(&[7, 7, 7]), Some(Figure::Exact(7)));
        let figure = Figure::of(&[100, 110, 120]).unwrap();
        // 9.92484, the 99.5 % quantile of t with 2 degrees of freedom (tables), times 10, times the root of 1 + 1/3, is 114.602.
        assert_eq!((figure.low(), figure.high()), (0, 225));
        assert_eq!(figure.middle(), 110.0);
        let figure = Figure::of(&[10_000, 10_001, 10_002]).unwrap();
        assert_eq!((figure.low(), figure.high()), (9989, 10_013));
    }

    #[test]
    fn bytes_always_have_an_interval() {
        let figure = Figure::of_bytes(&[1_000_000; 3]).unwrap();
        assert_eq!((figure.low(), figure.high()), (990_000, 1_010_000));
        let small = Figure::of_bytes(&[100, 100]).unwrap();
        assert_eq!((small.low(), small.high()), (0, 4196));
    }

    #[test]
    fn an_exact_count_is_a_number_in_the_file() {
        let text = serde_json::to_string(&Figure::Exact(3)).unwrap();
        assert_eq!(text, "3");
        assert_eq!(
            serde_json::from_str::<Figure>(&text).unwrap(),
            Figure::Exact(3)
        );
    }
}
