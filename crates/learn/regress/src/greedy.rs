//! Forward–backward greedy selection of columns or of polynomial terms.
//!
//! Zhang, *Adaptive forward-backward greedy algorithm for learning sparse representations* (2011), "FoBa": take the
//! column that lowers the squared error most; then drop columns as long as one costs less than a share (½) of what the
//! step that made the set this large had gained. SPORE-FoBa (Huang et al., NIPS 2010) uses it on polynomial terms.
//!
//! Deviations: how many columns to take is not a threshold on the gain but chosen by cross-validation with folds that
//! keep groups together; gains are exact (the correlation with the part of a column that is new, not with the column);
//! where some columns are dearer than others, gains and losses are divided by the column's expense.
//! Everything is in the units of [`crate::lasso`]'s scaled problem, so columns' units do not matter.

use std::collections::BTreeMap;

use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cholesky::Factor;
use crate::lasso::cross_validation::held_out_errors;
use crate::lasso::descent::OnDemand;
use crate::lasso::estimator::dropped_notes;
use crate::lasso::homotopy::Gram;
use crate::lasso::scaled::{Conventions, Scaled};
use crate::lasso::solve::Sample;
use crate::lasso::{Dropped, Lasso, SparseModel, Standardisation};
use crate::polynomial::{self, Selector, SparsePolynomial};
use crate::sizes::{choose, weighted_folds};

/// A column is a candidate if more than this share of its squared length is new.
const NEW_SHARE: f64 = 1e-9;
/// A gain below this share of the squared target is none.
const GAIN: f64 = 1e-14;
/// Gains this close are equal; the lowest column wins.
const TIE: f64 = 1e-10;

/// Forward–backward selection as an estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Greedy {
    /// Largest degree of a term. With 1 it selects among the columns themselves; above, a lasso first picks the features
    /// whose products become terms, as in [`SparsePolynomial`].
    pub degree: u32,
    /// Most different features in one term.
    pub interactions: usize,
    /// Whether a constant is fitted as well.
    pub intercept: bool,
    /// A column is dropped when that costs less than this share of the gain of the step that made the set this large.
    pub backward: f64,
    /// Most columns taken.
    pub most: usize,
    /// Whether the fewest columns within one standard error of the best are taken instead of the best.
    pub one_standard_error: bool,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// How dear each column is, more than 0: what it gains is divided by that. Empty for all alike.
    pub penalties: Vec<f64>,
}

impl Default for Greedy {
    fn default() -> Self {
        Self {
            degree: 1,
            interactions: 2,
            intercept: true,
            backward: 0.5,
            most: 20,
            one_standard_error: false,
            folds: 10,
            seed: 1,
            penalties: Vec::new(),
        }
    }
}

/// Models of growing size and their cross-validated errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GreedyPath {
    /// The best model found with 0, 1, … columns.
    pub models: Vec<SparseModel>,
    /// Share of the (centred) weighted sum of squares left by each.
    pub unexplained: Vec<f64>,
    /// Mean squared error over the folds for each size.
    pub mean: Vec<f64>,
    /// Its standard error.
    pub standard_error: Vec<f64>,
    /// The size that was chosen.
    pub size: usize,
    /// Columns that took no part.
    pub dropped: Vec<Dropped>,
}

impl GreedyPath {
    /// The model of the size that was chosen.
    pub fn chosen(&self) -> &SparseModel {
        &self.models[self.size]
    }
}

impl Greedy {
    /// Selects among the columns of a design, whatever [`Greedy::degree`] says.
    pub fn path(&self, design: &Checked<Design>) -> Result<GreedyPath, EstimatorError> {
        self.path_of(&Sample::of(design))
    }

    pub(crate) fn path_of(&self, sample: &Sample) -> Result<GreedyPath, EstimatorError> {
        self.validate(sample.columns.count())?;
        let (folds, weights) = weighted_folds(sample, self.folds, self.seed, "greedy")?;
        let (models, unexplained, dropped) = self.select(sample, sample.weights);
        let errors: Vec<Vec<f64>> = folds
            .par_iter()
            .map(|split| {
                let mut weights = sample.weights.to_vec();
                split.test.iter().for_each(|&row| weights[row] = 0.0);
                let mut fold = self.select(sample, &weights).0;
                let last = fold.last().cloned().unwrap_or_default();
                fold.resize(models.len(), last);
                held_out_errors(sample, &split.test, &fold)
            })
            .collect();
        let choice = choose(&errors, &weights, 1e-25, self.one_standard_error);
        Ok(GreedyPath {
            models,
            unexplained,
            mean: choice.mean,
            standard_error: choice.standard_error,
            size: choice.size,
            dropped,
        })
    }

