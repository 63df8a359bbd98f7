//! Intervals that are as wide as a program's prices are uncertain.
//!
//! A program left out is about one thing, of which the others know little: its error is larger than that of an ordinary program, by √(1 + h) if h is its
//! [`Leverage`] on the others. So errors are divided by that before their quantiles are taken, and multiplied by a new program's own (conformal scores normalised by
//! an estimate of their spread; Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, *Distribution-free predictive inference for regression*, 2018, section 5.2). Errors are logarithms of measured / predicted.
//! Leverages go by the prices of all programs: without the only program that shows it a construct costs nothing, and would seem to matter to none.

use std::collections::BTreeMap;

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side};
use pricetag_cost_model::{Interval, Leverage};
use pricetag_study::interval::interval;

use super::{Problem, dot, weights};
use crate::interval::FOLDS;
use crate::time::LEVEL;

/// The part of a program that a price is known by beforehand: its standard deviation then is five times that of a program's error. It bounds the leverage of what
/// hardly any program shows.
const BEFOREHAND: f64 = 0.04;

/// A row that was predicted by prices learnt without its program.
pub(super) struct LeftOut {
    pub(super) measured: f64,
    pub(super) predicted: f64,
    /// On the rows that these prices were learnt from.
    pub(super) leverage: f64,
}

impl LeftOut {
    /// The factor between measured and predicted time, as it would be of a program without leverage; 0 if none was predicted.
    fn factor(&self) -> f64 {
        if self.predicted <= 0.0 {
            return 0.0;
        }
        (self.measured / self.predicted).powf(1.0 / Leverage::widening(self.leverage))
    }
}

/// Each construct's part of a row's time.
pub(super) fn shares(counts: &[f64], prices: &[f64]) -> Vec<f64> {
    let all = dot(counts, prices);
    let times = counts.iter().zip(prices).map(|(n, price)| n * price);
    times
        .map(|t| if all > 0.0 { t / all } else { 0.0 })
        .collect()
}

impl Problem {
    /// The leverage on the rows with a share. A program counts once, whatever the number of its sizes, and less if its time was not understood.
    pub(super) fn leverage(
        &self,
        counts: &[Vec<f64>],
        prices: &[f64],
        share: &[f64],
    ) -> Option<Leverage> {
        let mut sizes: BTreeMap<&str, f64> = BTreeMap::new();
        for row in &self.rows {
            *sizes.entry(&row.group).or_default() += 1.0;
        }
        let used: Vec<usize> = (0..self.names.len())
            .filter(|&c| prices[c] > 0.0 && counts.iter().any(|row| row[c] > 0.0))
            .collect();
        let most = weights(&[0.0], &[1.0])[0];
        let weights = weights(&self.errors(counts, prices), share);
        let mut sum = Mat::from_fn(used.len(), used.len(), |i, j| {
            if i == j { BEFOREHAND } else { 0.0 }
        });
        for ((row, counts), weight) in self.rows.iter().zip(counts).zip(weights) {
            let shares = shares(counts, prices);
            let own = weight / most / sizes[row.group.as_str()];
            for (i, a) in used.iter().enumerate().filter(|(_, a)| shares[**a] > 0.0) {
                for (j, b) in used.iter().enumerate() {
                    sum[(i, j)] += own * shares[*a] * shares[*b];
                }
            }
        }
        let inverse = sum.llt(Side::Lower).ok()?.inverse();
        Some(Leverage {
            constructs: used.iter().map(|&c| self.names[c].clone()).collect(),
            inverse: (0..used.len())
                .map(|i| (0..=i).map(|j| inverse[(i, j)]).collect())
                .collect(),
        })
    }

    /// The interval around predictions by these prices.
    pub(super) fn interval(&self, prices: &[f64]) -> Option<Interval> {
        let left_out = self.left_out(prices);
        let factors: Vec<(f64, f64)> = left_out.iter().map(|row| (row.factor(), 1.0)).collect();
        let mut interval = interval(&factors, LEVEL)?;
        let equal = vec![1.0; self.rows.len()];
        interval.leverage = Some(self.leverage(&self.table(prices), prices, &equal)?);
        interval.method = format!(
            "{} of programs left out in {FOLDS} parts, wider by leverage",
            interval.method
        );
        Some(interval)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Row;
    use super::*;

    /// Programs of three sizes each that do x alone, y alone, or both half of the time.
    fn problem(programs: &[(&'static str, f64, f64)]) -> Problem {
        let rows = programs.iter().flat_map(|(name, x, y)| {
            [100.0, 200.0, 300.0].map(|size| Row {
                group: (*name).to_owned(),
                ns: (x + y) * size,
                regions: vec![vec![vec![(0, x * size), (1, y * size)]]],
            })
        });
        Problem {
            names: ["x", "y", "base"].map(str::to_owned).into(),
            base: 2,
            rows: rows.collect(),
        }
    }

    fn leverage(problem: &Problem) -> Leverage {
        let prices = [1.0, 1.0, 0.0];
        let share = vec![1.0; problem.rows.len()];
        problem
            .leverage(&problem.table(&prices), &prices, &share)
            .unwrap()
    }

    #[test]
    fn what_many_programs_show_has_little_leverage() {
        let all = leverage(&problem(&[
            ("a", 1.0, 0.0),
            ("b", 1.0, 0.0),
            ("c", 1.0, 0.0),
            ("d", 0.0, 1.0),
        ]));
        let of = |x: f64, y: f64| all.of(&|name| if name == "x" { x } else { y });
        // One of the number of programs, whatever their sizes; beforehand a 25th of a program is known.
        assert!((of(1.0, 0.0) - 1.0 / 3.04).abs() < 1e-9);
        assert!((of(0.0, 1.0) - 1.0 / 1.04).abs() < 1e-9);
        // Errors of independent prices cancel out in part.
        assert!((of(0.5, 0.5) - 0.25 * (1.0 / 3.04 + 1.0 / 1.04)).abs() < 1e-9);
    }

    #[test]
    fn a_program_that_was_not_understood_counts_less() {
        let mut programs = problem(&[("a", 1.0, 0.0), ("b", 1.0, 0.0)]);
        for row in programs.rows.iter_mut().filter(|r| r.group == "b") {
            // 1 is predicted, −0.8 relative error: an eighth of the weight, as an error of a tenth and less has all.
            row.ns *= 5.0;
        }
        let found = leverage(&programs).of(&|name| f64::from(u8::from(name == "x")));
        assert!((found - 1.0 / 1.165).abs() < 1e-9, "{found}");
    }

    #[test]
    fn what_is_left_out_has_the_leverage_it_has_on_the_others() {
        let programs: Vec<(&'static str, f64, f64)> = ["a", "b", "c", "d", "e", "f"]
            .into_iter()
            .map(|name| (name, 1.0, 0.0))
            .collect();
        let left_out = problem(&programs).left_out(&[1.0, 0.0, 0.0]);
        assert_eq!(left_out.len(), 18);
        for row in left_out {
            assert!((row.leverage - 1.0 / 5.04).abs() < 1e-9, "{}", row.leverage);
        }
    }
}
