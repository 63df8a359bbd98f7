//! One method applied to some rows of a table: buckets, fit, and prices carried back to the single features.
//!
//! The same steps serve the final fit, the folds behind prediction intervals and the alternatives, so that what is
//! judged is what is delivered.

use std::collections::BTreeMap;

use pricetag_cost_model::{Diagnostic, Formula, LinearSummary};
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_estimator::{
    Bucket, Buckets, Checked, Coefficient, Design, EstimatorError, Fitted, Table, relative_weights,
};
use pricetag_regress::{Hierarchical, Hierarchy, Outcome, PartsAlone, Shrinkage};

use crate::method::{Known, Method, Shape, genetic_programming};
use crate::mined;
use crate::options::{FitOptions, Weighting};
use crate::preference::{expenses, lead_by_cheapest};
use crate::world::World;

/// A method, ready to learn from rows of one table.
#[derive(Clone)]
pub(crate) struct Learner<'a> {
    /// Where the table comes from.
    pub dataset: &'a Dataset,
    /// Observation of each row of the design.
    pub observations: &'a [usize],
    /// The table's design, all rows.
    pub design: &'a Checked<Design>,
    /// Kind of each column.
    pub kinds: Vec<FeatureKind>,
    /// What each column consists of.
    pub hierarchy: Hierarchy,
    /// Never [`Method::Auto`].
    pub method: Method,
    weighting: Weighting,
    options: &'a FitOptions,
    world: &'a World<'a>,
    /// Penalty weight of each column, where some are preferred.
    expenses: Option<Vec<f64>>,
    /// Constants of the program's code that a search is offered.
    pub constants: Vec<f64>,
    /// Share of hierarchical prices that comes from the parts alone, 0 … 1.
    pub blend: f64,
    /// Whether what is learnt now is delivered, and not one of many fits behind an interval or a comparison.
    main: bool,
}

/// Rows made ready for a method.
pub(crate) struct Prepared {
    /// Rows of the table's design.
    rows: Vec<usize>,
    design: Checked<Design>,
    found: Buckets,
    /// The columns by bucket and what the buckets consist of, for hierarchical prices.
    merged: Option<(Checked<Design>, Hierarchy)>,
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
    /// Price of every single column of the table; zeros when the cost is no sum of prices.
    pub prices: Vec<f64>,
    /// The cost, when it is no sum of prices.
    pub formula: Option<Formula>,
    /// Price that every single column would have from its parts alone.
    pub priors: Vec<Option<f64>>,
    pub intercept: f64,
    pub summary: Option<LinearSummary>,
    pub shrinkage: Option<Shrinkage>,
    pub notes: Vec<Diagnostic>,
}

impl Learned {
    /// Predictions for some rows of the table; NaN where a formula has no value.
    pub fn predict(&self, design: &Design, rows: &[usize]) -> Vec<f64> {
        if let Some(formula) = &self.formula {
            return evaluate(formula, design, rows);
        }
        let mut all = vec![self.intercept; design.rows()];
        for (column, &price) in design.columns.iter().zip(&self.prices) {
            if price != 0.0 {
                column.values.add_to(price, &mut all);
            }
        }
        rows.iter().map(|&r| all[r]).collect()
    }
}

/// Values of a formula over the columns, NaN where it has none.
pub(crate) fn evaluate(formula: &Formula, design: &Design, rows: &[usize]) -> Vec<f64> {
    let wanted = formula.features();
    let columns: BTreeMap<&str, Vec<f64>> = design
        .columns
        .iter()
        .filter(|c| wanted.contains(&c.name.as_str()))
        .map(|c| (c.name.as_str(), c.values.to_dense(design.rows())))
        .collect();
    let at = |row: usize| {
        formula
            .evaluate(&|name| columns.get(name).map(|values| values[row]))
            .unwrap_or(f64::NAN)
    };
    rows.iter().map(|&row| at(row)).collect()
}

