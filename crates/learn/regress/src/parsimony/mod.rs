//! Few columns with coefficients that are not negative: the sparsest model that predicts about as well as the best.
//!
//! Forward–backward selection (Zhang 2011; see [`crate::greedy`]) in which every set of columns is fitted by non-negative
//! least squares, as in non-negative matching pursuit (Bruckstein, Elad & Zibulevsky 2008): a column enters by the square
//! of its correlation with the residual over its new length, the most promising ones are compared by the error they
//! leave, and a column that costs less than half of the last gain leaves again. Then every column of the set is exchanged
//! for a better one as long as there is one (sequential replacement; Miller 2002, ch. 3): the first columns of a set were
//! the best ones alone, and seldom are in company. How many columns are taken is decided by
//! cross-validation with folds that keep groups together: the least error, or the fewest columns within one standard
//! error of it (Breiman et al. 1984, §3.4.3). The coefficients are those of least squares on the chosen columns, so
//! nothing is shrunk; where errors are relative, those of least absolute errors (see [`Parsimony::relative`]).
//!
//! Where some columns are dearer than others, gains and losses are divided by the expense of the column they are due to.
//!
//! Works on normal equations of columns of unit length, hence with half the digits, but for the coefficients delivered
//! and the errors of cross-validation. The constant is a column that is always in the set; it, too, is not negative.

mod equations;
mod weighted;

use pricetag_estimator::{Column, Design, Estimator, EstimatorError, Values, relative_weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::lasso::SparseModel;
use crate::lasso::solve::Sample;
use crate::robust::LeastAbsolute;
use crate::sizes::{choose, weighted_folds};
use equations::{Equations, GAIN};
use weighted::Weighted;

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
        let held: Vec<&[usize]> = folds.iter().map(|split| split.test.as_slice()).collect();
        let table = Weighted::new(sample, candidates, &held);
        let most = self.most.min(rows(sample.weights).saturating_sub(2)).max(1);
        let mut learnt_from: Vec<_> = table.folds.iter().cloned().map(Some).collect();
        learnt_from.push(None);
        let mut paths: Vec<Vec<_>> = learnt_from
            .into_par_iter()
            .map(|held| Equations::new(&table, held, &penalties).select(most))
            .collect();
        let sets = paths.pop().unwrap_or_default();
        let errors: Vec<Vec<f64>> = paths
            .iter()
            .zip(&table.folds)
            .zip(&weights)
            .map(|((sets, fold), total)| {
                let errors = sets.iter().map(|set| table.error(set, fold) / total);
                errors.collect()
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
