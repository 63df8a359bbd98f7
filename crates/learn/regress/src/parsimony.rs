//! Few columns with coefficients that are not negative: the sparsest model that predicts about as well as the best.
//!
//! Forward–backward selection (Zhang 2011; see [`crate::greedy`]) in which every set of columns is fitted by non-negative
//! least squares, as in non-negative matching pursuit (Bruckstein, Elad & Zibulevsky 2008): a column enters by the square
//! of its correlation with the residual over its new length, the most promising ones are compared by the error they
//! leave, and a column that costs less than half of the last gain leaves again. How many columns are taken is decided by
//! cross-validation with folds that keep groups together: the least error, or the fewest columns within one standard
//! error of it (Breiman et al. 1984, §3.4.3). The coefficients are those of least squares on the chosen columns, so
//! nothing is shrunk; where errors are relative, those of least absolute errors (see [`Parsimony::relative`]).
//!
//! Where some columns are dearer than others, gains and losses are divided by the expense of the column they are due to.
//!
//! Works on normal equations of columns of unit length, hence with half the digits, but for the coefficients delivered.
//! The constant is a column that is always in the set; it, too, is not negative.

use faer::Mat;
use pricetag_estimator::{Column, Design, Estimator, EstimatorError, Values, relative_weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cholesky::Factor;
use crate::lasso::SparseModel;
use crate::lasso::gram::square;
use crate::lasso::solve::Sample;
use crate::nnls::{from_gram, nnls};
use crate::robust::LeastAbsolute;
use crate::sizes::{choose, weighted_folds};

/// Columns whose error is worked out before one of them enters.
const COMPARED: usize = 8;
/// A column is a candidate if more than this share of its squared length is new.
const NEW_SHARE: f64 = 1e-9;
/// A gain below this share of the squared target is none.
const GAIN: f64 = 1e-10;
/// A column leaves when that costs at most this share of the last gain.
const BACKWARD: f64 = 0.5;

/// How few columns are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsimony {
    /// Most columns taken.
    pub most: usize,
    /// Whether the fewest columns within one standard error of the least error are taken, instead of those with it.
    pub one_standard_error: bool,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// How dear each column is, more than 0: what it gains is divided by that. Empty for all alike.
    pub penalties: Vec<f64>,
    /// Whether the design's weights make errors relative to the cost ([`relative_weights`]). The chosen columns then get
    /// the coefficients of least absolute errors relative to the predicted cost. Errors relative to what was measured
    /// make a cost that came out low weigh more than one that came out high, and few columns that leave a fifth of
    /// the costs unexplained predict a tenth too low.
    pub relative: bool,
}

impl Default for Parsimony {
    fn default() -> Self {
        Self {
            most: 20,
            one_standard_error: true,
            folds: 10,
            seed: 1,
            penalties: Vec::new(),
            relative: false,
        }
    }
}

/// Models of growing size and their cross-validated errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// Mean squared error over the folds with at most 0, 1, … columns, under the design's weights.
    pub mean: Vec<f64>,
    /// Its standard error.
    pub standard_error: Vec<f64>,
    /// The size with the least error.
    pub best: usize,
    /// The size that was chosen.
    pub size: usize,
    /// The model of the size that was chosen.
    pub model: SparseModel,
}