impl<'a> Learner<'a> {
    pub fn new(
        dataset: &'a Dataset,
        table: &'a Table,
        design: &'a Checked<Design>,
        method: Method,
        options: &'a FitOptions,
        world: &'a World<'a>,
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
        Self {
            dataset,
            observations: &table.observations,
            design,
            kinds,
            hierarchy,
            method,
            weighting: method.weighting(options.weighting),
            options,
            world,
            expenses: options.prefer.map(|_| expenses(dataset, table)),
            constants: if method == Method::Gp {
                mined::offered(dataset, design)
            } else {
                Vec::new()
            },
            blend: 0.0,
            main: false,
        }
    }

    /// The same for the fit that is delivered.
    pub fn main(&self) -> Self {
        Self {
            main: true,
            ..self.clone()
        }
    }

    /// The same with another share of prices from the parts alone.
    pub fn blended(&self, blend: f64) -> Self {
        Self {
            blend,
            ..self.clone()
        }
    }

    /// The cost that is learnt.
    pub fn target(&self) -> &'a str {
        &self.options.target
    }

    /// Nominal coverage of intervals.
    pub fn confidence(&self) -> f64 {
        self.options.level_of_intervals
    }

    /// Weighted rows.
    pub fn rows(&self, rows: &[usize]) -> Result<Checked<Design>, EstimatorError> {
        let subset = self.design.subset(rows)?;
        let weights = match self.weighting {
            Weighting::Relative => relative_weights(&subset.target),
            Weighting::Root => {
                let relative = relative_weights(&subset.target);
                relative.into_iter().map(f64::sqrt).collect()
            }
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
        self.learn_from(&self.prepare(rows)?, shrinkage)
    }

    /// Weighted rows with their buckets: the same whatever is learnt from them by one method.
    pub fn prepare(&self, rows: &[usize]) -> Result<Prepared, EstimatorError> {
        let design = self.rows(rows)?;
        let found = self.buckets(&design);
        let merged = if self.method.shape() == Shape::Hierarchical {
            let hierarchy = self.hierarchy.merged(&found.buckets);
            Some((found.merge(&design).check()?, hierarchy))
        } else {
            None
        };
        Ok(Prepared {
            rows: rows.to_vec(),
            design,
            found,
            merged,
        })
    }

    /// Learns from what [`Self::prepare`] made.
    pub fn learn_from(
        &self,
        prepared: &Prepared,
        shrinkage: Option<&Shrinkage>,
    ) -> Result<Learned, EstimatorError> {
        let (design, found) = (&prepared.design, || prepared.found.clone());
        match (self.method.shape(), &prepared.merged) {
            (Shape::Hierarchical, Some((merged, hierarchy))) => {
                self.hierarchical(prepared, merged, hierarchy, shrinkage)
            }
            (Shape::Sampled, _) => self.sampled(&prepared.rows, design, found()),
            (Shape::Single, _) => self.single(design, found()),
            (Shape::Formula, _) => self.whole(design, found()),
            (Shape::Merged | Shape::Hierarchical, _) => self.merged(design, found()),
        }
    }

    /// The buckets of some rows, each led by the column it is to be known by.
    pub fn buckets(&self, design: &Checked<Design>) -> Buckets {
        let mut found = Buckets::of(design);
        if let Some(expenses) = &self.expenses {
            for bucket in &mut found.buckets {
                lead_by_cheapest(bucket, expenses);
            }
        }
        let is_priced = matches!(self.method.shape(), Shape::Merged | Shape::Hierarchical);
        if is_priced && self.expenses.is_none() {
            for bucket in &mut found.buckets {
                self.lead_by_base(bucket);
            }
        }
        found
    }

    /// The penalty weights of the buckets' columns; none for all alike.
    pub fn penalties(&self, buckets: &Buckets) -> Vec<f64> {
        let leads = buckets.buckets.iter().map(|b| b.members[0]);
        let weights = self.expenses.iter();
        leads
            .flat_map(|j| weights.clone().map(move |e| e[j]))
            .collect()
    }

    fn estimate(
        &self,
        design: &Checked<Design>,
        penalties: Vec<f64>,
    ) -> Result<Fitted, EstimatorError> {
        if self.method == Method::Gp && self.options.tuning.filter.is_none() {
            let search = genetic_programming(self.options, &self.constants);
            return self.world.evolve(&search, design, self.main);
        }
        let known = Known {
            penalties,
            constants: self.constants.clone(),
        };
        self.method.estimator(self.options, known)?.fit(design)
    }

    /// The cost as one formula that is no sum of prices. Columns that never vary explain nothing and are left out. Where
    /// some columns are preferred, the cheapest of each bucket stands for it.
    fn whole(&self, design: &Checked<Design>, found: Buckets) -> Result<Learned, EstimatorError> {
        let fitted = if self.expenses.is_some() {
            let merged = found.merge(design).check()?;
            self.estimate(&merged, self.penalties(&found))?
        } else {
            self.estimate(design, Vec::new())?
        };
        Ok(Learned {
            buckets: Vec::new(),
            empty: found.empty,
            coefficients: Vec::new(),
            prices: vec![0.0; design.columns.len()],
            formula: Some(fitted.formula),
            priors: vec![None; design.columns.len()],
            intercept: 0.0,
            summary: fitted.summary,
            shrinkage: None,
            notes: fitted.notes,
        })
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
        bucket.lead_by(lead);
    }

    /// R's fit: every column on its own, dependent ones `NA`.
    fn single(&self, design: &Checked<Design>, found: Buckets) -> Result<Learned, EstimatorError> {
        let fitted = self.estimate(design, Vec::new())?;
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
            formula: None,
            priors: vec![None; design.columns.len()],
            intercept: fitted.intercept,
            summary: fitted.summary,
            shrinkage: None,
            notes: fitted.notes,
        })
    }

    /// Prices of merged buckets, shared out to their members.
    fn merged(&self, design: &Checked<Design>, found: Buckets) -> Result<Learned, EstimatorError> {
        let merged = found.merge(design).check()?;
        let fitted = self.estimate(&merged, self.penalties(&found))?;
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
            formula: None,
            priors: vec![None; design.columns.len()],
            intercept: fitted.intercept,
            summary: None,
            shrinkage: None,
            notes: fitted.notes,
        })
    }

    fn hierarchical(
        &self,
        prepared: &Prepared,
        merged: &Checked<Design>,
        hierarchy: &Hierarchy,
        shrinkage: Option<&Shrinkage>,
    ) -> Result<Learned, EstimatorError> {
        let alone = PartsAlone {
            hierarchy: hierarchy.clone(),
        };
        if self.blend >= 1.0 {
            return Ok(self.carried_back(prepared, alone.solve(merged)?));
        }
        let departing = Hierarchical {
            hierarchy: hierarchy.clone(),
            shrinkage: shrinkage.cloned(),
            certainty: shrinkage.is_none() || self.main,
        };
        let own = self.carried_back(prepared, departing.solve(merged)?);
        if self.blend <= 0.0 {
            return Ok(own);
        }
        let alone = self.carried_back(prepared, alone.solve(merged)?);
        Ok(own.mixed(&alone, self.blend))
    }

    /// Prices of buckets, and of what was never used, carried back to the single columns.
    fn carried_back(&self, prepared: &Prepared, outcome: Outcome) -> Learned {
        let found = &prepared.found;
        let priors = self.hierarchy.priors(&outcome.part_prices);
        let mut prices = vec![0.0; prepared.design.columns.len()];
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
        Learned {
            buckets: found.buckets.clone(),
            empty: found.empty.clone(),
            coefficients: outcome.fitted.coefficients,
            prices,
            formula: None,
            priors,
            intercept: 0.0,
            summary: None,
            shrinkage: outcome.shrinkage,
            notes: outcome.fitted.notes,
        }
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
        // Where early features are preferred the earliest has the whole price: the others need not be known.
        let free = self.expenses.is_some()
            || matches!(
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
