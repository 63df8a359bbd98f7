//! Prices learnt without some of the programs: how well they predict those, and how far they move.
//!
//! Predictions of programs left out make the interval (see `interval`), programs drawn with replacement the bounds of each price (Efron 1979).

use std::collections::{BTreeMap, BTreeSet};

use pricetag_quantity::quantile;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::leverage::{LeftOut, shares};
use super::{Problem, Row, dot, weights};
use crate::interval::{FOLDS, groups_with};
use crate::time::LEVEL;

/// Turns of a fit without some of the programs, after a first one at the alternatives that the prices of all choose.
const FOLD_TURNS: usize = 3;

/// Resamples for the bounds of prices.
const RESAMPLES: usize = 100;

impl Problem {
    fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = self.rows.iter().map(|r| r.group.as_str()).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Times measured, and predicted by prices learnt without the program and those left out with it. Programs with a construct that no other one has say
    /// nothing about the rest and are passed over: a price from a single program is a price, and as uncertain as it is.
    pub(super) fn left_out(&self, prices: &[f64]) -> Vec<LeftOut> {
        let groups = self.groups();
        let fold = |row: &Row| groups.binary_search(&row.group.as_str()).unwrap_or(0) % FOLDS;
        let folds: Vec<usize> = self.rows.iter().map(fold).collect();
        let by_all = self.table(prices);
        let mut rows = Vec::new();
        for out in 0..FOLDS.min(groups.len()) {
            let share: Vec<f64> = folds
                .iter()
                .map(|f| f64::from(u8::from(*f != out)))
                .collect();
            let Some(without) = self.without(&by_all, prices, &share) else {
                continue;
            };
            let counts = self.table(&without);
            let Some(familiar) = self.leverage(&by_all, prices, &share) else {
                continue;
            };
            let unknown = self.unknown(&[&by_all, &counts], &share);
            for (i, row) in self.rows.iter().enumerate() {
                if share[i] == 0.0 && !unknown.contains(&row.group.as_str()) {
                    let shares = shares(&by_all[i], prices);
                    rows.push(LeftOut {
                        measured: row.ns,
                        predicted: dot(&counts[i], &without),
                        leverage: familiar.of(&|name| self.numbered(&shares, name)),
                    });
                }
            }
        }
        rows
    }

    /// Prices by the rows with a share. Those of all rows choose the alternatives and weights of the first turn, and nothing else.
    fn without(&self, by_all: &[Vec<f64>], prices: &[f64], share: &[f64]) -> Option<Vec<f64>> {
        let first = self.fit(by_all, &weights(&self.errors(by_all, prices), share))?;
        self.robust(&first, share, FOLD_TURNS)
    }

    /// Groups without a share that use, in one of the tables, what no group with a share uses in the last.
    fn unknown(&self, tables: &[&[Vec<f64>]], share: &[f64]) -> BTreeSet<&str> {
        let Some(last) = tables.last() else {
            return BTreeSet::new();
        };
        let rows = || self.rows.iter().zip(share).enumerate();
        let lacking: Vec<usize> = (0..self.names.len())
            .filter(|&c| {
                let others = rows().filter(|(_, (_, s))| **s > 0.0);
                groups_with(others.map(|(i, (row, _))| (row.group.as_str(), last[i][c]))) == 0
            })
            .collect();
        let uses = |i: usize| {
            tables
                .iter()
                .any(|t| lacking.iter().any(|&c| t[i][c] > 0.0))
        };
        rows()
            .filter(|(i, (_, s))| **s == 0.0 && uses(*i))
            .map(|(_, (row, _))| row.group.as_str())
            .collect()
    }