impl Parsimony {
    /// Penalty weights of the constant, which every set has, and of some columns; none for all alike.
    fn penalties_of(&self, candidates: &[usize]) -> Result<Vec<f64>, EstimatorError> {
        if self.penalties.is_empty() {
            return Ok(Vec::new());
        }
        let weights = candidates.iter().map(|&j| self.penalties.get(j).copied());
        let weights: Vec<f64> = weights.map(|w| w.unwrap_or(f64::NAN)).collect();
        if let Some(&value) = weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
            return Err(EstimatorError::Parameter {
                method: "parsimony",
                parameter: "penalties",
                value,
            });
        }
        Ok(std::iter::once(1.0).chain(weights).collect())
    }

    /// The models of all sizes, and the one the rule takes, of some of the columns.
    pub(crate) fn choose(
        &self,
        sample: &Sample,
        candidates: &[usize],
    ) -> Result<Sizes, EstimatorError> {
        let penalties = self.penalties_of(candidates)?;
        let rows = |weights: &[f64]| weights.iter().filter(|w| **w > 0.0).count();
        let (folds, weights) = weighted_folds(sample, self.folds.max(2), self.seed, "parsimony")?;
        let table = Weighted::new(sample, candidates);
        // Every row with weight is held out once: the folds' equations add up to those of all rows.
        let parts: Vec<Equations> = folds
            .par_iter()
            .map(|split| table.part(&split.test).equations())
            .collect();
        let most = self.most.min(rows(sample.weights).saturating_sub(2)).max(1);
        let sets = Equations::sum(parts.iter(), penalties.clone()).select(most);
        let errors: Vec<Vec<f64>> = (0..folds.len())
            .into_par_iter()
            .zip(&weights)
            .map(|(fold, total)| {
                let held = &parts[fold];
                let others = parts.iter().enumerate().filter(|(f, _)| *f != fold);
                let others = Equations::sum(others.map(|(_, part)| part), penalties.clone());
                let sets = others.select(most);
                sets.iter().map(|set| held.error(set) / total).collect()
            })
            .collect();
        let choice = choose(&errors, &weights, GAIN, self.one_standard_error);
        let model = table.exactly(&sets[choice.size].columns, candidates);
        Ok(Sizes {
            model: if self.relative {
                centred(model, sample)?
            } else {
                model
            },
            mean: choice.mean,
            standard_error: choice.standard_error,
            best: choice.best,
            size: choice.size,
        })
    }
}

/// The constant, then the columns, with weighted rows and of unit length; and the weighted costs.
struct Weighted {
    columns: Mat<f64>,
    target: Vec<f64>,
    lengths: Vec<f64>,
}

impl Weighted {
    fn new(sample: &Sample, candidates: &[usize]) -> Self {
        let rows = sample.columns.rows();
        let roots: Vec<f64> = sample.weights.iter().map(|w| w.sqrt()).collect();
        let mut columns = Mat::zeros(rows, candidates.len() + 1);
        let mut lengths = Vec::with_capacity(columns.ncols());
        let mut scratch = vec![0.0; rows];
        for j in 0..columns.ncols() {
            let to = columns.col_as_slice_mut(j);
            match j.checked_sub(1) {
                None => to.copy_from_slice(&roots),
                Some(at) => {
                    let from = sample.columns.view(candidates[at], &mut scratch);
                    for ((t, f), r) in to.iter_mut().zip(from).zip(&roots) {
                        *t = f * r;
                    }
                }
            }
            let length = to.iter().map(|v| v * v).sum::<f64>().sqrt();
            if length > 0.0 {
                for v in to {
                    *v /= length;
                }
            }
            lengths.push(length);
        }
        let target = sample
            .target
            .iter()
            .zip(&roots)
            .map(|(y, r)| y * r)
            .collect();
        Self {
            columns,
            target,
            lengths,
        }
    }

    /// Some of the rows.
    fn part(&self, rows: &[usize]) -> Self {
        Self {
            columns: Mat::from_fn(rows.len(), self.columns.ncols(), |i, j| {
                self.columns[(rows[i], j)]
            }),
            target: rows.iter().map(|&r| self.target[r]).collect(),
            lengths: self.lengths.clone(),
        }
    }

    fn equations(&self) -> Equations {
        let product = |j: usize| {
            let column = self.columns.col_as_slice(j);
            column.iter().zip(&self.target).map(|(x, y)| x * y).sum()
        };
        Equations {
            gram: square(self.columns.as_ref()),
            right: (0..self.columns.ncols()).map(product).collect(),
            target: self.target.iter().map(|y| y * y).sum(),
            penalties: Vec::new(),
        }
    }

    /// Non-negative least squares on some columns, with all digits.
    fn exactly(&self, set: &[usize], candidates: &[usize]) -> SparseModel {
        let chosen = Mat::from_fn(self.columns.nrows(), set.len(), |i, k| {
            self.columns[(i, set[k])]
        });
        let mut model = SparseModel::default();
        for (&j, x) in set.iter().zip(nnls(&chosen, &self.target).x) {
            match j.checked_sub(1) {
                None => model.intercept = x / self.lengths[0],
                Some(at) if x > 0.0 => {
                    let coefficient = x / self.lengths[j];
                    model.coefficients.push((candidates[at], coefficient));
                }
                Some(_) => {}
            }
        }
        model.coefficients.sort_unstable_by_key(|c| c.0);
        model
    }
}