    fn validate(&self, columns: usize) -> Result<(), EstimatorError> {
        let wrong = |parameter, value| {
            Err(EstimatorError::Parameter {
                method: "greedy",
                parameter,
                value,
            })
        };
        if !(0.0..1.0).contains(&self.backward) {
            return wrong("backward", self.backward);
        }
        if self.folds < 2 {
            return wrong("folds", self.folds as f64);
        }
        if !self.penalties.is_empty() && self.penalties.len() != columns {
            return wrong("penalties", self.penalties.len() as f64);
        }
        let positive = |w: &&f64| !(**w > 0.0 && w.is_finite());
        if let Some(&weight) = self.penalties.iter().find(positive) {
            return wrong("penalties", weight);
        }
        Ok(())
    }

    /// The best model of every size, the share of squares each leaves, and the columns left out.
    fn select(
        &self,
        sample: &Sample,
        weights: &[f64],
    ) -> (Vec<SparseModel>, Vec<f64>, Vec<Dropped>) {
        let conventions = Conventions {
            intercept: self.intercept,
            standardisation: Standardisation::None,
            penalties: &self.penalties,
            keep_copies: false,
        };
        let scaled = Scaled::new(sample.columns, sample.target, weights, &conventions);
        let rows = weights.iter().filter(|w| **w > 0.0).count();
        let most = self
            .most
            .min(rows.saturating_sub(1 + usize::from(self.intercept)));
        let mut set = Set::new(&scaled, &self.penalties);
        set.run(most, self.backward);
        let (mut models, mut unexplained) = (Vec::new(), Vec::new());
        for best in set.best {
            let mut model = SparseModel {
                intercept: if self.intercept {
                    scaled.target_mean
                } else {
                    0.0
                },
                coefficients: Vec::new(),
            };
            for (&j, theta) in best.columns.iter().zip(&best.theta) {
                let shape = scaled.shapes[j];
                let beta = theta * scaled.target_length / shape.length;
                model.intercept -= beta * shape.centre;
                model.coefficients.push((scaled.kept[j], beta));
            }
            model.coefficients.sort_unstable_by_key(|c| c.0);
            models.push(model);
            unexplained.push(best.left);
        }
        (models, unexplained, scaled.dropped)
    }
}

/// The best set of one size so far.
struct Best {
    left: f64,
    columns: Vec<usize>,
    theta: Vec<f64>,
}

/// The columns taken so far, in scaled units.
struct Set<'p, 'a> {
    gram: OnDemand<'p, 'a>,
    correlation: Vec<f64>,
    /// What each column's gains and losses are divided by.
    expenses: Vec<f64>,
    active: Vec<usize>,
    factor: Factor,
    /// Gain of the step that made the set as large as each prefix.
    gains: Vec<f64>,
    best: Vec<Best>,
}

impl<'p, 'a> Set<'p, 'a> {
    fn new(scaled: &'p Scaled<'a>, penalties: &[f64]) -> Self {
        let expense = |j: &usize| penalties.get(*j).copied().unwrap_or(1.0);
        Self {
            expenses: scaled.kept.iter().map(expense).collect(),
            gram: OnDemand {
                problem: scaled,
                known: BTreeMap::new(),
            },
            correlation: scaled.correlations(),
            active: Vec::new(),
            factor: Factor::default(),
            gains: Vec::new(),
            best: vec![Best {
                left: 1.0,
                columns: Vec::new(),
                theta: Vec::new(),
            }],
        }
    }

    fn run(&mut self, most: usize, backward: f64) {
        while self.active.len() < most {
            let Some((j, gain)) = self.forward() else {
                return;
            };
            if !self.push(j) {
                return;
            }
            self.gains.push(gain);
            self.keep();
            while let Some(at) = self.backward(backward) {
                self.active.remove(at);
                self.gains.pop();
                self.refactor();
                self.keep();
            }
        }
    }

    fn push(&mut self, j: usize) -> bool {
        self.gram.load(j);
        let column = self.gram.column(j);
        let products: Vec<f64> = self.active.iter().map(|&i| column[i]).collect();
        let fits = self.factor.push(&products, column[j], NEW_SHARE);
        if fits {
            self.active.push(j);
        }
        fits
    }

    fn refactor(&mut self) {
        self.factor = Factor::default();
        for j in std::mem::take(&mut self.active) {
            self.push(j);
        }
    }