    /// Bounds of each price over resampled programs.
    pub(super) fn bounds(&self, prices: &[f64], seed: u64) -> Vec<Option<(f64, f64)>> {
        let groups = self.groups();
        let counts = self.table(prices);
        let errors = self.errors(&counts, prices);
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut drawn: Vec<Vec<f64>> = vec![vec![]; self.names.len()];
        for _ in 0..RESAMPLES {
            let mut times: BTreeMap<&str, f64> = BTreeMap::new();
            for _ in &groups {
                let pick = groups[random.random_range(0..groups.len())];
                *times.entry(pick).or_default() += 1.0;
            }
            let share: Vec<f64> = self
                .rows
                .iter()
                .map(|r| times.get(r.group.as_str()).copied().unwrap_or(0.0))
                .collect();
            let Some(found) = self.fit(&counts, &weights(&errors, &share)) else {
                continue;
            };
            for (c, values) in drawn.iter_mut().enumerate() {
                let occurs = counts
                    .iter()
                    .zip(&share)
                    .any(|(r, s)| r[c] > 0.0 && *s > 0.0);
                if occurs {
                    values.push(found[c]);
                }
            }
        }
        let tail = (1.0 - LEVEL) / 2.0;
        drawn
            .into_iter()
            .map(|values| Some((quantile(&values, tail)?, quantile(&values, 1.0 - tail)?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [f64; 4] = [100.0, 200.0, 300.0, 400.0];

    /// A program of one part without alternatives: its name, and constructs with their number and true price.
    type Program = (&'static str, &'static [(usize, f64, f64)]);

    fn problem(programs: &[Program]) -> Problem {
        let names = ["x", "y", "z", "base"].map(str::to_owned);
        let row = |(name, counts): &Program, size: f64| Row {
            group: (*name).to_owned(),
            ns: counts.iter().map(|(_, n, price)| n * size * price).sum(),
            regions: vec![vec![
                counts.iter().map(|(c, n, _)| (*c, n * size)).collect(),
            ]],
        };
        Problem {
            names: names.into(),
            base: 3,
            rows: programs
                .iter()
                .flat_map(|p| SIZES.map(|size| row(p, size)))
                .collect(),
        }
    }

    /// Of six programs one takes twice as long as the prices of the others say.
    const PROGRAMS: [Program; 6] = [
        ("a", &[(0, 1.0, 1.0)]),
        ("b", &[(0, 2.0, 1.0)]),
        ("c", &[(0, 1.0, 1.0), (1, 1.0, 3.0)]),
        ("d", &[(0, 1.0, 1.0), (1, 2.0, 3.0)]),
        ("e", &[(1, 1.0, 3.0)]),
        ("odd", &[(0, 2.0, 2.0)]),
    ];

    #[test]
    fn a_program_left_out_has_no_part_in_its_prediction() {
        let problem = problem(&PROGRAMS);
        // Whatever the prices of all are said to be.
        for prices in [[1.1, 3.0, 0.0, 0.0], [9.0, 9.0, 0.0, 9.0]] {
            let rows = problem.left_out(&prices);
            assert_eq!(rows.len(), problem.rows.len());
            let ratios: Vec<f64> = rows.iter().map(|r| r.measured / r.predicted).collect();
            let odd = ratios.iter().filter(|r| (**r - 2.0).abs() < 0.02).count();
            assert_eq!(odd, SIZES.len(), "{ratios:?}");
        }
    }

    #[test]
    fn a_program_with_a_construct_of_its_own_is_passed_over() {
        let mut programs = PROGRAMS.to_vec();
        programs.push(("alone", &[(0, 1.0, 1.0), (2, 1.0, 5.0)]));
        let problem = problem(&programs);
        let rows = problem.left_out(&[1.0, 3.0, 5.0, 0.0]);
        assert_eq!(rows.len(), problem.rows.len() - SIZES.len());
        programs.push(("too", &[(0, 1.0, 1.0), (2, 2.0, 5.0)]));
        let problem = self::problem(&programs);
        let rows = problem.left_out(&[1.0, 3.0, 5.0, 0.0]);
        assert_eq!(rows.len(), problem.rows.len());
    }
}
