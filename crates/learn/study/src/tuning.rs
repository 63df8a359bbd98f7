//! What a method can be told besides the data.

use std::collections::BTreeMap;

use pricetag_cost_model::Formula;
use pricetag_estimator::EstimatorError;
use pricetag_regress::lasso::Lambda;

use crate::options::named;

/// Choices that only some methods know; given to another they are refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuning {
    /// `lasso`, `poly`, `greedy`: which λ is taken.
    pub lambda: Lambda,
    /// `l1`, `lasso`: whether coefficients may be below zero.
    pub signs: Signs,
    /// `lasso`, `poly`, `greedy`: folds of the cross-validation that finds it and the number of terms; 10 by default.
    pub folds: Option<usize>,
    /// `poly`: whether the formula is to predict best, or to have as few terms as predict about as well.
    pub parsimony: Parsimony,
    /// `poly`: most terms of the formula.
    pub terms: Option<usize>,
    /// `poly`, `greedy`, `mars`: largest degree of a term.
    pub degree: Option<u32>,
    /// `poly`, `greedy`: most different features in one term.
    pub interactions: Option<usize>,
    /// `mars`: price of a knot.
    pub penalty: Option<f64>,
    /// `mars`: tries steps as well as hinges.
    pub steps: bool,
    /// `nls`: the formula; names that are no features are parameters.
    pub formula: Option<Formula>,
    /// `nls`: first values of parameters.
    pub start: BTreeMap<String, f64>,
    /// `nls`: bounds of parameters.
    pub bounds: BTreeMap<String, (f64, f64)>,
    /// `nls`: further searches from random starts.
    pub multistart: u32,
    /// `gp`: constants offered from outside.
    pub constants: Vec<f64>,
    /// `gp`: generations at most.
    pub generations: Option<u32>,
    /// `gp`: whether the fitness is the paper's instead of a front of error and complexity.
    pub paper_fitness: bool,
    /// `solve`: whether runs are picked by the paper's rule of correlation instead of by pivoting.
    pub paper_runs: bool,
    /// Which columns are left out before the fit, because others say nearly the same.
    pub filter: Option<Filter>,
}

/// Which signs coefficients may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// None below zero, the constant neither: prices.
    #[default]
    Positive,
    /// Any: coefficients as other programs give them.
    Free,
}

impl Signs {
    /// Every choice with its name.
    pub const NAMES: [(&'static str, Self); 2] =
        [("positive", Self::Positive), ("free", Self::Free)];
}

named!(Signs, "choice of signs");

/// Which of several formulas is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parsimony {
    /// The one with the least cross-validated error.
    #[default]
    Least,
    /// The one with the fewest terms within one standard error of the least.
    OneStandardError,
}

impl Parsimony {
    /// Every rule with its name.
    pub const NAMES: [(&'static str, Self); 2] =
        [("least", Self::Least), ("1se", Self::OneStandardError)];
}

named!(Parsimony, "rule");

/// A filter against collinear columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filter {
    /// Pairwise correlation at most this (Lata 2016).
    Correlation(f64),
    /// Variance inflation at most this.
    Inflation(f64),
}

impl Tuning {
    /// Whether fewer terms are asked for than predict best.
    pub(crate) fn is_parsimonious(&self) -> bool {
        self.parsimony != Parsimony::Least || self.terms.is_some()
    }

    /// In words, for the provenance.
    pub fn describe(&self) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        let mut say = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                out.insert(name.to_owned(), value);
            }
        };
        let default = Self::default();
        say(
            "lambda",
            (self.lambda != default.lambda).then(|| format!("{:?}", self.lambda).to_lowercase()),
        );
        say(
            "parsimony",
            (self.parsimony != default.parsimony).then(|| self.parsimony.to_string()),
        );
        say(
            "signs",
            (self.signs != default.signs).then(|| self.signs.to_string()),
        );
        say("terms", self.terms.map(|v| v.to_string()));
        say("folds", self.folds.map(|v| v.to_string()));
        say("degree", self.degree.map(|v| v.to_string()));
        say("interactions", self.interactions.map(|v| v.to_string()));
        say("penalty", self.penalty.map(|v| v.to_string()));
        say("steps", self.steps.then(|| "true".to_owned()));
        say("formula", self.formula.as_ref().map(Formula::text));
        say("start", listed(&self.start, f64::to_string));
        say(
            "bounds",
            listed(&self.bounds, |(low, high)| format!("{low}..{high}")),
        );
        say(
            "multistart",
            (self.multistart > 0).then(|| self.multistart.to_string()),
        );
        let constants: Vec<String> = self.constants.iter().map(f64::to_string).collect();
        say(
            "constants",
            (!constants.is_empty()).then(|| constants.join(",")),
        );
        say("generations", self.generations.map(|v| v.to_string()));
        say(
            "fitness",
            self.paper_fitness.then(|| "as in the paper".to_owned()),
        );
        say("runs", self.paper_runs.then(|| "by correlation".to_owned()));
        say(
            "filter",
            self.filter.map(|filter| match filter {
                Filter::Correlation(most) => format!("correlation at most {most}"),
                Filter::Inflation(most) => format!("variance inflation at most {most}"),
            }),
        );
        out
    }

    /// The formula that `nls` fits.
    pub(crate) fn formula(&self) -> Result<Formula, EstimatorError> {
        self.formula.clone().ok_or_else(|| EstimatorError::Request {
            method: "nls",
            reason: "a formula is needed, such as k1*n*log(n) + k2".into(),
        })
    }
}

fn listed<V>(values: &BTreeMap<String, V>, text: impl Fn(&V) -> String) -> Option<String> {
    let parts: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name}={}", text(value)))
        .collect();
    (!parts.is_empty()).then(|| parts.join(","))
}
