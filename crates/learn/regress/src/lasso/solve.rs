//! From options and a sample to a path.

use pricetag_estimator::{Checked, Design, EstimatorError};

use super::descent::{Descent, OnDemand, Penalty};
use super::gram::Complete;
use super::homotopy::{Corner, Gram};
use super::path::{Knot, LassoPath, OPTIMAL, Units};
use super::scaled::{Conventions, Scaled};
use super::working_set::{COMPLETE, Limits, ScaledPath, follow};
use super::{Lambda, Lasso};
use crate::columns::Columns;

/// How often coefficients, their products with a column and the sums of those are rounded, as far as that does not average out.
const ROUNDINGS: f64 = 16.0;

/// What is learned from: columns that may be virtual, costs, weights and groups.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    pub columns: &'a dyn Columns,
    pub target: &'a [f64],
    pub weights: &'a [f64],
    pub groups: &'a [String],
}

impl<'a> Sample<'a> {
    pub(crate) fn of(design: &'a Design) -> Self {
        Self {
            columns: design,
            target: &design.target,
            weights: &design.weights,
            groups: &design.groups,
        }
    }
}

/// The end of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// This share of the largest λ.
    Share(f64),
    /// This λ.
    Lambda(f64),
}

impl Lasso {
    /// The path of a design from the largest useful λ to [`Lasso::ratio`] of it.
    pub fn path(&self, design: &Checked<Design>) -> Result<LassoPath, EstimatorError> {
        self.path_of(&Sample::of(design))
    }

    pub(crate) fn path_of(&self, sample: &Sample) -> Result<LassoPath, EstimatorError> {
        self.validate(sample)?;
        Ok(self.follow(sample, sample.weights, self.end(sample), &[]))
    }

    /// Where the path ends by default.
    pub(crate) fn end(&self, sample: &Sample) -> End {
        let rows = sample.weights.iter().filter(|w| **w > 0.0).count();
        End::Share(self.ratio.unwrap_or(if rows < sample.columns.count() {
            1e-2
        } else {
            1e-4
        }))
    }

    /// Options in range, something to learn from.
    pub(crate) fn validate(&self, sample: &Sample) -> Result<(), EstimatorError> {
        let wrong = |parameter, value| {
            Err(EstimatorError::Parameter {
                method: "lasso",
                parameter,
                value,
            })
        };
        if !(self.alpha > 0.0 && self.alpha <= 1.0) {
            return wrong("alpha", self.alpha);
        }
        if let Some(ratio) = self.ratio.filter(|r| !(0.0..1.0).contains(r)) {
            return wrong("ratio", ratio);
        }
        if let Some(share) = self.saturation.filter(|s| !(0.0..1.0).contains(s)) {
            return wrong("saturation", share);
        }
        if let Lambda::Value(value) = self.lambda
            && !(value >= 0.0 && value.is_finite())
        {
            return wrong("lambda", value);
        }
        if self.folds < 2 {
            return wrong("folds", self.folds as f64);
        }
        if self.grid < 1 {
            return wrong("grid", self.grid as f64);
        }
        if !self.penalties.is_empty() && self.penalties.len() != sample.columns.count() {
            return wrong("penalties", self.penalties.len() as f64);
        }
        // A free column with a bound would need a non-negative fit before the path begins.
        let least = if self.non_negative {
            f64::MIN_POSITIVE
        } else {
            0.0
        };
        if let Some(&bad) = self
            .penalties
            .iter()
            .find(|v| !(**v >= least && v.is_finite()))
        {
            return wrong("penalty", bad);
        }
        if sample.weights.iter().all(|w| *w == 0.0) {
            return Err(EstimatorError::TooFewRows {
                method: "lasso",
                needed: 1,
                rows: 0,
            });
        }
        Ok(())
    }

