//! Drift: stretches of a recording whose costs lie above, or below, what the model predicts.
//!
//! A JVM that compiles hot code anew in the middle of a run changes the cost of all later observations, at the same place
//! in every repeat, so that the repeats agree and even pace (decision 010) does not see it. Residuals log(measured /
//! predicted) of rows that the predicting model had not seen show it. They are searched in the order of their runs by
//! binary segmentation (Scott & Knott 1974, *A cluster analysis method for grouping means*): parted where the sum of
//! squares between both sides is largest, then each side by itself. Whether a level changes at all is asked of Pettitt's test (1979,
//! *A non-parametric approach to the change-point problem*): the largest departure of cumulated ranks from their mean,
//! against a Brownian bridge. At the end every change is placed anew between its neighbours (Bai 1997, *Estimating
//! multiple breaks one at a time*).
//!
//! Deviations: sums of squares are of ranks, too, so that outliers count no more than others; neighbours whose medians
//! hardly differ are joined; neighbouring rows of one group, which share the model's error, are one residual.
//!
//! Limits: inputs have an order as well as times. Where inputs of another kind begin that the model misjudges, costs drift
//! just so. Many short stretches up and down cancel; fewer than [`SIDE`] rows are outliers. O(n log n) for each change.

use std::ops::Range;

use pricetag_cost_model::{Diagnostic, Evaluation, Severity};
use pricetag_dataset::numbered_call;
use pricetag_quantity::median;

use crate::cross_validation::CrossValidated;
use crate::study::Study;

/// Residuals needed for any judgement.
const LEAST: usize = 40;
/// Residuals needed on both sides of a change.
const SIDE: usize = 10;
/// Probability of a change at least as clear where there is none.
const CHANCE: f64 = 1e-3;
/// Levels that differ by less than this factor are one.
const STEP: f64 = 1.03;
/// Stretches closer to the prediction than this share of it are not named.
const CLOSE: f64 = 0.01;
/// Most stretches that are named.
const MOST: usize = 3;

/// Residuals of one level.
#[derive(Clone, Debug, PartialEq)]
struct Stretch {
    /// Which residuals.
    span: Range<usize>,
    /// Their median.
    level: f64,
}

/// What some neighbouring rows of one group cost more than predicted.
struct Residual {
    /// First and last row of the design.
    rows: (usize, usize),
    /// Median of log(measured / predicted).
    log_ratio: f64,
}

impl Study<'_> {
    /// Says where costs drift along the run; nothing where rows are in no known order.
    pub fn drift(
        &self,
        unseen: &CrossValidated,
        judged: Option<&Evaluation>,
    ) -> Option<Diagnostic> {
        if !self.dataset.in_order_of_runs() {
            return None;
        }
        let judged = judged.map_or(&[][..], |evaluation| &evaluation.rows);
        let judged = judged.iter().map(|row| (row.measured, row.predicted));
        let learnt_from = unseen.rows.iter().zip(unseen.pairs.iter().copied());
        let rows = learnt_from.chain(self.split.test.iter().zip(judged));
        let residuals = self.residuals(rows.map(|(&row, pair)| (row, pair)).collect());
        let log_ratios: Vec<f64> = residuals.iter().map(|r| r.log_ratio).collect();
        let stretches = stretches(&log_ratios);
        (stretches.len() > 1).then(|| self.drifting(&residuals, &stretches))
    }

    /// Residuals in the order of their runs, from rows and their (measured, predicted).
    fn residuals(&self, mut rows: Vec<(usize, (f64, f64))>) -> Vec<Residual> {
        rows.retain(|(_, (m, p))| *m > 0.0 && *p > 0.0 && p.is_finite());
        rows.sort_by_key(|(row, _)| *row);
        let groups = &self.design.groups;
        rows.chunk_by(|a, b| groups[a.0] == groups[b.0])
            .filter_map(|rows| {
                let logs: Vec<f64> = rows.iter().map(|(_, (m, p))| (m / p).ln()).collect();
                Some(Residual {
                    rows: (rows.first()?.0, rows.last()?.0),
                    log_ratio: median(&logs)?,
                })
            })
            .collect()
    }

    /// Drift in words.
    fn drifting(&self, residuals: &[Residual], stretches: &[Stretch]) -> Diagnostic {
        let excess = |s: &Stretch| s.level.exp() - 1.0;
        let mut named: Vec<&Stretch> = stretches
            .iter()
            .filter(|s| excess(s).abs() >= CLOSE)
            .collect();
        let weight = |s: &Stretch| s.level.abs() * s.span.len() as f64;
        named.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        named.truncate(MOST);
        named.sort_by_key(|s| s.span.start);
        let parts: Vec<String> = named
            .iter()
            .enumerate()
            .map(|(i, s)| {
                let side = if s.level < 0.0 { "below" } else { "above" };
                let reference = if i == 0 { " prediction" } else { "" };
                let first = &self.design.labels[residuals[s.span.start].rows.0];
                let last = &self.design.labels[residuals[s.span.end - 1].rows.1];
                let place = match (s.span.start == 0, s.span.end == residuals.len()) {
                    (true, _) => format!("up to `{last}`"),
                    (_, true) => format!("from `{first}` on"),
                    _ => format!("from `{first}` to `{}`", shortened(last, first)),
                };
                format!("{:.0} % {side}{reference} {place}", 100.0 * excess(s).abs())
            })
            .collect();
        let advice = if matches!(self.dataset.meta.scope.as_str(), "" | "main") {
            "The machine changed its pace in all repeats alike, or inputs of another kind begin there: record again when it is quieter, the inputs in random order."
        } else {
            "The JVM compiled hot code anew meanwhile, the machine changed its pace, or inputs of another kind begin there: let the program warm up longer before the first observation, or leave the first ones out by --warmup N."
        };
        Diagnostic {
            severity: Severity::Warning,
            message: format!("costs drift along the run: {}", parts.join(", ")),
            advice: Some(advice.into()),
        }
    }
}

