//! One method applied to some rows of a table: buckets, fit, and prices carried back to the single features.
//!
//! The same steps serve the final fit, the folds behind prediction intervals and the alternatives, so that what is
//! judged is what is delivered.

use pricetag_cost_model::{Diagnostic, LinearSummary};
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_estimator::{
    Bucket, Buckets, Checked, Coefficient, Design, Estimator, EstimatorError, Table,
    relative_weights,
};

use crate::options::{FitOptions, Method, Weighting};
use pricetag_regress::hier::Hierarchical;
use pricetag_regress::hierarchy::Hierarchy;
use pricetag_regress::nnls::NonNegative;
use pricetag_regress::ols::LeastSquares;
use pricetag_regress::shrinkage::Shrinkage;

/// A method, ready to learn from rows of one table.
pub(crate) struct Learner<'a> {
    /// The table's design, all rows.
    pub design: &'a Checked<Design>,
    /// Kind of each column.
    pub kinds: Vec<FeatureKind>,
    /// What each column consists of.
    pub hierarchy: Hierarchy,
    /// Never [`Method::Auto`].
    pub method: Method,
    weighting: Weighting,
    intercept: bool,
}

/// What was learnt from some rows.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    /// Buckets over the columns of the table; the first member is the most telling one.
    pub buckets: Vec<Bucket>,
    /// Columns that are zero in the rows learnt from.
    pub empty: Vec<usize>,
    /// One per bucket.
    pub coefficients: Vec<Coefficient>,
    /// Price of every single column of the table, as the formula has it.
    pub prices: Vec<f64>,
    /// Price that every single column would have from its parts alone.
    pub priors: Vec<Option<f64>>,
    pub intercept: f64,
    pub summary: Option<LinearSummary>,
    pub shrinkage: Option<Shrinkage>,
    pub notes: Vec<Diagnostic>,
}

impl Learned {
    /// Predictions for some rows of the table.
    pub fn predict(&self, design: &Design, rows: &[usize]) -> Vec<f64> {
        let mut all = vec![self.intercept; design.rows()];
        for (column, &price) in design.columns.iter().zip(&self.prices) {
            if price != 0.0 {
                column.values.add_to(price, &mut all);
            }
        }
        rows.iter().map(|&r| all[r]).collect()
    }
}

impl<'a> Learner<'a> {
    pub fn new(
        dataset: &Dataset,
        table: &Table,
        design: &'a Checked<Design>,
        method: Method,
        options: &FitOptions,
    ) -> Self {
        let kinds: Vec<FeatureKind> = table
            .features
            .iter()
            .map(|f| dataset.features[f.0 as usize].kind)
            .collect();
        let hierarchy = Hierarchy::of(dataset, &table.features);
        let method = match method {
            Method::Auto if hierarchy.has_parts() => Method::Hier,
            Method::Auto => Method::Nnls,
            method => method,
        };
        let weighting = match (method, options.weighting) {
            (Method::Wls, _) => Weighting::Relative,
            (_, Some(weighting)) => weighting,
            (Method::Ols, None) => Weighting::Equal,
            _ => Weighting::Relative,
        };
        let intercept = options.intercept && matches!(method, Method::Ols | Method::Wls);
        Self {
            design,
            kinds,
            hierarchy,
            method,
            weighting,
            intercept,
        }
    }

    /// Weighted rows.
    pub fn rows(&self, rows: &[usize]) -> Result<Checked<Design>, EstimatorError> {
        let subset = self.design.subset(rows)?;
        let weights = match self.weighting {
            Weighting::Relative => relative_weights(&subset.target),
            Weighting::Equal => return Ok(subset),
        };
        Ok(subset.reweighted(weights)?)
    }

    /// Learns; `shrinkage` found earlier is used again instead of being chosen anew.
    pub fn learn(
        &self,
        rows: &[usize],
        shrinkage: Option<&Shrinkage>,
    ) -> Result<Learned, EstimatorError> {
        let design = self.rows(rows)?;
        let mut found = Buckets::of(&design);
        if self.method != Method::Ols && self.method != Method::Wls {
            for bucket in &mut found.buckets {
                self.lead_by_base(bucket);
            }
        }
        match self.method {
            Method::Ols | Method::Wls => self.least_squares(&design, found),
            Method::Hier => self.hierarchical(&design, found, shrinkage),
            _ => self.non_negative(&design, found),
        }
    }

    /// A bucket with the base price or a cold count in it is known by that.
    fn lead_by_base(&self, bucket: &mut Bucket) {
        let rank = |m: usize| match self.kinds[m] {
            FeatureKind::Base => 0,
            FeatureKind::Cold => 1,
            _ => 2,
        };
        let Some(lead) = (0..bucket.members.len()).min_by_key(|&i| (rank(bucket.members[i]), i))
        else {
            return;
        };
        let member = bucket.members.remove(lead);
        let ratio = bucket.ratios.remove(lead);
        bucket.members.insert(0, member);
        bucket.ratios.insert(0, ratio);
        for r in &mut bucket.ratios {
            *r /= ratio;
        }
    }

