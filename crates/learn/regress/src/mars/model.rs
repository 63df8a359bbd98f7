//! What MARS found: terms, how well they fit, and which variables matter.

use pricetag_cost_model::Formula;

use super::term::{Term, formula};

/// Why the forward pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// There was room for no more terms.
    MaxTerms,
    /// The next terms would have raised R² by less than the threshold.
    SmallGain,
    /// R² reached one minus the threshold.
    Explained,
    /// The generalised R² became absurd.
    PoorGrsq,
    /// No term would have lowered the residual sum of squares.
    NoGain,
    /// The target is constant.
    Constant,
}

/// The best subset of one size that the backward pass saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Subset {
    /// Indices into [`MarsModel::forward`], ascending.
    pub terms: Vec<usize>,
    /// Its residual sum of squares.
    pub rss: f64,
    /// Its generalised cross-validation criterion; infinite when it has more parameters than rows.
    pub gcv: f64,
}

/// How much one variable matters: over the subsets up to the chosen size, as `earth`'s `evimp` counts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Importance {
    /// Index of the variable among the columns of the design.
    pub variable: usize,
    /// In how many of these subsets the variable occurs.
    pub subsets: u32,
    /// Root of the GCV that the subsets with the variable gained; the best variable has 100, a loss is negative.
    pub gcv: f64,
    /// The same of the residual sum of squares.
    pub rss: f64,
}

/// A fitted MARS model.
#[derive(Clone, Debug, PartialEq)]
pub struct MarsModel {
    /// The chosen terms, intercept first, in the order of the forward pass.
    pub terms: Vec<Term>,
    /// All terms of the forward pass with the coefficients they would have together.
    pub forward: Vec<Term>,
    /// The best subset of every size, from the intercept alone to all of `forward`.
    pub subsets: Vec<Subset>,
    /// Which subset was chosen: the first with the smallest GCV.
    pub chosen: usize,
    /// Residual sum of squares, weighted if the rows weigh differently.
    pub rss: f64,
    /// Share of the sum of squares explained.
    pub r_squared: f64,
    /// Generalised cross-validation criterion.
    pub gcv: f64,
    /// The share of the intercept's GCV that the terms took away: an estimate of R² on new rows.
    pub grsq: f64,
    /// Variables that occur, most important first.
    pub importance: Vec<Importance>,
    /// Why the forward pass ended.
    pub stopped: Stopped,
}

impl MarsModel {
    /// Prediction, given the value of each variable.
    pub fn predict(&self, variable: &dyn Fn(usize) -> f64) -> f64 {
        self.terms.iter().map(|t| t.value(variable)).sum()
    }

    /// The model as a formula over the columns' names.
    pub fn formula(&self, names: &[&str]) -> Formula {
        formula(&self.terms, names)
    }
}

/// One minus a ratio, zero when within 1e-5 of it, as `earth` prints it.
pub(super) fn explained(left: f64, whole: f64) -> f64 {
    let share = 1.0 - left / whole;
    if share.abs() < 1e-5 || share.is_nan() {
        0.0
    } else {
        share
    }
}

/// Importance of the variables in the subsets up to `chosen`.
pub(super) fn importance(
    subsets: &[Subset],
    chosen: usize,
    variables_of: &[Vec<usize>],
) -> Vec<Importance> {
    let count = variables_of
        .iter()
        .flatten()
        .max()
        .map_or(0, |last| last + 1);
    let mut found: Vec<Importance> = (0..count)
        .map(|variable| Importance {
            variable,
            subsets: 0,
            gcv: 0.0,
            rss: 0.0,
        })
        .collect();
    for pair in subsets[..=chosen].windows(2) {
        let inside: std::collections::BTreeSet<usize> = pair[1]
            .terms
            .iter()
            .flat_map(|&t| variables_of[t].iter().copied())
            .collect();
        for variable in inside {
            found[variable].subsets += 1;
            found[variable].gcv += pair[0].gcv - pair[1].gcv;
            found[variable].rss += pair[0].rss - pair[1].rss;
        }
    }
    found.retain(|i| i.subsets > 0);
    found.sort_by(|a, b| b.subsets.cmp(&a.subsets).then(b.gcv.total_cmp(&a.gcv)));
    let largest =
        |of: fn(&Importance) -> f64| found.iter().map(of).fold(0.0, |m, v| v.abs().max(m));
    let (gcv, rss) = (largest(|i| i.gcv), largest(|i| i.rss));
    let percent = |value: f64, largest: f64| {
        if largest > 0.0 {
            100.0 * (value.abs() / largest).sqrt().copysign(value)
        } else {
            value
        }
    };
    for i in &mut found {
        i.gcv = percent(i.gcv, gcv);
        i.rss = percent(i.rss, rss);
    }
    found
}
