//! Prices for programs in which much goes on at once: the time of a part is that of its longest alternative, and a program's time the sum over its parts.
//!
//! The sum of maxima of linear functions is fitted by turns, as in max-affine regression (Magnani and Boyd, *Convex piecewise-linear fitting*, 2009):
//! prices say which alternative of each part is the longest, and with these fixed, prices are non-negative least squares of relative errors. It comes to
//! rest at a local optimum only, so several starts are tried, some with what waits as dear as the rows allow, and then whatever costs nothing at its ceiling: where that gives a price to what had none, the loss
//! may be a hundredth higher. Afterwards relative errors above a tenth are weighted down by their own size, so that programs the alternatives
//! do not describe count less: iteratively reweighted least squares for Huber's loss, square below a tenth and absolute above. Of the prices on the way those with
//! the least sum of absolute relative errors are kept, of those that lose no construct.
//! Bounds of prices come from resampled programs (bootstrap), with alternatives and weights held fixed.
//!
//! What is in no longest alternative of any row has no price: the rows say only how dear it may be at most, or it would have been in one.

mod leverage;
mod resample;

use std::collections::BTreeMap;

use pricetag_cost_model::region::{self, Region, longest_of};
use pricetag_cost_model::{CostModel, Domain, Formula, Price};
use pricetag_dataset::{Dataset, FeatureId};
use pricetag_estimator::{Column, Design, Estimator, Values};
use pricetag_quantity::quantile;
use pricetag_regress::NonNegative;
use pricetag_study::Method;

use crate::time::options;
use crate::{cost, rows};

/// The feature that is 1 in every row.
const BASE: &str = "base";

/// Prices at the start: of what the first alternatives count, and of what only others count.
const STARTS: [(f64, f64); 3] = [(1.0, 0.0), (0.5, 2.0), (0.5, 1.0)];

/// More starts: of what the first alternatives count, and how much of its ceiling anything else costs.
const CEILINGS: [(f64, f64); 3] = [(0.5, 1.0), (0.25, 1.0), (0.5, 0.6)];

/// The share of rows that may have taken less time than a ceiling says.
const BELOW: f64 = 0.05;

/// Turns of each start, and of the reweighting.
const TURNS: usize = 25;

/// Turns of a price that is tried at its ceiling.
const FEW_TURNS: usize = 8;

/// The part of its ceiling below which a price is as good as none.
const NOTHING: f64 = 0.05;

/// The part of the loss that a price is worth where there was none.
const WORTH: f64 = 0.01;

/// Relative errors below this all weigh the same.
const SMALL: f64 = 0.1;

/// A count: construct and number.
type Counts = Vec<(usize, f64)>;

struct Row {
    group: String,
    ns: f64,
    regions: Vec<Vec<Counts>>,
}

struct Problem {
    names: Vec<String>,
    base: usize,
    rows: Vec<Row>,
}

/// Parts of each row of a table.
fn parts(table: &Dataset) -> Vec<Vec<Region>> {
    let mut all = vec![vec![]; table.observations.len()];
    for (index, feature) in table.features.iter().enumerate() {
        if region::parse_column(&feature.name).is_some() {
            for (row, value) in table.dense(FeatureId(index as u32)).into_iter().enumerate() {
                region::collect(&mut all[row], &feature.name, value);
            }
        }
    }
    all
}

/// Times of a table's rows by learnt prices.
pub(crate) fn predict(table: &Dataset, model: &CostModel) -> Vec<f64> {
    let mut prices = BTreeMap::new();
    if let Formula::Linear { terms, .. } = &model.formula {
        prices.extend(terms.iter().map(|(price, name)| (name.as_str(), *price)));
    }
    let price = |name: &str| prices.get(name).copied().unwrap_or(0.0);
    let parts = parts(table).into_iter();
    parts
        .map(|regions| {
            let counts = region::longest(&regions, &price);
            price(BASE) + counts.iter().map(|(c, n)| n * price(c)).sum::<f64>()
        })
        .collect()
}

