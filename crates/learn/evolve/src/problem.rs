//! The data of one search in canonical form.
//!
//! Columns are sorted by name and rows by their values, so that the order of the table cannot steer the random choices:
//! permuted tables give the same search, bit by bit. The target is divided by a power of two near its median, so that
//! the scale of the cost (ns or s) does not matter either. Constant columns and copies of columns are left out.

use pricetag_estimator::Design;
use pricetag_quantity::median;

/// Error below which a fit is exact: relative, root mean square.
pub const EXACT: f64 = 1e-10;

/// Data, offered constants, and what is precomputed from them.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Names of the columns, ascending.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
    /// Target divided by `scale`.
    pub target: Vec<f64>,
    /// Square roots of the weights, normalised so that the weighted target has length 1 (unless it is all zero).
    pub roots: Vec<f64>,
    /// `roots · target`.
    pub weighted: Vec<f64>,
    /// Power of two by which the target was divided.
    pub scale: f64,
    /// Constants offered from outside, ascending.
    pub given: Vec<f64>,
    /// Distinct values of each column, ascending.
    pub levels: Vec<Vec<f64>>,
    /// Rows with a positive weight.
    pub effective: usize,
}

impl Problem {
    /// Brings a design into canonical form.
    pub fn new(design: &Design, constants: &[f64]) -> Self {
        let rows = design.rows();
        let mut named: Vec<(&str, Vec<f64>)> = design
            .columns
            .iter()
            .map(|c| (c.name.as_str(), c.values.to_dense(rows)))
            .filter(|(_, v)| v.iter().any(|x| *x != v[0]))
            .collect();
        named.sort_by(|a, b| a.0.cmp(b.0));
        let mut kept: Vec<(&str, Vec<f64>)> = Vec::new();
        for column in named {
            if kept.len() < usize::from(u16::MAX) && !kept.iter().any(|k| k.1 == column.1) {
                kept.push(column);
            }
        }
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by(|&i, &j| {
            let keys = std::iter::once((design.target[i], design.target[j]))
                .chain(kept.iter().map(|(_, v)| (v[i], v[j])))
                .chain(std::iter::once((design.weights[i], design.weights[j])));
            keys.map(|(a, b)| a.total_cmp(&b))
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
        let columns: Vec<Vec<f64>> = kept.iter().map(|(_, v)| pick(v)).collect();
        let scale = power_of_two(&design.target);
        let target: Vec<f64> = pick(&design.target).iter().map(|y| y / scale).collect();
        let mut roots: Vec<f64> = pick(&design.weights).iter().map(|w| w.sqrt()).collect();
        normalise(&mut roots, &target);
        let mut given: Vec<f64> = constants
            .iter()
            .copied()
            .filter(|c| c.is_finite())
            .collect();
        given.sort_by(f64::total_cmp);
        given.dedup();
        given.truncate(usize::from(u16::MAX));
        Self {
            names: kept.iter().map(|(name, _)| (*name).to_owned()).collect(),
            levels: columns.iter().map(|c| levels(c)).collect(),
            weighted: roots.iter().zip(&target).map(|(r, y)| r * y).collect(),
            effective: roots.iter().filter(|r| **r > 0.0).count(),
            columns,
            target,
            roots,
            scale,
            given,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.target.len()
    }

    /// The offered constants at which a column's values can be split, by index.
    pub fn given_within(&self, column: usize) -> impl Iterator<Item = u16> + '_ {
        let levels = &self.levels[column];
        let range = levels
            .first()
            .zip(levels.last())
            .map_or(0.0..0.0, |(a, b)| *a..*b);
        (0..self.given.len())
            .filter(move |&i| range.contains(&self.given[i]))
            .map(|i| i as u16)
    }

    /// About `count` thresholds spread evenly over the distinct values of a column, each the roundest in its gap.
    pub fn thresholds(&self, column: usize, count: usize) -> Vec<f64> {
        let levels = &self.levels[column];
        let gaps = levels.len().saturating_sub(1);
        let count = count.min(gaps);
        (0..count)
            .map(|i| {
                let gap = (2 * i + 1) * gaps / (2 * count);
                roundest(levels[gap], levels[gap + 1])
            })
            .collect()
    }
}

/// Scales weights so that the weighted target has length 1; large and small units then cost no digits.
fn normalise(roots: &mut [f64], target: &[f64]) {
    let largest = roots.iter().fold(0.0_f64, |m, r| m.max(*r));
    if largest == 0.0 {
        roots.fill(1.0); // no row has a weight: all count the same
    } else {
        for r in roots.iter_mut() {
            *r /= largest;
        }
    }
    let length = roots
        .iter()
        .zip(target)
        .map(|(r, y)| (r * y).powi(2))
        .sum::<f64>()
        .sqrt();
    if length > 0.0 && length.is_finite() {
        for r in roots.iter_mut() {
            *r /= length;
        }
    }
}

fn levels(column: &[f64]) -> Vec<f64> {
    let mut values = column.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// The power of two nearest to the median of the non-zero magnitudes; 1 if there is none.
fn power_of_two(target: &[f64]) -> f64 {
    let magnitudes: Vec<f64> = target
        .iter()
        .map(|y| y.abs())
        .filter(|y| *y > 0.0)
        .collect();
    median(&magnitudes).map_or(1.0, |m| m.log2().round().clamp(-1000.0, 1000.0).exp2())
}

/// The number with the fewest decimal digits in [low, high): thresholds in code are round, and any number in the gap
/// between two values splits the rows alike.
pub fn roundest(low: f64, high: f64) -> f64 {
    let middle = f64::midpoint(low, high);
    let largest = low.abs().max(high.abs());
    if !(low < high && largest.is_finite() && largest > 0.0) {
        return low;
    }
    let top = largest.log10().floor() as i32;
    for exponent in (top - 16..=top).rev() {
        let nearest = decimal((middle / 10_f64.powi(exponent)).round(), exponent);
        if low <= nearest && nearest < high {
            return nearest;
        }
        let above = decimal((low / 10_f64.powi(exponent)).ceil(), exponent);
        if low <= above && above < high {
            return above;
        }
    }
    low
}

/// `digits · 10^exponent`, rounded once.
fn decimal(digits: f64, exponent: i32) -> f64 {
    format!("{digits:.0}e{exponent}")
        .parse()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{Problem, roundest};
    use pricetag_estimator::{Column, Design, Values};
    use proptest::prelude::*;

    #[test]
    fn round_numbers_in_gaps() {
        assert_eq!(roundest(198_732.0, 203_991.0), 200_000.0);
        assert_eq!(roundest(499.2, 503.0), 500.0);
        assert_eq!(roundest(3.0, 4.0), 3.0, "`> 3` splits 3 from 4");
        assert_eq!(roundest(0.0, 1.0), 0.0);
        assert_eq!(roundest(-2.5, -1.5), -2.0);
        assert_eq!(roundest(0.11, 0.12), 0.11);
    }

    proptest! {
        #[test]
        fn roundest_splits_like_the_gap(a in -1e9_f64..1e9, width in 1e-6_f64..1e6) {
            let c = roundest(a, a + width);
            prop_assert!(a <= c && c < a + width);
        }
    }

    #[test]
    fn order_of_rows_and_columns_is_forgotten() {
        let column = |name: &str, values: [f64; 4]| Column {
            name: name.into(),
            values: Values::Dense(values.to_vec()),
        };
        let columns = vec![
            column("b", [1.0, 2.0, 3.0, 4.0]),
            column("a", [5.0, 1.0, 1.0, 2.0]),
            column("same", [3.0; 4]),
            column("copy of a", [5.0, 1.0, 1.0, 2.0]),
        ];
        let design = Design::new(columns, vec![4.0, 3.0, 3.0, 9.0]);
        let mut other = design.select(&[2, 0, 3, 1]);
        other.columns.reverse();
        let (one, two) = (Problem::new(&design, &[]), Problem::new(&other, &[]));
        assert_eq!(one.names, ["a", "b"]);
        assert_eq!((one.columns, one.target), (two.columns, two.target));
    }
}
