//! How much slower a program is with counters, from runs in pairs.
//!
//! What is averaged is the logarithm of each pair's ratio, as ratios multiply; its interval is Student's. Pairs end early only where they show that the budget is exceeded:
//! whoever looks often whether it fits yet accepts too early. So a set of probes is accepted by a number of pairs that was fixed beforehand: a few for a look whether it is worth more of them, twice as many to confirm it.

use std::fmt;
use std::time::Duration;

use pricetag_quantity::mean_interval;

use crate::overhead::percent;

/// Coverage of the intervals: each bound by itself holds with 97.5 %, if it is looked at once.
const CONFIDENCE: f64 = 0.95;
/// Pairs before a slow-down is called too large.
const TO_REJECT: usize = 3;
/// Pairs at most are as many as fit into so many seconds each, and no fewer than this.
const SECONDS_PER_PAIR: u32 = 16;
const IF_LONG: usize = 5;

/// How closely a set of probes is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// To see whether it may fit.
    Look,
    /// To show that it does.
    Confirm,
}

impl Care {
    /// Pairs of runs that are enough.
    pub fn pairs(self) -> usize {
        match self {
            Self::Look => 15,
            Self::Confirm => 30,
        }
    }
}

/// Runs without and with counters, in pairs.
#[derive(Clone, Debug)]
pub struct Pairs {
    care: Care,
    logarithms: Vec<f64>,
    spent: Duration,
}

impl Pairs {
    /// None yet.
    pub fn new(care: Care) -> Self {
        Self {
            care,
            logarithms: Vec::new(),
            spent: Duration::ZERO,
        }
    }

    /// Adds a pair by its CPU times, ns, and how long it took from start to end.
    pub fn add(&mut self, plain_ns: f64, counted_ns: f64, took: Duration) {
        self.logarithms.push((counted_ns / plain_ns).ln());
        self.spent += took;
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.logarithms.len()
    }

    /// What they show, once that is too much for a budget or there are enough of them.
    pub fn verdict(&self, budget: f64) -> Option<SlowDown> {
        let n = self.logarithms.len();
        if n < TO_REJECT {
            return None;
        }
        let interval = mean_interval(&self.logarithms, CONFIDENCE)?;
        let mean = self.logarithms.iter().sum::<f64>() / n as f64;
        let enough = self.enough(self.care);
        let slow = SlowDown {
            pairs: n,
            estimate: mean.exp_m1(),
            low: interval.low.exp_m1(),
            high: interval.high.exp_m1(),
            // The spread being the same, intervals shrink by the root of the number of pairs.
            margin: interval.width() / 2.0
                * (n as f64 / self.enough(Care::Confirm).max(n) as f64).sqrt(),
        };
        (slow.low > budget || n >= enough).then_some(slow)
    }

    /// How many are enough, by how long they take.
    fn enough(&self, care: Care) -> usize {
        let all = care.pairs();
        let time = f64::from(SECONDS_PER_PAIR) * all as f64;
        let fit = time * self.count() as f64 / self.spent.as_secs_f64().max(1e-9);
        (fit as usize).clamp(IF_LONG, all)
    }
}

/// A measured slow-down; 0.35 for 35 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowDown {
    /// By how many pairs.
    pub pairs: usize,
    /// What is most likely.
    pub estimate: f64,
    /// Less it is with a probability of 2.5 %.
    pub low: f64,
    /// More it is with a probability of 2.5 %.
    pub high: f64,
    /// How far the bounds lie from the estimate when a set is confirmed.
    pub margin: f64,
}

impl SlowDown {
    /// Whether a set of probes that was looked at is worth the pairs that confirm it.
    pub fn may_fit(&self, budget: f64) -> bool {
        self.estimate <= 0.8 * budget || self.fits(budget)
    }

    /// Whether it is within a budget: with its upper bound, or by two fifths of the budget. Where runs differ much, hardly any probes could stay if it had to be the bound; what sets that were found
    /// too slow leave aims lower, at about half of the budget then, so that few that are accepted exceed it.
    pub fn fits(&self, budget: f64) -> bool {
        let doubt = self.high - self.estimate;
        self.estimate + doubt.min(0.4 * budget) <= budget
    }

    /// The slow-down that must go so that the next measurement fits.
    pub fn excess(&self, budget: f64) -> f64 {
        /// Part of what is left of the budget beside the doubt.
        const AIM: f64 = 0.6;
        self.estimate - AIM * (budget - self.margin.min(budget / 2.0))
    }