impl Problem {
    /// Rows without collections; nothing if the table tells no parts apart.
    fn new(table: &Dataset, unsupported: &[String]) -> Option<Self> {
        let quiet = rows(table, &|row| {
            cost(row, "collections") == 0.0 && cost(row, "ns") > 0.0
        });
        let parts = parts(&quiet);
        let constructs = parts.iter().flatten().flatten().flat_map(BTreeMap::keys);
        let mut names: Vec<String> = constructs
            .filter(|c| !unsupported.contains(c))
            .cloned()
            .collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            return None;
        }
        let base = names.len();
        names.push(BASE.to_owned());
        let numbers: BTreeMap<&str, usize> = names
            .iter()
            .enumerate()
            .map(|(i, name)| (name.as_str(), i))
            .collect();
        let numbered = |counts: &region::Counts| -> Counts {
            let known = counts.iter();
            known
                .filter_map(|(c, n)| Some((*numbers.get(c.as_str())?, *n)))
                .collect()
        };
        let rows = quiet
            .observations
            .iter()
            .zip(parts)
            .map(|(row, regions)| Row {
                group: row.group.clone(),
                ns: cost(row, "ns"),
                regions: regions
                    .iter()
                    .map(|alternatives| alternatives.iter().map(numbered).collect())
                    .collect(),
            });
        let rows = rows.collect();
        Some(Self { names, base, rows })
    }

    /// Counts of the longest alternatives of a row.
    fn longest(&self, row: &Row, prices: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.names.len()];
        all[self.base] = 1.0;
        let time = |counts: &Counts| counts.iter().map(|(c, n)| n * prices[*c]).sum::<f64>();
        let regions = row.regions.iter();
        let longest = regions.filter_map(|region| longest_of(region, time));
        for (construct, n) in longest.flat_map(|(_, counts)| counts) {
            all[*construct] += n;
        }
        all
    }

    /// The most that each construct may cost without changing which alternatives are the longest, given the prices of the others; nothing if it occurs nowhere.
    fn most(&self, prices: &[f64]) -> Vec<Option<f64>> {
        let mut most: Vec<Option<f64>> = vec![None; self.names.len()];
        let time = |counts: &Counts| counts.iter().map(|(c, n)| n * prices[*c]).sum::<f64>();
        for region in self.rows.iter().flat_map(|row| &row.regions) {
            let Some((longest, _)) = longest_of(region, time) else {
                continue;
            };
            for counts in region {
                let left = longest - time(counts);
                for (c, n) in counts.iter().filter(|(_, n)| *n > 0.0) {
                    let most = &mut most[*c];
                    let here = left / n + prices[*c];
                    *most = Some(most.map_or(here, |m| m.min(here)));
                }
            }
        }
        most
    }

    /// The value of a construct, by its name.
    fn numbered(&self, values: &[f64], name: &str) -> f64 {
        let mut names = self.names.iter().zip(values);
        names.find(|(n, _)| *n == name).map_or(0.0, |(_, v)| *v)
    }

    fn table(&self, prices: &[f64]) -> Vec<Vec<f64>> {
        let rows = self.rows.iter();
        rows.map(|row| self.longest(row, prices)).collect()
    }

    /// Signed relative errors.
    fn errors(&self, counts: &[Vec<f64>], prices: &[f64]) -> Vec<f64> {
        let rows = self.rows.iter().zip(counts);
        rows.map(|(row, counts)| dot(counts, prices) / row.ns - 1.0)
            .collect()
    }

    /// Non-negative prices for fixed alternatives.
    fn fit(&self, counts: &[Vec<f64>], weights: &[f64]) -> Option<Vec<f64>> {
        let used: Vec<usize> = (0..self.names.len())
            .filter(|&c| {
                counts
                    .iter()
                    .zip(weights)
                    .any(|(r, w)| r[c] > 0.0 && *w > 0.0)
            })
            .collect();
        let columns = used.iter().map(|&c| Column {
            name: self.names[c].clone(),
            values: Values::Dense(counts.iter().map(|r| r[c]).collect()),
        });
        let target = self.rows.iter().map(|r| r.ns).collect();
        let mut design = Design::new(columns.collect(), target);
        let rows = self.rows.iter().zip(weights);
        design.weights = rows.map(|(r, w)| w / (r.ns * r.ns)).collect();
        let fitted = NonNegative.fit(&design.check().ok()?).ok()?;
        let mut prices = vec![0.0; self.names.len()];
        for (c, coefficient) in used.into_iter().zip(&fitted.coefficients) {
            prices[c] = coefficient.estimate?;
        }
        Some(prices)
    }

    /// Turns from some prices on, with squared errors, up to a fixed point; the best prices on the way.
    fn turns(&self, start: Vec<f64>, most: usize) -> Option<(f64, Vec<f64>)> {
        let equal = vec![1.0; self.rows.len()];
        let (mut prices, mut best) = (start, None::<(f64, Vec<f64>)>);
        for turn in 0..most {
            let next = self.fit(&self.table(&prices), &equal)?;
            let errors = self.errors(&self.table(&next), &next);
            let loss = errors.iter().map(|e| e * e).sum::<f64>();
            if best.as_ref().is_none_or(|b| loss < b.0) {
                best = Some((loss, next.clone()));
            }
            let still = prices
                .iter()
                .zip(&next)
                .all(|(a, b)| (a - b).abs() <= 1e-4 * (1.0 + b));
            // From the third turn on half the way: two assignments may follow each other for ever.
            prices = if turn < 3 {
                next
            } else {
                halfway(&prices, &next)
            };
            if still {
                break;
            }
        }
        best
    }

    /// Prices with a smaller sum of absolute errors, of rows that weigh by their share, from some prices on. Whatever is in a longest alternative
    /// stays in one: to have a price for it is worth more than the last errors.
    fn robust(&self, start: &[f64], share: &[f64], turns: usize) -> Option<Vec<f64>> {
        let mut prices = start.to_vec();
        let mut best = (f64::INFINITY, prices.clone());
        let known = self.known(&self.table(start));
        for _ in 0..turns {
            let counts = self.table(&prices);
            let weights = weights(&self.errors(&counts, &prices), share);
            let next = self.fit(&counts, &weights)?;
            prices = halfway(&prices, &next);
            let counts = self.table(&prices);
            let errors = self.errors(&counts, &prices);
            let loss = errors
                .iter()
                .zip(share)
                .map(|(e, s)| e.abs() * s)
                .sum::<f64>();
            if loss < best.0 && self.known(&counts) >= known {
                best = (loss, prices.clone());
            }
        }
        Some(best.1)
    }

    /// What each construct may cost by itself: whatever else goes on at once, a row took no less time than it.
    fn ceilings(&self) -> Vec<f64> {
        let mut shares: Vec<Vec<f64>> = vec![vec![]; self.names.len()];
        for row in &self.rows {
            let mut most = vec![0.0; self.names.len()];
            for region in &row.regions {
                let mut here: BTreeMap<usize, f64> = BTreeMap::new();
                for (c, n) in region.iter().flatten() {
                    let of = here.entry(*c).or_default();
                    *of = n.max(*of);
                }
                for (c, n) in here {
                    most[c] += n;
                }
            }
            for (c, n) in most.into_iter().enumerate().filter(|(_, n)| *n >= 1.0) {
                shares[c].push(row.ns / n);
            }
        }
        let shares = shares.into_iter();
        shares.map(|s| quantile(&s, BELOW).unwrap_or(0.0)).collect()
    }

    /// How many constructs are in some row's longest alternatives.
    fn known(&self, counts: &[Vec<f64>]) -> usize {
        let known = |c: &usize| counts.iter().any(|row| row[*c] > 0.0);
        (0..self.names.len()).filter(known).count()
    }

    /// What costs nothing may be missing from every longest alternative only because of the start: each is tried at its ceiling. A price for
    /// what had none may cost [`WORTH`] of the loss.
    fn brought_in(&self, mut best: (f64, Vec<f64>), ceilings: &[f64]) -> (f64, Vec<f64>) {
        for c in 0..self.names.len() {
            if best.1[c] > NOTHING * ceilings[c] {
                continue;
            }
            let mut tried = best.1.clone();
            tried[c] = ceilings[c];
            let known = self.known(&self.table(&best.1));
            let better = |found: &(f64, Vec<f64>)| {
                let more = self.known(&self.table(&found.1)) > known;
                found.0 < if more { (1.0 + WORTH) * best.0 } else { best.0 }
            };
            if let Some(found) = self.turns(tried, FEW_TURNS).filter(better) {
                best = found;
            }
        }
        best
    }

    fn solve(&self) -> Option<Vec<f64>> {
        let mut first = vec![false; self.names.len()];
        let works = self
            .rows
            .iter()
            .flat_map(|r| &r.regions)
            .filter_map(|r| r.first());
        works.flatten().for_each(|(c, _)| first[*c] = true);
        let fixed = STARTS.map(|(work, waiting)| {
            let start = first.iter().map(|f| if *f { work } else { waiting });
            start.collect::<Vec<f64>>()
        });
        let ceilings = self.ceilings();
        let high = CEILINGS.map(|(work, part)| {
            let start = first.iter().zip(&ceilings);
            start
                .map(|(f, most)| if *f { work.min(*most) } else { part * most })
                .collect()
        });
        let starts = fixed.into_iter().chain(high);
        let squares = starts.filter_map(|start| self.turns(start, TURNS));
        let best = squares.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let best = self.brought_in(best, &ceilings);
        self.robust(&best.1, &vec![1.0; self.rows.len()], TURNS)
    }
}

