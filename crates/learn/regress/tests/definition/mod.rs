//! The lasso written out once more by its definition, on the columns as they came.

use pricetag_estimator::Design;
use pricetag_regress::Lasso;
use pricetag_regress::lasso::{LassoPath, SparseModel, Standardisation};

/// A problem by its definition.
pub struct Definition {
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
    /// w/W.
    shares: Vec<f64>,
    scales: Vec<f64>,
    lasso: Lasso,
}

impl Definition {
    pub fn new(design: &Design, lasso: &Lasso) -> Self {
        let total: f64 = design.weights.iter().sum();
        let shares: Vec<f64> = design.weights.iter().map(|w| w / total).collect();
        let columns: Vec<Vec<f64>> = design
            .columns
            .iter()
            .map(|c| c.values.to_dense(design.rows()))
            .collect();
        let scale = |x: &Vec<f64>| {
            let seen: Vec<f64> = (0..x.len())
                .filter(|&i| shares[i] > 0.0)
                .map(|i| x[i])
                .collect();
            let high = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let low = seen.iter().copied().fold(f64::INFINITY, f64::min);
            let mean: f64 = x.iter().zip(&shares).map(|(v, s)| v * s).sum();
            match lasso.standardisation {
                Standardisation::None => 1.0,
                Standardisation::Maximum => high.abs().max(low.abs()),
                Standardisation::Range => high - low,
                Standardisation::Deviation => x
                    .iter()
                    .zip(&shares)
                    .map(|(v, s)| s * (v - mean).powi(2))
                    .sum::<f64>()
                    .sqrt(),
            }
        };
        Self {
            scales: columns.iter().map(scale).collect(),
            columns,
            target: design.target.clone(),
            shares,
            lasso: lasso.clone(),
        }
    }

    pub fn v(&self, j: usize) -> f64 {
        self.lasso.penalties.get(j).copied().unwrap_or(1.0)
    }

    pub fn residuals(&self, model: &SparseModel) -> Vec<f64> {
        let mut r: Vec<f64> = self.target.iter().map(|y| y - model.intercept).collect();
        for &(j, b) in &model.coefficients {
            for (r, x) in r.iter_mut().zip(&self.columns[j]) {
                *r -= b * x;
            }
        }
        r
    }

    pub fn objective(&self, lambda: f64, model: &SparseModel) -> f64 {
        let loss: f64 = self
            .residuals(model)
            .iter()
            .zip(&self.shares)
            .map(|(r, s)| s * r * r)
            .sum();
        let penalty: f64 = model
            .coefficients
            .iter()
            .map(|&(j, b)| {
                let size = (self.scales[j] * b).abs();
                let alpha = self.lasso.alpha;
                self.v(j)
                    * (alpha * size + 0.5 * (1.0 - alpha) * size * size / self.length(&self.target))
            })
            .sum();
        0.5 * loss + lambda * penalty
    }

    pub fn length(&self, x: &[f64]) -> f64 {
        let mean: f64 = if self.lasso.intercept {
            x.iter().zip(&self.shares).map(|(v, s)| v * s).sum()
        } else {
            0.0
        };
        let squares = x
            .iter()
            .zip(&self.shares)
            .map(|(v, s)| s * (v - mean).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Largest violation of the optimality conditions, for columns and target of unit length.
    pub fn violation(&self, lambda: f64, model: &SparseModel) -> f64 {
        let r = self.residuals(model);
        let size = self.length(&self.target);
        if size == 0.0 {
            return 0.0;
        }
        let mut worst = 0.0_f64;
        let dot = |x: &[f64]| -> f64 { (0..x.len()).map(|i| self.shares[i] * x[i] * r[i]).sum() };
        if self.lasso.intercept {
            worst = dot(&vec![1.0; r.len()]).abs() / size;
        }
        for (j, x) in self.columns.iter().enumerate() {
            let length = self.length(x);
            let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if length <= 1e-13 * largest || length == 0.0 {
                continue; // constant: left out
            }
            let gradient = dot(x);
            let bound = lambda * self.v(j) * self.scales[j] * self.lasso.alpha;
            let b = model
                .coefficients
                .iter()
                .find(|c| c.0 == j)
                .map_or(0.0, |c| c.1);
            let ridge =
                lambda * (1.0 - self.lasso.alpha) * self.v(j) * self.scales[j].powi(2) * b / size;
            let over = if b != 0.0 {
                (gradient - ridge - bound.copysign(b)).abs()
            } else if self.lasso.non_negative {
                gradient - bound
            } else {
                gradient.abs() - bound
            };
            worst = worst.max(over / length / size);
            if self.lasso.non_negative && b < 0.0 {
                return f64::INFINITY;
            }
        }
        worst
    }

    pub fn check(&self, path: &LassoPath, tolerance: f64) -> Result<(), String> {
        for (k, knot) in path.knots.iter().enumerate() {
            let violation = self.violation(knot.lambda, &knot.model);
            if violation.is_nan() || violation > tolerance {
                return Err(format!(
                    "knot {k} of {}, λ {}: {violation:e}",
                    path.knots.len(),
                    knot.lambda
                ));
            }
            if k > 0 && path.knots[k - 1].lambda < knot.lambda {
                return Err(format!("λ rises at knot {k}"));
            }
        }
        if path.exact {
            for pair in path.knots.windows(2) {
                let lambda = 0.3 * pair[0].lambda + 0.7 * pair[1].lambda;
                let violation = self.violation(lambda, &path.at(lambda));
                if violation.is_nan() || violation > tolerance {
                    return Err(format!("between knots, λ {lambda}: {violation:e}"));
                }
            }
        }
        Ok(())
    }
}