    /// One that is known exactly.
    #[cfg(test)]
    pub(crate) fn exact(estimate: f64) -> Self {
        Self {
            pairs: 1,
            estimate,
            low: estimate,
            high: estimate,
            margin: 0.0,
        }
    }
}

impl fmt::Display for SlowDown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [estimate, low, high] = [self.estimate, self.low, self.high].map(percent);
        write!(
            f,
            "{estimate} (95 % interval {low} to {high}, pairs: {})",
            self.pairs
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs with these ratios, of a plain run that takes so many seconds.
    fn pairs(seconds: f64, ratios: &[f64]) -> Pairs {
        careful(Care::Look, seconds, ratios)
    }

    fn careful(care: Care, seconds: f64, ratios: &[f64]) -> Pairs {
        let mut pairs = Pairs::new(care);
        for ratio in ratios {
            let both = Duration::from_secs_f64(2.0 * seconds);
            pairs.add(seconds * 1e9, ratio * seconds * 1e9, both);
        }
        pairs
    }

    #[test]
    fn it_is_the_geometric_mean_and_its_interval() {
        let slow = pairs(1.0, &[1.2, 1.25, 1.3, 1.2]).verdict(0.05).unwrap();
        let mean = (1.2_f64 * 1.25 * 1.3 * 1.2).powf(0.25) - 1.0;
        assert!((slow.estimate - mean).abs() < 1e-12);
        assert!(0.05 < slow.low && slow.low < mean && mean < slow.high);
    }

    #[test]
    fn what_is_clear_takes_few_pairs() {
        assert_eq!(pairs(1.0, &[1.5; 2]).verdict(0.05), None);
        let slow = pairs(1.0, &[1.5; 3]).verdict(0.05).unwrap();
        assert!((slow.estimate - 0.5).abs() < 1e-12);
        assert_eq!(pairs(1.0, &[1.01; 14]).verdict(0.05), None, "too soon");
        assert!(pairs(1.0, &[1.01; 15]).verdict(0.05).is_some());
    }

    #[test]
    fn what_is_not_clearly_too_slow_takes_as_many_as_were_fixed() {
        let noisy: Vec<f64> = (0..40)
            .map(|k| if k % 2 == 0 { 0.9 } else { 1.2 })
            .collect();
        let until = |care, seconds| {
            let given = |n: usize| careful(care, seconds, &noisy[..n]);
            (1..40).find(|&n| given(n).verdict(0.05).is_some())
        };
        let both = |seconds| [Care::Look, Care::Confirm].map(|care| until(care, seconds));
        assert_eq!(both(1.0), [Some(15), Some(30)]);
        // Four and eight minutes, at twenty-four seconds a pair.
        assert_eq!(both(12.0), [Some(10), Some(20)]);
        assert_eq!(both(600.0), [Some(5), Some(5)]);
    }

    #[test]
    fn the_upper_bound_has_to_fit_unless_runs_differ_too_much_for_that() {
        let slow = |estimate: f64, doubt: f64| SlowDown {
            low: estimate - doubt,
            high: estimate + doubt,
            margin: doubt,
            ..SlowDown::exact(estimate)
        };
        assert!(slow(0.04, 0.01).fits(0.05));
        assert!(!slow(0.041, 0.01).fits(0.05));
        assert!(slow(0.0299, 0.1).fits(0.05));
        assert!(!slow(0.0301, 0.1).fits(0.05));
        assert!(!slow(0.06, 0.0).fits(0.05));
        assert!(slow(0.04, 0.1).may_fit(0.05) && !slow(0.041, 0.1).may_fit(0.05));
        assert!(slow(0.049, 0.001).may_fit(0.05), "runs hardly differ");
    }

    #[test]
    fn removals_aim_at_what_the_next_measurement_could_show() {
        let excess = |margin| {
            let slow = SlowDown {
                margin,
                ..SlowDown::exact(0.2)
            };
            slow.excess(0.05)
        };
        for (margin, expected) in [(0.0, 0.17), (0.01, 0.176), (0.5, 0.185)] {
            assert!((excess(margin) - expected).abs() < 1e-12, "{margin}");
        }
        // Of six pairs, where thirty confirm: the bounds come closer by the root of that.
        let early = pairs(1.0, &[1.5, 1.6, 1.4, 1.5, 1.6, 1.4]).verdict(0.05);
        let early = early.unwrap();
        let half = ((1.0 + early.high) / (1.0 + early.low)).ln() / 2.0;
        assert!((early.margin / half - (6.0_f64 / 30.0).sqrt()).abs() < 1e-9);
    }
}