    pub(crate) fn conventions(&self) -> Conventions<'_> {
        Conventions {
            intercept: self.intercept,
            standardisation: self.standardisation,
            penalties: &self.penalties,
            // The elastic net shares a coefficient among copies; the lasso does not care which has it.
            keep_copies: self.alpha < 1.0,
        }
    }

    /// The path under some weights; `first` suggests columns that may become active.
    pub(crate) fn follow(
        &self,
        sample: &Sample,
        weights: &[f64],
        end: End,
        first: &[usize],
    ) -> LassoPath {
        let scaled = Scaled::new(sample.columns, sample.target, weights, &self.conventions());
        let units = Units {
            intercept: self.intercept,
            kept: &scaled.kept,
            shapes: &scaled.shapes,
            target_mean: scaled.target_mean,
            target_length: scaled.target_length,
            lambda: scaled.target_length,
        };
        let (mut corners, exact) = if self.alpha < 1.0 {
            (self.descend_all(&scaled, end), false)
        } else {
            let first: Vec<usize> = first
                .iter()
                .filter_map(|j| scaled.kept.binary_search(j).ok())
                .collect();
            self.homotopy(&scaled, self.limits(&scaled, end), &first)
        };
        let certain = certain(&corners);
        let cut = certain < corners.len();
        corners.truncate(certain);
        let knots: Vec<Knot> = corners.iter().map(|c| units.knot(c)).collect();
        let asked = match end {
            End::Share(share) => share * knots.first().map_or(0.0, |k| k.lambda),
            End::Lambda(lambda) => lambda,
        };
        LassoPath {
            knots,
            exact,
            dropped: scaled.dropped.clone(),
            unreached: cut.then_some(asked),
        }
    }

    pub(crate) fn limits(&self, scaled: &Scaled, end: End) -> Limits {
        let (end, relative) = match end {
            End::Share(share) => (share, true),
            End::Lambda(lambda) if scaled.target_length > 0.0 => {
                (lambda / scaled.target_length, false)
            }
            End::Lambda(_) => (0.0, false),
        };
        Limits {
            non_negative: self.non_negative,
            end,
            relative,
            corners: 20 * scaled.len().min(scaled.rows()) + 1000,
            saturation: self.saturation.unwrap_or(-1.0),
        }
    }

    /// The exact path; where rounding or length stop it, coordinate descent goes on.
    fn homotopy(&self, scaled: &Scaled, limits: Limits, first: &[usize]) -> (Vec<Corner>, bool) {
        let ScaledPath {
            mut corners,
            finished,
            ..
        } = follow(scaled, limits, first);
        if finished || certain(&corners) < corners.len() {
            return (corners, true);
        }
        let start = corners.first().map_or(0.0, |c| c.mu);
        let reached = corners.last().map_or(start, |c| c.mu);
        let end = limits.end * if limits.relative { start } else { 1.0 };
        let steps = grid(reached, end, self.grid);
        corners.extend(self.descend(scaled, steps.into_iter().skip(1), 1.0));
        (corners, false)
    }

    /// The whole path by coordinate descent.
    fn descend_all(&self, scaled: &Scaled, end: End) -> Vec<Corner> {
        let correlation = if scaled.penalty.contains(&0.0) {
            without_free(scaled)
        } else {
            scaled.correlations()
        };
        let start = correlation
            .iter()
            .zip(&scaled.penalty)
            .filter(|(_, u)| **u > 0.0)
            .map(|(c, u)| if self.non_negative { *c } else { c.abs() } / u)
            .fold(0.0, f64::max)
            / self.alpha;
        let end = match end {
            End::Share(share) => share * start,
            End::Lambda(lambda) if scaled.target_length > 0.0 => lambda / scaled.target_length,
            End::Lambda(_) => 0.0,
        };
        self.descend(scaled, grid(start, end, self.grid).into_iter(), self.alpha)
    }

    fn descend(
        &self,
        scaled: &Scaled,
        steps: impl Iterator<Item = f64>,
        alpha: f64,
    ) -> Vec<Corner> {
        let correlation = scaled.correlations();
        with_gram(scaled, |gram| {
            let mut descent = Descent::new(gram, &correlation, self.non_negative);
            steps
                .map(|mu| {
                    let ridge = |(u, s): (&f64, &super::scaled::Shape)| {
                        mu * (1.0 - alpha) * u * s.scale / s.length
                    };
                    descent.solve(&Penalty {
                        mu,
                        bound: scaled.penalty.iter().map(|u| mu * alpha * u).collect(),
                        ridge: scaled
                            .penalty
                            .iter()
                            .zip(&scaled.shapes)
                            .map(ridge)
                            .collect(),
                    })
                })
                .collect()
        })
    }
}

/// How many corners of a path are there before the first whose optimality doubles do not hold; at least the first.
///
/// Turned into the units of the data and multiplied there, coefficients are rounded by some ε each, which moves the residual of
/// columns of unit length, and so every correlation, by some ε·Σ|θ|. Coefficients of nearly dependent columns grow as λ
/// falls, and beyond some size there are no doubles that are optimal.
fn certain(corners: &[Corner]) -> usize {
    let uncertain = |corner: &Corner| {
        let size: f64 = corner.theta.iter().map(|t| t.abs()).sum();
        corner.violation + ROUNDINGS * f64::EPSILON * size > OPTIMAL
    };
    let first = corners.iter().skip(1).position(uncertain);
    first.map_or(corners.len(), |at| at + 1)
}

/// Correlations left when the columns without penalty are fitted.
fn without_free(scaled: &Scaled) -> Vec<f64> {
    let bound = scaled
        .penalty
        .iter()
        .map(|u| if *u == 0.0 { 0.0 } else { f64::MAX })
        .collect();
    let penalty = Penalty {
        mu: 0.0,
        bound,
        ridge: vec![0.0; scaled.len()],
    };
    let correlation = scaled.correlations();
    with_gram(scaled, |gram| {
        let corner = Descent::new(gram, &correlation, false).solve(&penalty);
        let mut left = correlation.clone();
        for (&j, theta) in corner.active.iter().zip(&corner.theta) {
            for (c, g) in left.iter_mut().zip(gram.column(j)) {
                *c -= theta * g;
            }
        }
        left
    })
}

/// Runs on the complete Gram matrix when it is small, otherwise on columns worked out on demand.
fn with_gram<T>(scaled: &Scaled, run: impl FnOnce(&mut dyn Gram) -> T) -> T {
    if scaled.len() <= COMPLETE {
        run(&mut Complete::of(scaled))
    } else {
        run(&mut OnDemand {
            problem: scaled,
            known: std::collections::BTreeMap::new(),
        })
    }
}

/// Falling values in equal ratios, both ends included.
pub(crate) fn grid(start: f64, end: f64, count: usize) -> Vec<f64> {
    if start <= end || count < 2 || start <= 0.0 {
        return vec![start];
    }
    let low = end.max(1e-12 * start);
    let step = (low / start).ln() / (count - 1) as f64;
    let mut out: Vec<f64> = (0..count - 1)
        .map(|i| start * (step * i as f64).exp())
        .collect();
    out.push(end);
    out
}