/// Learns prices; nothing if the table tells no parts apart.
pub(crate) fn learn(table: &Dataset, unsupported: &[String], seed: u64) -> Option<CostModel> {
    let problem = Problem::new(table, unsupported)?;
    let prices = problem.solve()?;
    let quiet = rows(table, &|row| cost(row, "collections") == 0.0);
    // Provenance and what is said of the table are those of the sum of all.
    let mut model = pricetag_study::fit(&quiet, &options("ns", Method::Nnls, seed)).ok()?;
    describe(&mut model, &problem, &prices, seed);
    model.interval = problem.interval(&prices);
    Some(model)
}

fn describe(model: &mut CostModel, problem: &Problem, prices: &[f64], seed: u64) {
    let counts = problem.table(prices);
    let (bounds, most) = (problem.bounds(prices, seed), problem.most(prices));
    let column = |c: usize| counts.iter().map(move |r| r[c]);
    let support = |c: usize| column(c).filter(|n| *n > 0.0).count() as u32;
    let all: f64 = counts.iter().map(|r| dot(r, prices)).sum();
    let named = || problem.names.iter().enumerate();
    model.method = pricetag_cost_model::OVERLAP.into();
    model.prices = named()
        .map(|(c, name)| {
            let price = Price {
                bucket: name.clone(),
                members: vec![name.clone()],
                ratios: vec![1.0],
                price: Some(prices[c]),
                std_error: None,
                bounds: bounds[c],
                prior: None,
                evidence: None,
                support: support(c),
                share: column(c).sum::<f64>() * prices[c] / all,
                note: None,
            };
            if price.support > 0 {
                return price;
            }
            Price {
                price: None,
                bounds: most[c].map(|most| (0.0, most)),
                note: Some("in no longest alternative of any training program".into()),
                ..price
            }
        })
        .collect();
    let supported = || named().filter(|(c, _)| support(*c) > 0);
    model.domain = supported()
        .map(|(c, name)| {
            let (min, max) = column(c).fold((f64::INFINITY, 0.0_f64), |(low, high), n| {
                (low.min(n), high.max(n))
            });
            (name.clone(), Domain { min, max })
        })
        .collect();
    model.formula = Formula::Linear {
        intercept: 0.0,
        terms: supported()
            .map(|(c, name)| (prices[c], name.clone()))
            .collect(),
    };
    model.text = "of each part the longest alternative, each a sum of prices".into();
    (model.summary, model.evaluation, model.screening) = (None, None, None);
}