/// The number alone of an invocation of the same scope or input: `#380` of `Driver#compress #380`.
fn shortened<'a>(label: &'a str, beside: &str) -> &'a str {
    match (numbered_call(label), numbered_call(beside)) {
        (Some((prefix, number)), Some((other, _))) if prefix == other => number,
        _ => label,
    }
}

/// Stretches of even level, in order; a single one where nothing drifts, or too few residuals can tell.
fn stretches(residuals: &[f64]) -> Vec<Stretch> {
    let mut borders = vec![0];
    if residuals.len() >= LEAST {
        part(residuals, 0, &mut borders);
    }
    borders.push(residuals.len());
    join(residuals, &mut borders);
    for i in 1..borders.len() - 1 {
        let around = borders[i - 1]..borders[i + 1];
        borders[i] = around.start + change(&centred_ranks(&residuals[around]));
    }
    // Changes that were placed anew may leave levels that hardly differ.
    join(residuals, &mut borders);
    borders.windows(2).map(|w| stretch(residuals, w)).collect()
}

/// Adds where the level of residuals changes, ascending; `offset` stands before all places.
fn part(residuals: &[f64], offset: usize, borders: &mut Vec<usize>) {
    if residuals.len() < 2 * SIDE {
        return;
    }
    let ranks = centred_ranks(residuals);
    if chance(&ranks) > CHANCE {
        return;
    }
    let at = change(&ranks);
    let (before, after) = residuals.split_at(at);
    part(before, offset, borders);
    borders.push(offset + at);
    part(after, offset + at, borders);
}

/// Joins neighbours whose levels hardly differ, the closest first.
fn join(residuals: &[f64], borders: &mut Vec<usize>) {
    loop {
        let levels: Vec<f64> = borders
            .windows(2)
            .map(|w| stretch(residuals, w).level)
            .collect();
        let steps = levels.windows(2).map(|w| (w[1] - w[0]).abs()).enumerate();
        match steps.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((i, step)) if step < STEP.ln() => borders.remove(i + 1),
            _ => return,
        };
    }
}

fn stretch(residuals: &[f64], borders: &[usize]) -> Stretch {
    let span = borders[0]..borders[1];
    let level = median(&residuals[span.clone()]).unwrap_or(0.0);
    Stretch { span, level }
}

/// Ranks less their mean; ties share theirs.
fn centred_ranks(sample: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..sample.len()).collect();
    order.sort_by(|&a, &b| sample[a].total_cmp(&sample[b]));
    let mean = (sample.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; sample.len()];
    let mut below = 0;
    for tied in order.chunk_by(|&a, &b| sample[a] == sample[b]) {
        let rank = below as f64 + (tied.len() as f64 - 1.0) / 2.0;
        for &i in tied {
            ranks[i] = rank - mean;
        }
        below += tied.len();
    }
    ranks
}

/// Sums of the first one, two, … values.
fn cumulated(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    })
}

/// Probability that the ranks of one level depart as far from their mean (Pettitt 1979, with the variance of tied ranks):
/// 2 exp(−2 x²), x the largest cumulated sum over its scale √(Σ r²).
fn chance(ranks: &[f64]) -> f64 {
    let departure = cumulated(ranks).map(f64::abs).fold(0.0, f64::max);
    let squares: f64 = ranks.iter().map(|r| r * r).sum();
    if squares == 0.0 {
        return 1.0;
    }
    (2.0 * (-2.0 * departure * departure / squares).exp()).min(1.0)
}

