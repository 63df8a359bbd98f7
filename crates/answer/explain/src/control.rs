//! How far inputs decide over a cost: its share of the variation, and the input it follows.
//!
//! The share is the covariance decomposition of the measured total, Cov(part, total) / Var(total), whose shares add up
//! to one where the parts add up to the total (G. S. Fields, "Accounting for income inequality and its change", 2003). The input is the one with the
//! strongest rank correlation (Spearman 1904); the exponent is the slope of log count over log input.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, FeatureKind, InputValue};
use pricetag_finding::Control;

use crate::attribution::Columns;

/// Shares of variation below this are not looked into.
const WORTH_A_LOOK: f64 = 0.005;
/// Share of the mean cost below which neither an item nor the cost's variation is worth an alarm.
const WORTH_AN_ALARM: f64 = 0.02;
/// Standard errors by which a correlation must differ from none: some hundred lines are looked at, and none may alarm by luck.
const CERTAIN: f64 = 4.0;
/// Rank correlation from which an item is said to follow an input.
const FOLLOWS: f64 = 0.7;
/// Rows needed to speak of a correlation or an exponent.
const ENOUGH_ROWS: usize = 5;

/// What is known about the observations before looking at an item.
pub(crate) struct Variation<'a> {
    total: &'a [f64],
    mean: f64,
    squares: f64,
    inputs: Vec<(String, Vec<f64>, Vec<f64>)>,
    threshold: f64,
}

impl<'a> Variation<'a> {
    pub(crate) fn of(
        total: &'a [f64],
        dataset: &Dataset,
        columns: &Columns,
        threshold: f64,
    ) -> Self {
        let mean = total.iter().sum::<f64>() / total.len().max(1) as f64;
        let squares = total.iter().map(|value| (value - mean).powi(2)).sum();
        let inputs = inputs(dataset, columns)
            .into_iter()
            .map(|(name, values)| {
                let ranks = ranks(&values);
                (name, values, ranks)
            })
            .collect();
        Self {
            total,
            mean,
            squares,
            inputs,
            threshold,
        }
    }

    /// Standard deviation of the total over its mean.
    fn spread(&self) -> f64 {
        (self.squares / self.total.len().max(1) as f64).sqrt() / self.mean.abs()
    }

    /// Describes an item by its cost in each observation; none when the total does not vary.
    pub(crate) fn control(&self, cost: &[f64], in_code: bool) -> Option<Control> {
        if self.squares <= f64::EPSILON * self.mean * self.mean {
            return None;
        }
        let mean = cost.iter().sum::<f64>() / cost.len() as f64;
        let covariance: f64 = cost
            .iter()
            .zip(self.total)
            .map(|(part, total)| (part - mean) * (total - self.mean))
            .sum();
        let mut control = Control {
            variation: covariance / self.squares,
            ..Control::default()
        };
        if control.variation.abs() < WORTH_A_LOOK {
            return Some(control);
        }
        control.peak = peak(cost);
        let own = ranks(cost);
        let best = self
            .inputs
            .iter()
            .filter_map(|(name, values, ranks)| Some((name, values, correlation(&own, ranks)?)))
            .max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()).then_with(|| b.0.cmp(a.0)));
        if let Some((name, values, rho)) = best.filter(|(_, _, rho)| rho.abs() >= FOLLOWS) {
            control.input = Some(name.clone());
            control.correlation = Some(rho);
            control.exponent = exponent(values, cost);
        }
        let varies = control.input.is_some() || control.peak.is_some_and(|peak| peak >= 2.0);
        let worth = mean >= WORTH_AN_ALARM * self.mean && self.spread() >= WORTH_AN_ALARM;
        let bears = correlation(cost, self.total).is_some_and(|r| certain(r, cost.len()));
        control.risk = in_code && varies && worth && bears && control.variation >= self.threshold;
        Some(control)
    }
}