    fn theta(&self) -> Vec<f64> {
        let right: Vec<f64> = self.active.iter().map(|&j| self.correlation[j]).collect();
        self.factor.solve(&right)
    }

    /// The column with the largest gain for its expense, and the gain.
    fn forward(&self) -> Option<(usize, f64)> {
        let p = self.correlation.len();
        let mut now = self.correlation.clone();
        for (&j, theta) in self.active.iter().zip(self.theta()) {
            for (c, g) in now.iter_mut().zip(self.gram.column(j)) {
                *c -= theta * g;
            }
        }
        let shares = self.new_shares();
        let gains: Vec<f64> = (0..p)
            .map(|j| {
                if shares[j] > NEW_SHARE && !self.active.contains(&j) {
                    now[j] * now[j] / shares[j]
                } else {
                    0.0
                }
            })
            .collect();
        let worth = |j: usize| {
            if gains[j] > GAIN {
                gains[j] / self.expenses[j]
            } else {
                0.0
            }
        };
        let most = (0..p).map(worth).fold(0.0, f64::max);
        let first = (0..p).find(|&j| worth(j) >= most * (1.0 - TIE))?;
        (most > 0.0).then_some((first, gains[first]))
    }

    /// The share of every column's squared length that the active ones do not explain.
    fn new_shares(&self) -> Vec<f64> {
        let p = self.correlation.len();
        let mut shares = vec![1.0; p];
        // Rows of L⁻¹ G_A·, one active column after the other.
        let mut known: Vec<Vec<f64>> = Vec::with_capacity(self.active.len());
        for (k, &j) in self.active.iter().enumerate() {
            let row = self.factor.row(k);
            let mut next = self.gram.column(j).to_vec();
            for (l, before) in row.iter().zip(&known) {
                for (n, b) in next.iter_mut().zip(before) {
                    *n -= l * b;
                }
            }
            for (n, share) in next.iter_mut().zip(&mut shares) {
                *n /= row[k];
                *share -= *n * *n;
            }
            known.push(next);
        }
        shares
    }

    /// The position of a column whose loss is small against the gain of the last step, the smallest loss first.
    fn backward(&self, share: f64) -> Option<usize> {
        let k = self.active.len();
        let last = *self.gains.last()?;
        let theta = self.theta();
        let loss = |at: usize| {
            let mut unit = vec![0.0; k];
            unit[at] = 1.0;
            theta[at] * theta[at] / self.factor.solve(&unit)[at]
        };
        let losses: Vec<f64> = (0..k).map(loss).collect();
        let worth = |at: usize| losses[at] / self.expenses[self.active[at]];
        let at = (0..k).min_by(|&i, &j| worth(i).total_cmp(&worth(j)).then(i.cmp(&j)))?;
        (losses[at] <= share * last).then_some(at)
    }

    /// Remembers the set if it is the best of its size.
    fn keep(&mut self) {
        let theta = self.theta();
        let explained: f64 = self
            .active
            .iter()
            .zip(&theta)
            .map(|(&j, t)| self.correlation[j] * t)
            .sum();
        let left = (1.0 - explained).max(0.0);
        let size = self.active.len();
        let found = Best {
            left,
            columns: self.active.clone(),
            theta,
        };
        if size == self.best.len() {
            self.best.push(found);
        } else if left < self.best[size].left {
            self.best[size] = found;
        }
    }
}

impl Estimator for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        if self.degree > 1 {
            let default = SparsePolynomial::default();
            let method = SparsePolynomial {
                degree: self.degree,
                interactions: self.interactions,
                selector: Selector::ForwardBackward(self.clone()),
                screen: Lasso {
                    penalties: self.penalties.clone(),
                    ..default.screen.clone()
                },
                ..default
            };
            let polynomial = method.polynomial(design)?;
            return Ok(polynomial::fitted("greedy", design, &polynomial));
        }
        let path = self.path(design)?;
        let model = polynomial::refit(&Sample::of(design), path.chosen(), self.intercept);
        let mut coefficients = vec![
            Coefficient {
                estimate: Some(0.0),
                ..Coefficient::default()
            };
            design.columns.len()
        ];
        for dropped in &path.dropped {
            coefficients[dropped.column].estimate = None;
        }
        for &(column, value) in &model.coefficients {
            coefficients[column].estimate = Some(value);
        }
        let mut fitted = Fitted::linear("greedy", design, model.intercept, coefficients);
        let name = |j: usize| design.columns[j].name.as_str();
        fitted.notes.extend(dropped_notes(&path.dropped, &name));
        Ok(fitted)
    }
}
