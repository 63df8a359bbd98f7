//! Standard errors of prices whose method has none: the delete-a-group jackknife.
//!
//! The fits behind the prediction intervals leave out one fold of groups each. With G folds, b₍g₎ the price without fold g
//! and b̄ their mean, the variance is (G − 1)/G · Σ (b₍g₎ − b̄)², with G − 1 degrees of freedom (Quenouille 1956; Kott 2001,
//! *The delete-a-group jackknife*). It knows nothing of the method, so it serves non-negative, robust and selecting ones
//! alike.
//!
//! Limits: it does not see bias, such as the shrinkage of a lasso; a price at zero in all folds has no error; and where the
//! rows of some fold alone have the feature, there is no error either.

use pricetag_estimator::Bucket;

use crate::learner::Learned;

/// Prices of all columns without each of the folds.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldPrices {
    folds: Vec<Fold>,
}

#[derive(Clone, Debug)]
struct Fold {
    prices: Vec<f64>,
    empty: Vec<usize>,
}

impl FoldPrices {
    /// Takes up what was learnt without one more fold.
    pub fn push(&mut self, learned: &Learned) {
        self.folds.push(Fold {
            prices: learned.prices.clone(),
            empty: learned.empty.clone(),
        });
    }

    /// Those of the average that takes a share of every price from another list; none where some fold has one of both only.
    #[must_use]
    pub fn mixed(&self, other: &Self, share: f64) -> Self {
        if self.folds.len() != other.folds.len() {
            return Self::default();
        }
        let mix = |(mine, theirs): (&Fold, &Fold)| Fold {
            prices: (mine.prices.iter().zip(&theirs.prices))
                .map(|(mine, theirs)| (1.0 - share) * mine + share * theirs)
                .collect(),
            empty: mine.empty.clone(),
        };
        Self {
            folds: self.folds.iter().zip(&other.folds).map(mix).collect(),
        }
    }

    /// Standard error of a bucket's price per unit of its first member, and its degrees of freedom.
    pub fn std_error(&self, bucket: &Bucket) -> Option<(f64, u32)> {
        let groups = self.folds.len();
        let lead = bucket.members[0];
        if groups < 2 || self.folds.iter().any(|f| f.empty.contains(&lead)) {
            return None;
        }
        let of = |fold: &Fold| -> f64 {
            let members = bucket.members.iter().zip(&bucket.ratios);
            members.map(|(&m, ratio)| fold.prices[m] * ratio).sum()
        };
        let found: Vec<f64> = self.folds.iter().map(of).collect();
        let mean = found.iter().sum::<f64>() / groups as f64;
        let squares: f64 = found.iter().map(|b| (b - mean).powi(2)).sum();
        let variance = (groups - 1) as f64 / groups as f64 * squares;
        (variance > 0.0).then(|| (variance.sqrt(), (groups - 1) as u32))
    }
}
