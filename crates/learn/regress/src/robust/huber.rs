//! Huber's M-estimator: small residuals squared, large ones as they are.
//!
//! Huber (Robust estimation of a location parameter, 1964; Robust Statistics 1981, chapter 7), by iteratively reweighted
//! least squares from the least-squares solution, the scale estimated anew in every step; the fixed point is that of
//! `MASS::rlm` with `psi.huber` and weights as inverse variances, standard errors those of its `summary`.
//!
//! Deviations: iterated to 1e-12 (rlm: 1e-4) with at most 500 steps; dependent columns are left out where rlm refuses.

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted, Qr};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use super::rows::Weighted;

const METHOD: &str = "huber";

/// Steps at most.
const STEPS: usize = 500;

/// Relative change of the residuals at which iteration ends.
const SETTLED: f64 = 1e-12;

/// How the scale of the residuals is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Median of |residual| / 0.6745; rlm's default.
    #[default]
    MedianDeviation,
    /// Huber's proposal 2: with the coefficients, from the truncated squares.
    Proposal2,
}

/// Huber regression, weighted by the design's weights as inverse variances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Huber {
    /// Whether a constant is fitted as well.
    pub intercept: bool,
    /// Residual, in scales, beyond which it counts linearly; 1.345 loses 5 % efficiency on normal errors.
    pub threshold: f64,
    /// How the scale is estimated.
    pub scale: Scale,
}

impl Default for Huber {
    fn default() -> Self {
        Self {
            intercept: false,
            threshold: 1.345,
            scale: Scale::default(),
        }
    }
}

impl Estimator for Huber {
    fn name(&self) -> &'static str {
        METHOD
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        if !(self.threshold > 0.0 && self.threshold.is_finite()) {
            return Err(EstimatorError::Parameter {
                method: METHOD,
                parameter: "threshold",
                value: self.threshold,
            });
        }
        let mut rows = Weighted::new(METHOD, design, self.intercept)?;
        let first = rows.independent();
        let state = self.iterate(&rows, first);
        let errors = self.standard_errors(&rows, &state);
        let mut fitted = rows.fitted(METHOD, design, &state.beta, Some(&errors));
        fitted.notes.extend(state.notes());
        Ok(fitted)
    }
}

struct State {
    beta: Vec<f64>,
    residuals: Vec<f64>,
    scale: f64,
    settled: bool,
}

impl Huber {
    fn iterate(&self, rows: &Weighted, first: Vec<f64>) -> State {
        let residuals = rows.residuals(&first);
        let mut state = State {
            scale: median_deviation(&residuals),
            beta: first,
            residuals,
            settled: false,
        };
        let size: f64 = rows.target.iter().map(|y| y * y).sum();
        for _ in 0..STEPS {
            state.scale = self.next_scale(&state);
            // More than half of the residuals vanish but for rounding: what is left has no scale.
            if state.scale <= 1e-11 * (size / rows.target.len() as f64).sqrt() {
                state.scale = 0.0;
                state.settled = true;
                break;
            }
            let Some(beta) = self.reweighted(rows, &state) else {
                break;
            };
            let residuals = rows.residuals(&beta);
            let change = |(a, b): (&f64, &f64)| (a - b).powi(2);
            let changed: f64 = residuals.iter().zip(&state.residuals).map(change).sum();
            let before: f64 = state.residuals.iter().map(|r| r * r).sum();
            state.beta = beta;
            state.residuals = residuals;
            if changed.sqrt() <= SETTLED * before.sqrt() {
                state.settled = true;
                break;
            }
        }
        state
    }

    fn next_scale(&self, state: &State) -> f64 {
        let residuals = &state.residuals;
        match self.scale {
            Scale::MedianDeviation => median_deviation(residuals),
            Scale::Proposal2 => {
                let k = self.threshold;
                let normal = Normal::standard();
                let inside = 2.0 * normal.cdf(k) - 1.0;
                let expected = inside + k * k * (1.0 - inside) - 2.0 * k * normal.pdf(k);
                let df = residuals.len().saturating_sub(state.beta.len()) as f64;
                let limit = (k * state.scale).powi(2);
                let sum: f64 = residuals.iter().map(|r| (r * r).min(limit)).sum();
                if df > 0.0 {
                    (sum / (df * expected)).sqrt()
                } else {
                    0.0
                }
            }
        }
    }

    /// Least squares with Huber's weights.
    fn reweighted(&self, rows: &Weighted, state: &State) -> Option<Vec<f64>> {
        let limit = self.threshold * state.scale;
        let weight = |r: &f64| (limit / r.abs()).min(1.0).sqrt();
        let roots: Vec<f64> = state.residuals.iter().map(weight).collect();
        rows.reweighted(&roots, &state.beta, &state.residuals)
    }

    /// Those of `summary.rlm`: Huber's correction of the least-squares formula.
    fn standard_errors(&self, rows: &Weighted, state: &State) -> Vec<f64> {
        let (n, p) = (rows.target.len(), state.beta.len());
        let mut errors = vec![f64::NAN; p];
        if n <= p || state.scale == 0.0 {
            return errors;
        }
        let limit = self.threshold * state.scale;
        let truncated: f64 = state
            .residuals
            .iter()
            .map(|r| r.abs().min(limit).powi(2))
            .sum();
        let inside = state.residuals.iter().filter(|r| r.abs() <= limit).count() as f64;
        let mean = inside / n as f64;
        let variance = mean * (1.0 - mean) * n as f64 / (n as f64 - 1.0);
        let kappa = 1.0 + p as f64 * variance / (n as f64 * mean * mean);
        let spread = (truncated / (n - p) as f64).sqrt() * kappa / mean;
        let qr = Qr::new(rows.columns.clone(), rows.target.clone(), 0.0);
        for (&k, v) in qr.pivot.iter().zip(qr.inverse_diagonal()) {
            errors[k] = spread * v.sqrt();
        }
        errors
    }
}

impl State {
    fn notes(&self) -> Option<Diagnostic> {
        let (severity, message, advice) = if self.scale == 0.0 {
            (
                Severity::Note,
                "at least half of the observations are fitted exactly; there are no standard errors".to_owned(),
                "check whether the columns determine the cost",
            )
        } else if !self.settled {
            (
                Severity::Warning,
                format!("the reweighting did not settle in {STEPS} steps"),
                "use `l1`, which is exact",
            )
        } else {
            return None;
        };
        Some(Diagnostic {
            severity,
            message,
            advice: Some(advice.to_owned()),
        })
    }
}

fn median_deviation(residuals: &[f64]) -> f64 {
    let sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    pricetag_quantity::quantile(&sizes, 0.5).unwrap_or(0.0) / 0.6745
}