/// Weights that make squares of relative errors above [`SMALL`] absolute values, times each row's share.
pub(crate) fn weights(errors: &[f64], share: &[f64]) -> Vec<f64> {
    let errors = errors.iter().zip(share);
    errors.map(|(e, s)| s / e.abs().max(SMALL)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn halfway(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter()
        .zip(b)
        .map(|(x, y)| f64::midpoint(*x, *y))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs that do x, and x while they wait for y.
    fn problem() -> Problem {
        let row = |group: &str, size: f64, ns: f64, region: Vec<Counts>| Row {
            group: group.to_owned(),
            ns: ns * size,
            regions: vec![region],
        };
        let rows = [100.0, 200.0, 300.0].into_iter().flat_map(|n| {
            [
                row("work", n, 1.0, vec![vec![(0, n)]]),
                row("waits", n, 5.0, vec![vec![(0, 2.0 * n)], vec![(1, n)]]),
                row("works", n, 6.0, vec![vec![(0, 6.0 * n)], vec![(1, n)]]),
            ]
        });
        Problem {
            names: ["x", "y", "base"].map(str::to_owned).into(),
            base: 2,
            rows: rows.collect(),
        }
    }

    #[test]
    fn nothing_costs_more_than_the_time_of_what_has_it() {
        let ceilings = problem().ceilings();
        assert!((ceilings[0] - 1.0).abs() < 1e-9, "{ceilings:?}");
        assert!((ceilings[1] - 5.0).abs() < 1e-9, "{ceilings:?}");
    }

    #[test]
    fn what_no_start_led_to_is_brought_in() {
        let problem = problem();
        // A rest from which turns lead nowhere: y is in no longest alternative as long as it costs nothing.
        let stuck = problem.turns(vec![1.0, 0.0, 0.0], TURNS).unwrap();
        assert!(stuck.1[1] == 0.0, "{stuck:?}");
        let found = problem.brought_in(stuck, &problem.ceilings());
        assert!(
            found.0 < 1e-6 && (found.1[1] - 5.0).abs() < 1e-3,
            "{found:?}"
        );
    }
}