/// Numeric inputs with at least two values, by name.
fn inputs(dataset: &Dataset, columns: &Columns) -> Vec<(String, Vec<f64>)> {
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let rows = columns.observations.len();
    for (position, &row) in columns.observations.iter().enumerate() {
        for (name, value) in &dataset.observations[row].inputs {
            if let InputValue::Number(number) = value {
                found.entry(name).or_insert_with(|| vec![0.0; rows])[position] = *number;
            }
        }
    }
    for feature in dataset
        .features
        .iter()
        .filter(|feature| feature.kind == FeatureKind::Input)
    {
        if !found.contains_key(feature.name.as_str()) {
            let column = found
                .entry(&feature.name)
                .or_insert_with(|| vec![0.0; rows]);
            for (position, value) in columns.values(&feature.name) {
                column[position as usize] = value;
            }
        }
    }
    found
        .into_iter()
        .filter(|(_, values)| values.iter().any(|value| *value != values[0]))
        .map(|(name, values)| (name.to_owned(), values))
        .collect()
}

fn peak(cost: &[f64]) -> Option<f64> {
    let mut sorted = cost.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = *sorted.get(sorted.len() / 2)?;
    (median > 0.0).then(|| sorted[sorted.len() - 1] / median)
}

/// Ranks from zero; ties share their mean rank.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && values[order[end]] == values[order[start]] {
            end += 1;
        }
        for &index in &order[start..end] {
            ranks[index] = (start + end - 1) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Whether a correlation over so many rows is more than luck, by Fisher's transformation (1921), whose standard error is 1/√(n − 3).
fn certain(correlation: f64, rows: usize) -> bool {
    rows > 3 && correlation.clamp(-1.0, 1.0).atanh() * (rows as f64 - 3.0).sqrt() >= CERTAIN
}

/// Pearson's correlation; none for constant or short columns.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() < ENOUGH_ROWS {
        return None;
    }
    let (xx, xy, yy) = moments(a, b);
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

/// Slope of log `y` over log `x`, where both are positive and `x` at least doubles.
fn exponent(x: &[f64], y: &[f64]) -> Option<f64> {
    let (logs_x, logs_y): (Vec<f64>, Vec<f64>) = x
        .iter()
        .zip(y)
        .filter(|(x, y)| **x > 0.0 && **y > 0.0)
        .map(|(x, y)| (x.ln(), y.ln()))
        .unzip();
    let span = logs_x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - logs_x.iter().copied().fold(f64::INFINITY, f64::min);
    if logs_x.len() < ENOUGH_ROWS || span < std::f64::consts::LN_2 {
        return None;
    }
    let (xx, xy, _) = moments(&logs_x, &logs_y);
    (xx > 0.0).then(|| xy / xx)
}

/// Centred second moments of two columns: Σxx, Σxy, Σyy.
fn moments(a: &[f64], b: &[f64]) -> (f64, f64, f64) {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    a.iter()
        .zip(b)
        .fold((0.0, 0.0, 0.0), |(xx, xy, yy), (x, y)| {
            let (dx, dy) = (x - mean_a, y - mean_b);
            (xx + dx * dx, xy + dx * dy, yy + dy * dy)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn a_power_law_shows_its_exponent() {
        let x: Vec<f64> = (1..20).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 * x.powf(1.5)).collect();
        assert!((exponent(&x, &y).unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(exponent(&x[..3], &y[..3]), None);
        assert_eq!(exponent(&[5.0; 9], &[5.0; 9]), None);
    }

    #[test]
    fn shares_of_variation_add_up_to_one() {
        let first = [1.0, 4.0, 9.0, 16.0, 25.0];
        let second = [5.0, 5.0, 6.0, 5.0, 4.0];
        let total: Vec<f64> = first.iter().zip(second).map(|(a, b)| a + b).collect();
        let dataset = Dataset::default();
        let columns = Columns::of(&dataset);
        let variation = Variation::of(&total, &dataset, &columns, 0.1);
        let share = |cost: &[f64]| variation.control(cost, true).unwrap();
        assert!((share(&first).variation + share(&second).variation - 1.0).abs() < 1e-12);
        assert!(share(&first).risk && !share(&second).risk);
        assert!(!variation.control(&first, false).unwrap().risk);
    }
}
