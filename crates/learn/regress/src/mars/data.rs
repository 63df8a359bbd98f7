//! The design as the forward pass wants it: dense columns with their sort orders, roots of the weights, a scaled target.
//!
//! Weights are brought to mean one and equal weights count as none; the target is centred and divided by its standard
//! deviation, as `earth` does. A hinge times √w is as easy to sweep as a hinge, because the sort order is that of the
//! variable either way; so weights cost nothing here.
//!
//! Deviation: `earth` refuses a linear term whose centred sum of squares is at most 0.01 in whatever unit the variable
//! has. A column as small as that is multiplied by a power of two, so that seconds are as good as nanoseconds.

use pricetag_estimator::{Design, EstimatorError};

use super::NAME;

/// A centred sum of squares up to this is no new direction (`earth`'s rule, in the variable's own units).
pub(super) const SMALLEST: f64 = 0.01;
/// Weights that differ by less than this from the first, at mean one, are equal.
const EQUAL: f64 = 1e-8;

/// One variable.
pub(super) struct Variable {
    /// Values by row, times `scale`.
    pub values: Vec<f64>,
    /// Rows in ascending order of their value; ties keep the order of rows.
    pub order: Vec<u32>,
    /// `values` in that order.
    pub sorted: Vec<f64>,
    /// A power of two.
    pub scale: f64,
}

/// Everything the forward pass reads.
pub(super) struct Data {
    pub variables: Vec<Variable>,
    /// Root of each row's weight; the mean weight is one.
    pub roots: Vec<f64>,
    /// √w · (y − ȳ) / s.
    pub target: Vec<f64>,
    /// ȳ, the weighted mean.
    pub centre: f64,
    /// s, the standard deviation; zero for a constant target.
    pub spread: f64,
    /// What the weights were divided by.
    pub mean_weight: f64,
    /// Whether rows weigh differently.
    pub weighted: bool,
}

impl Data {
    pub fn new(design: &Design) -> Result<Self, EstimatorError> {
        let rows = design.rows();
        let mean_weight = design.weights.iter().sum::<f64>() / rows as f64;
        if !(mean_weight > 0.0 && mean_weight.is_finite()) {
            return Err(EstimatorError::Numerical {
                method: NAME,
                reason: format!("the mean of the weights is {mean_weight}"),
            });
        }
        let mut weights: Vec<f64> = design.weights.iter().map(|w| w / mean_weight).collect();
        let weighted = weights.iter().any(|w| (w - weights[0]).abs() > EQUAL);
        for w in &mut weights {
            *w = if weighted { w.max(EQUAL) } else { 1.0 };
        }
        let total: f64 = weights.iter().sum();
        let centre = dot(&design.target, &weights) / total;
        let spread = standard_deviation(&design.target);
        let unit = if spread > 0.0 { spread } else { 1.0 };
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let target = design
            .target
            .iter()
            .zip(&roots)
            .map(|(y, root)| root * ((y - centre) / unit))
            .collect();
        let variables = design
            .columns
            .iter()
            .map(|c| Variable::new(c.values.to_dense(rows)))
            .collect();
        Ok(Self {
            variables,
            roots,
            target,
            centre,
            spread,
            mean_weight,
            weighted,
        })
    }

    pub fn rows(&self) -> usize {
        self.roots.len()
    }
}

impl Variable {
    fn new(mut values: Vec<f64>) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let about_mean: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let varies = values.iter().any(|v| *v != values[0]);
        let scale = if varies && about_mean <= SMALLEST {
            let range = values.iter().fold(0.0_f64, |m, v| m.max((v - mean).abs()));
            (-range.max(f64::MIN_POSITIVE).log2()).ceil().exp2()
        } else {
            1.0
        };
        for value in &mut values {
            *value *= scale;
        }
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (values[a as usize], values[b as usize]);
            a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
        });
        let sorted = order.iter().map(|&row| values[row as usize]).collect();
        Self {
            values,
            order,
            sorted,
            scale,
        }
    }
}

fn standard_deviation(values: &[f64]) -> f64 {
    if values.len() < 2 || values.iter().all(|v| *v == values[0]) {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// Inner product in eight partial sums, so that the compiler can use vector registers.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_chunks
        .remainder()
        .iter()
        .zip(b_chunks.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}