/// Number of ranks before the change that leaves the largest sum of squares between both sides. Wants two full sides.
fn change(ranks: &[f64]) -> usize {
    let n = ranks.len();
    let mut best = (SIDE, 0.0);
    for (sum, k) in cumulated(ranks).zip(1..=n - SIDE).skip(SIDE - 1) {
        let between = sum * sum / (k as f64 * (n - k) as f64);
        // Of equals the first.
        if between > best.1 {
            best = (k, between);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Dice;

    /// Logarithms of ratios with noise of a few percent around a level for each row.
    fn simulated(seed: u64, rows: usize, noise: f64, level: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut dice = Dice::new(seed);
        let row = |i| level(i) + noise * dice.normal();
        (0..rows).map(row).collect()
    }

    fn borders(residuals: &[f64]) -> Vec<usize> {
        let found = stretches(residuals);
        found.iter().skip(1).map(|s| s.span.start).collect()
    }

    fn alarms(simulated: impl Fn(u64) -> Vec<f64>) -> usize {
        (0..200)
            .filter(|&seed| !borders(&simulated(seed)).is_empty())
            .count()
    }

    #[test]
    fn even_costs_hardly_ever_alarm() {
        for rows in [LEAST, 150, 620] {
            let found = alarms(|seed| simulated(seed, rows, 0.07, |_| 0.02));
            assert!(found <= 1, "{found} of 200 with {rows} rows");
        }
    }

    #[test]
    fn outliers_and_kinds_of_inputs_in_random_order_do_not_alarm() {
        let outlying = |seed| {
            let mut found = simulated(seed, 300, 0.05, |_| 0.0);
            let mut dice = Dice::new(1000 + seed);
            (0..30).for_each(|_| found[dice.below(300)] += 1.0);
            // Six in a row, as a collection that goes on leaves them.
            found[200..206].iter_mut().for_each(|r| *r += 1.5);
            found
        };
        let kinds = |seed| {
            let mut dice = Dice::new(2000 + seed);
            let kinds: Vec<f64> = (0..300).map(|_| 0.1 * dice.below(4) as f64).collect();
            simulated(seed, 300, 0.03, |i| kinds[i])
        };
        let (outlying, kinds) = (alarms(outlying), alarms(kinds));
        assert!(outlying <= 1 && kinds <= 1, "{outlying} {kinds}");
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let step = |i| if i < 496 { 0.0 } else { 1.1_f64.ln() };
        let found = |seed| borders(&simulated(seed, 620, 0.07, step));
        let near = |seed: &u64| matches!(found(*seed)[..], [at] if at.abs_diff(496) <= 15);
        let found = (0..200).filter(near).count();
        assert!(found >= 190, "{found} of 200");
        // Without noise all but two ranks are tied, and the place is exact.
        let exact = simulated(0, LEAST, 0.0, |i| if i < 29 { 0.0 } else { 0.1 });
        assert_eq!(borders(&exact), [29]);
        assert!(borders(&exact[1..]).is_empty());
        // Steps of 2 % are clear to the test, and small.
        let small = simulated(0, 200, 0.001, |i| if i < 90 { 0.0 } else { 0.02 });
        assert!(chance(&centred_ranks(&small)) < 1e-9);
        assert!(borders(&small).is_empty());
    }

    #[test]
    fn several_stretches_are_told_apart() {
        let level = |i| match i {
            80..380 => 0.91_f64.ln(),
            496.. => 1.11_f64.ln(),
            _ => 0.0,
        };
        for seed in 0..20 {
            let found = stretches(&simulated(seed, 620, 0.05, level));
            assert_eq!(found.len(), 4, "{found:?}");
            for (stretch, start) in found.iter().zip([0, 80, 380, 496]) {
                assert!(stretch.span.start.abs_diff(start) <= 12, "{found:?}");
                assert!((stretch.level - level(start)).abs() < 0.02, "{found:?}");
            }
        }
    }

    #[test]
    fn chance_is_what_permutations_say() {
        let mut dice = Dice::new(7);
        let mut ranks = centred_ranks(&simulated(1, 200, 1.0, |_| 0.0));
        let mut chances: Vec<f64> = (0..4000)
            .map(|_| {
                for i in (1..ranks.len()).rev() {
                    ranks.swap(i, dice.below(i + 1));
                }
                chance(&ranks)
            })
            .collect();
        chances.sort_by(f64::total_cmp);
        // The bridge's bound is on the safe side for as few as 200.
        for share in [0.01, 0.05, 0.2] {
            let at = chances[(share * 4000.0) as usize];
            assert!(share < at && at < 2.0 * share, "{share}: {at}");
        }
    }

    #[test]
    fn ranks_are_centred_and_ties_share_them() {
        assert_eq!(centred_ranks(&[5.0, 1.0, 5.0, 9.0]), [0.0, -1.5, 0.0, 1.5]);
        assert_eq!(chance(&centred_ranks(&[3.0; 50])), 1.0);
    }

    #[test]
    fn numbers_alone_stand_for_invocations_of_the_same() {
        assert_eq!(shortened("A#m #380", "A#m #81"), "#380");
        assert_eq!(shortened("b.svg #3", "a.svg #81"), "b.svg #3");
        assert_eq!(shortened("b.svg", "a.svg"), "b.svg");
        assert_eq!(shortened("A#m #380 \"a #7\"", "A#m #81 \"b\""), "#380");
        assert_eq!(shortened("A#m #x", "A#m #81"), "A#m #x");
    }
}