/// The same columns with the coefficients of least absolute errors relative to what a model predicts, not negative.
///
/// By the optimality of these, about as many costs come out above their prediction as below: weighed by their coefficients
/// the columns add up to the prediction, which their errors are divided by.
fn centred(model: SparseModel, sample: &Sample) -> Result<SparseModel, EstimatorError> {
    if model.coefficients.is_empty() {
        return Ok(model);
    }
    let rows = sample.columns.rows();
    let mut predicted = vec![model.intercept; rows];
    let mut columns = Vec::with_capacity(model.coefficients.len());
    let mut scratch = vec![0.0; rows];
    for &(j, coefficient) in &model.coefficients {
        let values = sample.columns.view(j, &mut scratch).to_vec();
        for (p, v) in predicted.iter_mut().zip(&values) {
            *p += coefficient * v;
        }
        columns.push(Column {
            name: j.to_string(),
            values: Values::Dense(values),
        });
    }
    let mut design = Design::new(columns, sample.target.to_vec());
    design.weights = relative_weights(&predicted);
    for (weight, own) in design.weights.iter_mut().zip(sample.weights) {
        if *own == 0.0 {
            *weight = 0.0;
        }
    }
    let fitted = LeastAbsolute {
        intercept: true,
        non_negative: true,
    }
    .fit(&design.check()?)?;
    let priced = model.coefficients.iter().zip(&fitted.coefficients);
    let kept = priced.filter_map(|(&(j, _), c)| Some((j, c.estimate.filter(|x| *x > 0.0)?)));
    Ok(SparseModel {
        intercept: fitted.intercept,
        coefficients: kept.collect(),
    })
}

/// A set of columns and its non-negative coefficients. The first column is the constant.
#[derive(Clone, Debug, Default)]
struct Set {
    columns: Vec<usize>,
    x: Vec<f64>,
}

/// The normal equations: `XᵀX`, `Xᵀy` and `yᵀy`; and how dear each column is, all alike where that is empty.
#[derive(Clone, Debug)]
struct Equations {
    gram: Mat<f64>,
    right: Vec<f64>,
    target: f64,
    penalties: Vec<f64>,
}

