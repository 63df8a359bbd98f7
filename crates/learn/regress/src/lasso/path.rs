//! The lasso path on the scale of the data, as plain numbers for figures and for prediction.

use pricetag_estimator::Design;
use serde::{Deserialize, Serialize};

use super::homotopy::Corner;
use super::scaled::{Dropped, Shape};

/// A linear model that names few columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SparseModel {
    /// Added once per row.
    pub intercept: f64,
    /// `(column, coefficient)`, ascending by column, without zeros.
    pub coefficients: Vec<(usize, f64)>,
}

impl SparseModel {
    /// Predictions for the rows of a design with the same columns.
    pub fn predict(&self, design: &Design) -> Vec<f64> {
        let mut out = vec![self.intercept; design.rows()];
        for &(column, coefficient) in &self.coefficients {
            design.columns[column].values.add_to(coefficient, &mut out);
        }
        out
    }
}

/// The solution at one λ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// Weight of the penalty; see [`crate::lasso`] for the objective.
    pub lambda: f64,
    /// The solution.
    pub model: SparseModel,
    /// Largest violation of the optimality conditions, for columns and target of unit length.
    pub violation: f64,
}

/// Solutions for falling λ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LassoPath {
    /// From the λ above which no penalised column is active to the last one asked for.
    pub knots: Vec<Knot>,
    /// Whether the solution is linear between all knots (homotopy) or only optimal at the knots (coordinate descent).
    pub exact: bool,
    /// Columns that took no part.
    pub dropped: Vec<Dropped>,
    /// The λ that was asked for, where the path ends above it: below its last knot columns are so nearly dependent that
    /// coefficients in double precision do not meet the optimality conditions to [`OPTIMAL`].
    #[serde(default)]
    pub unreached: Option<f64>,
}

/// Every knot but the first meets the optimality conditions to this, for columns and target of unit length.
pub const OPTIMAL: f64 = 1e-9;

impl LassoPath {
    /// The solution at a λ; beyond the ends of the path that of the nearest knot.
    pub fn at(&self, lambda: f64) -> SparseModel {
        let after = self.knots.partition_point(|k| k.lambda > lambda);
        let Some(below) = self.knots.get(after) else {
            return self
                .knots
                .last()
                .map(|k| k.model.clone())
                .unwrap_or_default();
        };
        let Some(above) = after.checked_sub(1).map(|i| &self.knots[i]) else {
            return below.model.clone();
        };
        let share = (lambda - below.lambda) / (above.lambda - below.lambda);
        mix(&above.model, &below.model, share)
    }

    /// The λ of the first knot.
    pub fn largest_lambda(&self) -> f64 {
        self.knots.first().map_or(0.0, |k| k.lambda)
    }

    /// The λ of the last knot.
    pub fn smallest_lambda(&self) -> f64 {
        self.knots.last().map_or(0.0, |k| k.lambda)
    }

    /// Largest violation of the optimality conditions at any knot.
    pub fn violation(&self) -> f64 {
        self.knots.iter().map(|k| k.violation).fold(0.0, f64::max)
    }

    /// `count` values of λ in equal ratios over the path; just the smallest for a path without extent.
    pub fn grid(&self, count: usize) -> Vec<f64> {
        let (high, low) = (self.largest_lambda(), self.smallest_lambda());
        if count < 2 || high <= low {
            return vec![low];
        }
        let low = low.max(1e-12 * high);
        let step = (low / high).ln() / (count - 1) as f64;
        (0..count)
            .map(|i| match i {
                0 => high,
                i if i + 1 == count => low,
                i => high * (step * i as f64).exp(),
            })
            .collect()
    }
}

/// `share` of the first model and the rest of the second.
fn mix(a: &SparseModel, b: &SparseModel, share: f64) -> SparseModel {
    let rest = 1.0 - share;
    let mut coefficients = Vec::with_capacity(a.coefficients.len() + 1);
    let (mut i, mut j) = (0, 0);
    loop {
        let (left, right) = (a.coefficients.get(i), b.coefficients.get(j));
        let next = match (left, right) {
            (Some(&(c, x)), Some(&(d, y))) if c == d => {
                (i, j) = (i + 1, j + 1);
                (c, share * x + rest * y)
            }
            (Some(&(c, x)), Some(&(d, _))) if c < d => {
                i += 1;
                (c, share * x)
            }
            (Some(&(c, x)), None) => {
                i += 1;
                (c, share * x)
            }
            (_, Some(&(d, y))) => {
                j += 1;
                (d, rest * y)
            }
            (None, None) => break,
        };
        if next.1 != 0.0 {
            coefficients.push(next);
        }
    }
    SparseModel {
        intercept: share * a.intercept + rest * b.intercept,
        coefficients,
    }
}

/// How to get from scaled coefficients to those of the data.
pub(crate) struct Units<'a> {
    pub intercept: bool,
    pub kept: &'a [usize],
    pub shapes: &'a [Shape],
    pub target_mean: f64,
    pub target_length: f64,
    /// λ per μ.
    pub lambda: f64,
}

impl Units<'_> {
    pub(crate) fn knot(&self, corner: &Corner) -> Knot {
        let mut intercept = self.target_mean;
        let mut coefficients = Vec::with_capacity(corner.active.len());
        for (&j, theta) in corner.active.iter().zip(&corner.theta) {
            let Shape { centre, length, .. } = self.shapes[j];
            let beta = theta * self.target_length / length;
            if beta != 0.0 {
                intercept -= beta * centre;
                coefficients.push((self.kept[j], beta));
            }
        }
        coefficients.sort_unstable_by_key(|c| c.0);
        Knot {
            lambda: corner.mu * self.lambda,
            model: SparseModel {
                intercept: if self.intercept { intercept } else { 0.0 },
                coefficients,
            },
            violation: corner.violation,
        }
    }
}
