//! Training rows predicted by models that did not see their group.

use pricetag_estimator::folds_by_group;

use crate::jackknife::FoldPrices;
use crate::learner::{Learned, Learner};
use crate::study::Study;

/// Folds behind the prediction intervals.
pub(crate) const FOLDS: usize = 10;

/// Rows predicted by models that did not see their group, and the prices of these models.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrossValidated {
    /// Rows of the design, fold by fold.
    pub rows: Vec<usize>,
    /// (measured, predicted), parallel to the rows; NaN where nothing could be learnt without the row's fold, so that
    /// methods are compared on the same rows.
    pub pairs: Vec<(f64, f64)>,
    /// Prices without each fold.
    pub folds: FoldPrices,
}

impl Study<'_> {
    /// Predicts each of some rows from those of the other folds.
    pub fn cross_validate(
        &self,
        learner: &Learner,
        learned: &Learned,
        rows: &[usize],
    ) -> CrossValidated {
        let [found] = self.cross_validate_all([learner], learned, rows);
        found
    }

    /// The same for several learners that differ only in what they make of prepared rows.
    pub fn cross_validate_all<const N: usize>(
        &self,
        learners: [&Learner; N],
        learned: &Learned,
        rows: &[usize],
    ) -> [CrossValidated; N] {
        let groups: Vec<String> = rows
            .iter()
            .map(|&r| self.design.groups[r].clone())
            .collect();
        let mut found: [CrossValidated; N] = std::array::from_fn(|_| CrossValidated::default());
        for fold in folds_by_group(&groups, FOLDS, self.options.seed) {
            let train: Vec<usize> = fold.train.iter().map(|&i| rows[i]).collect();
            let test: Vec<usize> = fold.test.iter().map(|&i| rows[i]).collect();
            let prepared = learners[0].prepare(&train).ok();
            for (found, learner) in found.iter_mut().zip(learners) {
                let learn = |rows| learner.learn_from(rows, learned.shrinkage.as_ref()).ok();
                let part = prepared.as_ref().and_then(learn);
                found.folds.push(part.as_ref());
                let predicted = part.map_or_else(
                    || vec![f64::NAN; test.len()],
                    |part| self.plausible(part.predict(learner.design, &test)),
                );
                let measured = test.iter().map(|&r| self.design.target[r]);
                found.pairs.extend(measured.zip(predicted));
                found.rows.extend(&test);
            }
        }
        found
    }
}