impl Equations {
    /// The equations of several parts. What is wanted is added up instead of taking away what is not, so no digits are
    /// lost where one part outweighs the others (as in `lasso/folds.rs`).
    fn sum<'a>(parts: impl Iterator<Item = &'a Self>, penalties: Vec<f64>) -> Self {
        let mut sum = Self {
            gram: Mat::zeros(0, 0),
            right: Vec::new(),
            target: 0.0,
            penalties,
        };
        for part in parts {
            if sum.right.is_empty() {
                sum.gram = part.gram.clone();
                sum.right.clone_from(&part.right);
            } else {
                sum.gram += &part.gram;
                for (to, from) in sum.right.iter_mut().zip(&part.right) {
                    *to += from;
                }
            }
            sum.target += part.target;
        }
        sum
    }

    /// A change of the error, per expense of the column that brings it about.
    fn per_expense(&self, change: f64, column: usize) -> f64 {
        change / self.penalties.get(column).copied().unwrap_or(1.0)
    }

    /// Squared error of a set's predictions.
    fn error(&self, set: &Set) -> f64 {
        let mut error = self.target;
        for (&i, x) in set.columns.iter().zip(&set.x) {
            let mut product = -2.0 * self.right[i];
            for (&j, z) in set.columns.iter().zip(&set.x) {
                product += self.gram[(i, j)] * z;
            }
            error += x * product;
        }
        error.max(0.0)
    }

    /// Non-negative least squares on some columns; those that get nothing are left out, the constant excepted.
    fn fitted(&self, columns: &[usize]) -> Set {
        let k = columns.len();
        let gram = Mat::from_fn(k, k, |a, b| self.gram[(columns[a], columns[b])]);
        let right: Vec<f64> = columns.iter().map(|&j| self.right[j]).collect();
        let start: Vec<usize> = (0..k).collect();
        let mut set = Set::default();
        for (&j, x) in columns.iter().zip(from_gram(&gram, &right, &start)) {
            if x > 0.0 || j == 0 {
                set.columns.push(j);
                set.x.push(x.max(0.0));
            }
        }
        set
    }

    /// The best set found with at most 0, 1, … `most` columns besides the constant.
    fn select(&self, most: usize) -> Vec<Set> {
        let mut now = self.fitted(&[0]);
        let mut error = self.error(&now);
        let mut best = vec![(error, now.clone())];
        // Every round lowers the error by more than it is given back, so none comes twice; the bound is for rounding.
        for _ in 0..4 * most {
            let Some((lower, next)) = self.forward(&now, error) else {
                break;
            };
            let gain = error - lower;
            if gain <= GAIN * self.target {
                break;
            }
            (error, now) = (lower, next);
            keep(&mut best, error, &now);
            while let Some((higher, fewer)) = self.backward(&now, error) {
                if higher - error > BACKWARD * gain {
                    break;
                }
                (error, now) = (higher, fewer);
                keep(&mut best, error, &now);
            }
            if now.columns.len() > most {
                break;
            }
        }
        let mut sets = Vec::with_capacity(most + 1);
        for size in 0..=most {
            let within = best
                .iter()
                .take(size + 1)
                .filter(|b| !b.1.columns.is_empty());
            if let Some((_, set)) = within.min_by(|a, b| a.0.total_cmp(&b.0)) {
                sets.push(set.clone());
            }
        }
        sets
    }

    /// The set with the most useful further column, and its error; `before` is the error without one.
    fn forward(&self, now: &Set, before: f64) -> Option<(f64, Set)> {
        let mut factor = Factor::default();
        let mut inside: Vec<usize> = Vec::new();
        for &j in &now.columns {
            let products: Vec<f64> = inside.iter().map(|&i| self.gram[(i, j)]).collect();
            if factor.push(&products, self.gram[(j, j)], NEW_SHARE) {
                inside.push(j);
            }
        }
        let mut promising: Vec<(f64, usize)> = (1..self.right.len())
            .filter(|j| !now.columns.contains(j))
            .filter_map(|j| {
                let gain = self.gain(now, &factor, &inside, j)?;
                Some((self.per_expense(gain, j), j))
            })
            .collect();
        promising.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        promising.truncate(COMPARED);
        let tried = promising.into_iter().map(|(_, j)| {
            let mut columns = now.columns.clone();
            columns.push(j);
            let set = self.fitted(&columns);
            let error = self.error(&set);
            (self.per_expense(before - error, j), (error, set))
        });
        // Of equal ones the first, as promising ones are sorted.
        let best = tried.reduce(|a, b| if b.0 > a.0 { b } else { a });
        best.map(|(_, found)| found)
    }

    /// What a column would explain if the bounds of the others did not matter; none if its coefficient would be negative.
    fn gain(&self, now: &Set, factor: &Factor, inside: &[usize], j: usize) -> Option<f64> {
        let own = self.gram[(j, j)];
        let taken = now.columns.iter().zip(&now.x);
        let left = self.right[j] - taken.map(|(&i, x)| self.gram[(i, j)] * x).sum::<f64>();
        let products: Vec<f64> = inside.iter().map(|&i| self.gram[(i, j)]).collect();
        let known: f64 = factor
            .solve(&products)
            .iter()
            .zip(&products)
            .map(|(s, p)| s * p)
            .sum();
        let new = own - known;
        (left > 0.0 && own > 0.0 && new > NEW_SHARE * own).then(|| left * left / new)
    }

    /// The set without the column that is missed least, and its error; `before` is the error with it.
    fn backward(&self, now: &Set, before: f64) -> Option<(f64, Set)> {
        let fewer = (0..now.columns.len())
            .filter(|&at| now.columns[at] != 0)
            .map(|at| {
                let mut columns = now.columns.clone();
                let column = columns.remove(at);
                let set = self.fitted(&columns);
                let error = self.error(&set);
                (self.per_expense(error - before, column), (error, set))
            });
        let least = fewer.min_by(|a, b| a.0.total_cmp(&b.0));
        least.map(|(_, found)| found)
    }
}

/// Remembers a set if it is the best of its size.
fn keep(best: &mut Vec<(f64, Set)>, error: f64, set: &Set) {
    let size = set.columns.iter().filter(|j| **j != 0).count();
    if best.len() <= size {
        best.resize(size + 1, (f64::INFINITY, Set::default()));
    }
    if error < best[size].0 {
        best[size] = (error, set.clone());
    }
}