    /// R's fit: every column on its own, dependent ones `NA`.
    fn least_squares(
        &self,
        design: &Checked<Design>,
        found: Buckets,
    ) -> Result<Learned, EstimatorError> {
        let fitted = LeastSquares {
            intercept: self.intercept,
            ..LeastSquares::default()
        }
        .fit(design)?;
        let prices = fitted
            .coefficients
            .iter()
            .map(|c| c.estimate.unwrap_or(0.0))
            .collect();
        let lead = |b: &Bucket| {
            let determined = b
                .members
                .iter()
                .find(|&&m| fitted.coefficients[m].estimate.is_some());
            fitted.coefficients[*determined.unwrap_or(&b.members[0])].clone()
        };
        Ok(Learned {
            coefficients: found.buckets.iter().map(lead).collect(),
            buckets: found.buckets,
            empty: found.empty,
            prices,
            priors: vec![None; design.columns.len()],
            intercept: fitted.intercept,
            summary: fitted.summary,
            shrinkage: None,
            notes: fitted.notes,
        })
    }

    fn merged(
        design: &Checked<Design>,
        buckets: &[Bucket],
    ) -> Result<Checked<Design>, EstimatorError> {
        let merged = Design {
            columns: buckets
                .iter()
                .map(|b| design.columns[b.members[0]].clone())
                .collect(),
            labels: design.labels.clone(),
            groups: design.groups.clone(),
            target: design.target.clone(),
            weights: design.weights.clone(),
        };
        Ok(merged.check()?)
    }

    fn non_negative(
        &self,
        design: &Checked<Design>,
        found: Buckets,
    ) -> Result<Learned, EstimatorError> {
        let fitted = NonNegative.fit(&Self::merged(design, &found.buckets)?)?;
        let mut prices = vec![0.0; design.columns.len()];
        for (bucket, coefficient) in found.buckets.iter().zip(&fitted.coefficients) {
            self.share_out(
                bucket,
                coefficient.estimate.unwrap_or(0.0),
                None,
                &mut prices,
            );
        }
        Ok(Learned {
            buckets: found.buckets,
            empty: found.empty,
            coefficients: fitted.coefficients,
            prices,
            priors: vec![None; design.columns.len()],
            intercept: 0.0,
            summary: None,
            shrinkage: None,
            notes: fitted.notes,
        })
    }

    fn hierarchical(
        &self,
        design: &Checked<Design>,
        found: Buckets,
        shrinkage: Option<&Shrinkage>,
    ) -> Result<Learned, EstimatorError> {
        let merged = Self::merged(design, &found.buckets)?;
        let hierarchy = self.hierarchy.merged(&found.buckets);
        let estimator = Hierarchical {
            hierarchy,
            shrinkage: shrinkage.cloned(),
            certainty: shrinkage.is_none(),
        };
        let outcome = estimator.solve(&merged)?;
        let priors = self.hierarchy.priors(&outcome.part_prices);
        let mut prices = vec![0.0; design.columns.len()];
        for (bucket, coefficient) in found.buckets.iter().zip(&outcome.fitted.coefficients) {
            self.share_out(
                bucket,
                coefficient.estimate.unwrap_or(0.0),
                Some(&priors),
                &mut prices,
            );
        }
        for &column in &found.empty {
            prices[column] = priors[column].unwrap_or(0.0);
        }
        Ok(Learned {
            buckets: found.buckets,
            empty: found.empty,
            coefficients: outcome.fitted.coefficients,
            prices,
            priors,
            intercept: 0.0,
            summary: None,
            shrinkage: Some(outcome.shrinkage),
            notes: outcome.fitted.notes,
        })
    }

    /// Shares a bucket's price out to its members: by their priors where there are any, else in equal parts. The base
    /// price keeps what its companions' priors leave.
    fn share_out(
        &self,
        bucket: &Bucket,
        price: f64,
        priors: Option<&[Option<f64>]>,
        prices: &mut [f64],
    ) {
        let expected: Vec<f64> = bucket
            .members
            .iter()
            .zip(&bucket.ratios)
            .map(|(&m, ratio)| ratio * priors.map_or(0.0, |p| p[m].unwrap_or(0.0)))
            .collect();
        let total: f64 = expected.iter().sum();
        let free = matches!(
            self.kinds[bucket.members[0]],
            FeatureKind::Base | FeatureKind::Cold
        );
        let count = bucket.members.len() as f64;
        for (i, (&m, ratio)) in bucket.members.iter().zip(&bucket.ratios).enumerate() {
            let share = match (free, total > 0.0) {
                (true, true) => {
                    let companions = total.min(price);
                    let rest = if i == 0 { price - companions } else { 0.0 };
                    rest + companions * expected[i] / total
                }
                (true, false) => {
                    if i == 0 {
                        price
                    } else {
                        0.0
                    }
                }
                (false, true) => price * expected[i] / total,
                (false, false) => price / count,
            };
            prices[m] = share / ratio;
        }
    }
}
