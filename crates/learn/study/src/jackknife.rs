//! Standard errors of prices whose method has none: the delete-a-group jackknife.
//!
//! The fits behind the prediction intervals leave out one fold of groups each. With G folds, b₍g₎ the price without fold g
//! and b̄ their mean, the variance is (G − 1)/G · Σ (b₍g₎ − b̄)², with G − 1 degrees of freedom (Quenouille 1956; Kott 2001,
//! *The delete-a-group jackknife*). It knows nothing of the method, so it serves non-negative, robust and selecting ones
//! alike.
//!
//! Limits: it does not see bias, such as the shrinkage of a lasso; a price at zero in all folds has no error; and where the
//! rows of some fold alone have the feature, or a fold leaves nothing to learn from, there is no error either.

use pricetag_estimator::Bucket;

use crate::learner::Learned;

/// Prices of all columns without each of the folds.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldPrices {
    /// None where nothing could be learnt without the fold.
    folds: Vec<Option<Fold>>,
}

#[derive(Clone, Debug)]
struct Fold {
    prices: Vec<f64>,
    empty: Vec<usize>,
}

impl FoldPrices {
    /// Takes up what was learnt without one more fold, if anything.
    pub fn push(&mut self, learned: Option<&Learned>) {
        self.folds.push(learned.map(|learned| Fold {
            prices: learned.prices.clone(),
            empty: learned.empty.clone(),
        }));
    }

    /// Those of the average that takes a share of every price from another list over the same folds.
    #[must_use]
    pub fn mixed(&self, other: &Self, share: f64) -> Self {
        let mix = |(mine, theirs): (&Option<Fold>, &Option<Fold>)| {
            let (mine, theirs) = (mine.as_ref()?, theirs.as_ref()?);
            let both = mine.prices.iter().zip(&theirs.prices);
            Some(Fold {
                prices: both.map(|(m, t)| (1.0 - share) * m + share * t).collect(),
                empty: mine.empty.clone(),
            })
        };
        Self {
            folds: self.folds.iter().zip(&other.folds).map(mix).collect(),
        }
    }

    /// Standard error of a bucket's price per unit of its first member, and its degrees of freedom.
    pub fn std_error(&self, bucket: &Bucket) -> Option<(f64, u32)> {
        let folds: Vec<&Fold> = self
            .folds
            .iter()
            .map(Option::as_ref)
            .collect::<Option<_>>()?;
        let groups = folds.len();
        let lead = bucket.members[0];
        // Empty columns stand in order.
        if groups < 2 || folds.iter().any(|f| f.empty.binary_search(&lead).is_ok()) {
            return None;
        }
        let of = |fold: &Fold| -> f64 {
            let members = bucket.members.iter().zip(&bucket.ratios);
            members.map(|(&m, ratio)| fold.prices[m] * ratio).sum()
        };
        let found: Vec<f64> = folds.into_iter().map(of).collect();
        let mean = found.iter().sum::<f64>() / groups as f64;
        let squares: f64 = found.iter().map(|b| (b - mean).powi(2)).sum();
        let variance = (groups - 1) as f64 / groups as f64 * squares;
        (variance > 0.0).then(|| (variance.sqrt(), (groups - 1) as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folds(prices: &[Option<f64>]) -> FoldPrices {
        let fold = |price: f64| Fold {
            prices: vec![price, 7.0],
            empty: vec![1],
        };
        FoldPrices {
            folds: prices.iter().map(|p| p.map(fold)).collect(),
        }
    }

    fn bucket(member: usize) -> Bucket {
        Bucket {
            members: vec![member],
            ratios: vec![1.0],
        }
    }

    #[test]
    fn the_error_of_a_mean_is_that_of_the_textbook() {
        // Means without one of 2, 4, 6, 8: the jackknife gives s / sqrt(n), with s² = 20 / 3.
        let means = [6.0, 16.0 / 3.0, 14.0 / 3.0, 4.0].map(Some);
        let (error, df) = folds(&means).std_error(&bucket(0)).unwrap();
        assert!(
            (error - (20.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-12,
            "{error}"
        );
        assert_eq!(df, 3);
    }

    #[test]
    fn folds_that_say_nothing_leave_no_error() {
        assert_eq!(
            folds(&[Some(1.0), None, Some(2.0)]).std_error(&bucket(0)),
            None
        );
        assert_eq!(folds(&[Some(1.0), Some(2.0)]).std_error(&bucket(1)), None);
        assert_eq!(folds(&[Some(1.0)]).std_error(&bucket(0)), None);
    }

    #[test]
    fn averages_are_of_the_same_fold() {
        let (mine, theirs) = (
            folds(&[Some(1.0), None, Some(3.0)]),
            folds(&[Some(3.0), Some(9.0), None]),
        );
        let mixed = mine.mixed(&theirs, 0.25);
        let first: Vec<Option<f64>> = mixed
            .folds
            .iter()
            .map(|f| f.as_ref().map(|f| f.prices[0]))
            .collect();
        assert_eq!(first, [Some(1.5), None, None]);
    }
}
