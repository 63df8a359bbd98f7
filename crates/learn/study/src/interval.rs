//! Prediction intervals by cross-validation residuals (CV+, Barber et al. 2021, after Vovk's cross-conformal).
//!
//! Every training row is predicted by a model that did not see its group; the ratios measured / predicted of these
//! predictions are the sample from which an interval's factors are read. Deviation from CV+: the interval is centred on
//! the final model instead of on the fold models. With fewer than 80 ratios, or too few for a tail of
//! this level, the interval is symmetric on the logarithmic scale; where even that cannot reach the level (95 % with fewer than 19), the one
//! that is reached is stated.

use std::collections::HashSet;
use std::fmt::Write as _;

use pricetag_cost_model::{EvaluatedRow, Interval};

use crate::study::Study;

/// Ratios needed for two separate tails.
const TWO_TAILS: usize = 80;

/// Makes an interval from (measured, predicted) pairs of rows that the predicting model had not seen.
pub fn interval(pairs: &[(f64, f64)], level: f64) -> Option<Interval> {
    let mut ratios: Vec<f64> = pairs
        .iter()
        .filter(|(m, p)| *m > 0.0 && *p > 0.0)
        .map(|(m, p)| m / p)
        .collect();
    let n = ratios.len();
    if n < 5 || !(0.0..1.0).contains(&level) {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    let unusable = pairs.len() - n;
    let tail = (1.0 - level) / 2.0;
    let (lower, upper, level, how) = if n >= TWO_TAILS && (n + 1) as f64 * tail >= 1.0 {
        let below = ((n + 1) as f64 * tail).floor().max(1.0) as usize;
        let above = (((n + 1) as f64 * (1.0 - tail)).ceil() as usize).min(n);
        (ratios[below - 1], ratios[above - 1], level, "two tails")
    } else {
        let mut sizes: Vec<f64> = ratios.iter().map(|r| r.ln().abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let rank = ((n + 1) as f64 * level).ceil() as usize;
        let reached = if rank > n {
            n as f64 / (n + 1) as f64
        } else {
            level
        };
        let size = sizes[rank.min(n) - 1];
        (
            (-size).exp(),
            size.exp(),
            reached,
            "symmetric on the logarithmic scale",
        )
    };
    let mut method = format!("cross-validation residuals of {n} training rows, {how}");
    if unusable > 0 {
        let _ = write!(
            method,
            "; {unusable} rows without a positive prediction left out"
        );
    }
    Some(Interval {
        level,
        lower: lower.min(1.0),
        upper: upper.max(1.0),
        coverage: None,
        scatter: None,
        method,
        leverage: None,
    })
}

/// Standard deviation of an interval's measured coverage if its level is exact. Of n independent ratios the share that is covered is
/// Beta-distributed with variance level·(1 − level)/(n + 2) (Vovk 2012, *Conditional validity of inductive conformal predictors*), and what
/// is found on m tests of it binomial.
fn scatter(level: f64, calibrating: usize, testing: usize) -> Option<f64> {
    let parts = 1.0 / (calibrating as f64 + 2.0) + 1.0 / testing as f64;
    (testing > 0).then(|| (level * (1.0 - level) * parts).sqrt())
}

impl Study<'_> {
    /// [`scatter`] of this split. Rows of one group share their luck, and count once.
    pub fn scatter(&self, level: f64) -> Option<f64> {
        let independent = |rows: &[usize]| {
            let groups: HashSet<&str> = rows.iter().map(|&r| &*self.design.groups[r]).collect();
            groups.len()
        };
        scatter(
            level,
            independent(&self.split.train),
            independent(&self.split.test),
        )
    }
}

/// Share of rows inside their interval; fills in the rows' intervals.
pub fn cover(interval: &Interval, rows: &mut [EvaluatedRow]) -> Option<f64> {
    let mut inside = 0;
    for row in rows.iter_mut() {
        let (low, high) = (
            row.predicted * interval.lower,
            row.predicted * interval.upper,
        );
        row.interval = Some((low.min(high), low.max(high)));
        if low <= row.measured && row.measured <= high {
            inside += 1;
        }
    }
    (!rows.is_empty()).then(|| f64::from(inside) / rows.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_out_of_reach_is_not_claimed() {
        let pairs =
            |n: usize| -> Vec<(f64, f64)> { (0..n).map(|i| (100.0 + i as f64, 100.0)).collect() };
        // The widest interval of 80 ratios holds 79 of 81: too little for two tails of half a percent, or one of one.
        let widest = interval(&pairs(80), 0.99).unwrap();
        assert!(
            (widest.level - 80.0 / 81.0).abs() < 1e-12,
            "{}",
            widest.level
        );
        assert_eq!(interval(&pairs(80), 0.95).unwrap().level, 0.95);
        assert_eq!(interval(&pairs(200), 0.99).unwrap().level, 0.99);
        assert!(interval(&pairs(4), 0.5).is_none());
    }

    /// Coverage over many draws of rows from one distribution has the spread that is told.
    #[test]
    fn scatter_is_that_of_many_draws() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for (calibrating, testing) in [(60, 60), (60, 600), (400, 100)] {
            let mut draw = |n: usize| -> Vec<(f64, f64)> {
                (0..n)
                    .map(|_| ((4.0 * uniform() - 2.0).exp(), 1.0))
                    .collect()
            };
            let coverages: Vec<f64> = (0..4000)
                .map(|_| {
                    let interval = interval(&draw(calibrating), 0.95).unwrap();
                    let held =
                        |(m, p): &(f64, f64)| (interval.lower * p..=interval.upper * p).contains(m);
                    draw(testing).iter().filter(|row| held(row)).count() as f64 / testing as f64
                })
                .collect();
            let mean = coverages.iter().sum::<f64>() / 4000.0;
            let variance = coverages.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 3999.0;
            let told = scatter(0.95, calibrating, testing).unwrap();
            assert!(
                (variance.sqrt() / told - 1.0).abs() < 0.1,
                "{calibrating} {testing}: {} {told}",
                variance.sqrt()
            );
        }
    }
}
