//! How a count grows with an input: the exponent of a power law.

use pricetag_dataset::{Dataset, InputValue};

/// Different sizes from which on growth is told.
const SIZES: usize = 5;
/// The largest size over the smallest, from which on growth is told.
const RANGE: f64 = 4.0;
/// Share of the variance of the logarithms that a power law explains at least.
const FITS: f64 = 0.98;
/// Exponents that are this far apart are different.
pub(crate) const DIFFERENT: f64 = 0.2;

/// Sizes of some rows by an input.
pub(crate) struct Sizes {
    pub(crate) input: String,
    logs: Vec<f64>,
}

impl Sizes {
    /// The input that varies most among those that are numbers above 0 in all rows; none if none varies enough.
    pub(crate) fn of(dataset: &Dataset, rows: &[usize]) -> Option<Self> {
        let first = dataset.observations.get(*rows.first()?)?;
        let candidates = first.inputs.keys().filter_map(|name| {
            let value = |&row: &usize| match dataset.observations[row].inputs.get(name) {
                Some(InputValue::Number(n)) if *n > 0.0 => Some(n.ln()),
                _ => None,
            };
            let logs: Vec<f64> = rows.iter().map(value).collect::<Option<_>>()?;
            let mut distinct = logs.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let range = distinct.last()? - distinct.first()?;
            let enough = distinct.len() >= SIZES && range >= RANGE.ln();
            enough.then_some((
                range,
                Self {
                    input: name.clone(),
                    logs,
                },
            ))
        });
        candidates
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|found| found.1)
    }

    /// The exponent with which counts of these rows grow; none if they follow no power law.
    pub(crate) fn exponent(&self, counts: &[f64]) -> Option<f64> {
        if counts.iter().any(|&n| n <= 0.0) {
            return None;
        }
        let logs: Vec<f64> = counts.iter().map(|n| n.ln()).collect();
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let (mx, my) = (mean(&self.logs), mean(&logs));
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for (x, y) in self.logs.iter().zip(&logs) {
            xx += (x - mx).powi(2);
            xy += (x - mx) * (y - my);
            yy += (y - my).powi(2);
        }
        if yy < 1e-9 {
            return Some(0.0);
        }
        let explained = xy * xy / (xx * yy);
        (explained >= FITS).then_some(xy / xx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_found_and_other_growth_is_none() {
        let logs = (1..=6).map(|i| f64::from(1 << i).ln()).collect();
        let sizes = Sizes {
            input: "n".to_owned(),
            logs,
        };
        let of = |f: &dyn Fn(f64) -> f64| {
            let counts: Vec<f64> = (1..=6).map(|i| f(f64::from(1 << i))).collect();
            sizes.exponent(&counts)
        };
        assert!((of(&|n| 3.0 * n * n).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(of(&|_| 7.0), Some(0.0));
        assert_eq!(of(&|n| if n > 10.0 { 5.0 } else { 3.0 + 10.0 / n }), None);
        assert_eq!(of(&|n| n - 2.0), None, "a count of 0");
    }
}
