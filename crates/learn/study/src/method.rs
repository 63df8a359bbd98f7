//! The methods by name: what each makes of a design, which weights it takes, and the estimator behind it.

use pricetag_estimator::{Estimator, EstimatorError};
use pricetag_evolve::{GeneticProgramming, Limits, Selection};
use pricetag_regress::greedy::Greedy;
use pricetag_regress::lasso::Standardisation;
use pricetag_regress::parsimony::Parsimony as Few;
use pricetag_regress::polynomial::{Selector, SparsePolynomial};
use pricetag_regress::{
    BackwardElimination, ExactSolve, Huber, Lasso, LeastAbsolute, LeastSquares, Logarithmic, Mars,
    NonLinear, NonNegative, Normalised, RunRule, Scaling,
};

use crate::filtered::FilteredFit;
use crate::options::{FitOptions, Weighting, named};
use crate::tuning::{Parsimony, Signs, Tuning};

/// How a cost is learnt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// The one that cross-validation on the training rows is for; see [`crate::fit()`].
    #[default]
    Auto,
    /// Hierarchical prices: what the parts cost, and departures from it.
    Hier,
    /// Prices that sampled runs bear out, and the scale and the constant that fit the times.
    Sampled,
    /// Non-negative least squares over merged buckets.
    Nnls,
    /// Least squares on relative errors.
    Wls,
    /// Ordinary least squares, as R's `lm`.
    Ols,
    /// Least absolute relative errors, prices not below zero: outliers do not pull.
    L1,
    /// Huber's M-estimator: least squares for small residuals, absolute errors for large ones.
    Huber,
    /// Non-negative least squares with errors divided by the total cost of the row's group (Das & Hoffmann 2017).
    Normalised,
    /// Least squares on the columns that backward elimination by AIC keeps, as R's `step`.
    Step,
    /// An exact solution from as many independent runs as there are prices.
    Solve,
    /// The lasso: few prices.
    Lasso,
    /// A scaling law of one or two terms.
    Scaling,
    /// Sparse polynomial regression (Mantis).
    Poly,
    /// The same terms, picked by forward–backward selection.
    Greedy,
    /// Multivariate adaptive regression splines.
    Mars,
    /// Sparse polynomial regression of the cost's logarithm: features multiply.
    LogPoly,
    /// Regression splines of the cost's logarithm.
    LogMars,
    /// Non-linear least squares for a given formula.
    Nls,
    /// Genetic programming: the formula itself is found.
    Gp,
}

/// Rows × columns on which splines of many terms are learnt in a few seconds.
const LOG_CELLS: usize = 40_000;

/// What is known besides the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// How the columns weigh where the method is a lasso; none for all alike.
    pub penalties: Vec<f64>,
    /// Constants of the program's code, for a search.
    pub constants: Vec<f64>,
}

/// What a method makes of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A price per column; aliased ones have none.
    Single,
    /// A price per bucket of columns in fixed proportion.
    Merged,
    /// The same, with what the columns consist of.
    Hierarchical,
    /// A price per column, from samples.
    Sampled,
    /// A formula that is no sum of prices.
    Formula,
}

impl Method {
    /// Every method with its name.
    pub const NAMES: [(&'static str, Self); 20] = [
        ("auto", Self::Auto),
        ("hier", Self::Hier),
        ("sampled", Self::Sampled),
        ("nnls", Self::Nnls),
        ("wls", Self::Wls),
        ("ols", Self::Ols),
        ("l1", Self::L1),
        ("huber", Self::Huber),
        ("normalised", Self::Normalised),
        ("step", Self::Step),
        ("solve", Self::Solve),
        ("lasso", Self::Lasso),
        ("scaling", Self::Scaling),
        ("poly", Self::Poly),
        ("greedy", Self::Greedy),
        ("mars", Self::Mars),
        ("log-poly", Self::LogPoly),
        ("log-mars", Self::LogMars),
        ("nls", Self::Nls),
        ("gp", Self::Gp),
    ];

    /// What `auto` tries, in order of preference.
    pub(crate) const CANDIDATES: [Self; 8] = [
        Self::Hier,
        Self::Sampled,
        Self::Nnls,
        Self::L1,
        Self::Scaling,
        Self::Poly,
        Self::Mars,
        Self::LogMars,
    ];

    /// What `auto` tries when some features are preferred to others.
    pub(crate) const PREFERRING: [Self; 2] = [Self::Poly, Self::Lasso];

    /// Why `auto` should not try the method on a table of this size, where it is slow or hopeless.
    pub(crate) fn unsuited(self, rows: usize, columns: usize) -> Option<String> {
        let (fewest, most) = match self {
            Self::L1 => (0, 400),
            Self::Scaling => (4, 4),
            Self::Poly => (20, 400),
            Self::Mars => (30, 100),
            Self::LogMars => (30, (LOG_CELLS / rows.max(1)).min(100)),
            _ => (0, usize::MAX),
        };
        if rows < fewest {
            return Some(format!("{rows} training rows, it wants {fewest}"));
        }
        (columns > most).then(|| format!("{columns} features, it is slow with more than {most}"))
    }

    /// Whether it is meant for somebody's table: what a program was counted to do is explained by prices first.
    pub(crate) fn is_for_tables(self) -> bool {
        matches!(self, Self::Scaling | Self::LogMars)
    }

    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Ols | Self::Wls | Self::Huber | Self::Step => Shape::Single,
            Self::Nnls | Self::L1 | Self::Normalised | Self::Solve | Self::Lasso => Shape::Merged,
            Self::Auto | Self::Hier => Shape::Hierarchical,
            Self::Sampled => Shape::Sampled,
            Self::Scaling
            | Self::Poly
            | Self::Greedy
            | Self::Mars
            | Self::LogPoly
            | Self::LogMars
            | Self::Nls
            | Self::Gp => Shape::Formula,
        }
    }

    /// Whether the cost is a sum of prices.
    pub fn prices(self) -> bool {
        self.shape() != Shape::Formula
    }

    /// Whether the method can prefer some columns to others.
    pub(crate) fn takes_preference(self) -> bool {
        matches!(self, Self::Lasso | Self::Poly | Self::Greedy)
    }

    /// Whether coefficients are held at zero or above unless that is lifted.
    pub(crate) fn holds_signs(self) -> bool {
        matches!(self, Self::L1 | Self::Lasso)
    }

    /// Whether the method can fit a constant beside the columns.
    pub(crate) fn takes_intercept(self) -> bool {
        matches!(
            self,
            Self::Ols | Self::Wls | Self::Huber | Self::Step | Self::L1 | Self::Lasso
        )
    }

    /// The weights that are used when `asked` for some or for none.
    pub(crate) fn weighting(self, asked: Option<Weighting>) -> Weighting {
        match (self, asked) {
            (Self::Wls, _) => Weighting::Relative,
            (_, Some(weighting)) => weighting,
            (Self::Ols, None) => Weighting::Equal,
            _ => Weighting::Relative,
        }
    }

    /// The estimator of a method other than the hierarchical one, which needs to know what the columns consist of.
    pub(crate) fn estimator(
        self,
        options: &FitOptions,
        known: Known,
    ) -> Result<Box<dyn Estimator>, EstimatorError> {
        let (tuning, seed) = (&options.tuning, options.seed);
        let Known {
            penalties,
            constants,
        } = known;
        let inner: Box<dyn Estimator> = match self {
            Self::Ols | Self::Wls => Box::new(LeastSquares {
                intercept: options.intercept,
                ..LeastSquares::default()
            }),
            Self::Auto | Self::Hier | Self::Sampled | Self::Nnls => Box::new(NonNegative),
            Self::L1 => Box::new(LeastAbsolute {
                intercept: options.intercept,
                non_negative: tuning.signs == Signs::Positive,
            }),
            Self::Huber => Box::new(Huber {
                intercept: options.intercept,
                ..Huber::default()
            }),
            Self::Normalised => Box::new(Normalised(NonNegative)),
            Self::Step => Box::new(BackwardElimination {
                intercept: options.intercept,
                ..BackwardElimination::default()
            }),
            Self::Solve => Box::new(ExactSolve {
                rule: if tuning.paper_runs {
                    RunRule::Correlation
                } else {
                    RunRule::Pivoting
                },
                ..ExactSolve::default()
            }),
            Self::Lasso => Box::new(lasso_of_prices(options, penalties)),
            Self::Scaling => Box::new(Scaling),
            Self::Poly => Box::new(polynomial(self, options, penalties)),
            Self::Greedy => Box::new(SparsePolynomial {
                selector: Selector::ForwardBackward(Greedy {
                    folds: tuning.folds.unwrap_or(Greedy::default().folds),
                    seed,
                    ..Greedy::default()
                }),
                ..polynomial(self, options, penalties)
            }),
            Self::Mars => Box::new(Mars {
                degree: tuning.degree.unwrap_or(2),
                penalty: tuning.penalty,
                step_bases: tuning.steps,
                ..Mars::default()
            }),
            Self::LogPoly => Box::new(Logarithmic {
                name: "log-poly",
                inner: Box::new(polynomial(self, options, penalties)),
            }),
            Self::LogMars => Box::new(Logarithmic {
                name: "log-mars",
                inner: Box::new(Mars {
                    degree: tuning.degree.unwrap_or(3),
                    penalty: tuning.penalty,
                    // Configurations jump, and their measurements are worth small terms, which pruning judges.
                    step_bases: true,
                    threshold: 1e-5,
                    max_terms: Some(101),
                    ..Mars::default()
                }),
            }),
            Self::Nls => Box::new(NonLinear {
                formula: tuning.formula()?,
                start: tuning.start.clone(),
                bounds: tuning.bounds.clone(),
                multistart: tuning.multistart,
                seed,
            }),
            Self::Gp => Box::new(genetic_programming(options, &constants)),
        };
        Ok(match tuning.filter {
            Some(filter) => Box::new(FilteredFit { filter, inner }),
            None => inner,
        })
    }
}

/// The search behind `gp`; `mined` are constants of the program's code, beside those that the user offers.
pub(crate) fn genetic_programming(options: &FitOptions, mined: &[f64]) -> GeneticProgramming {
    let (tuning, default) = (&options.tuning, Limits::default());
    GeneticProgramming {
        seed: options.seed,
        constants: [&tuning.constants, mined].concat(),
        limits: Limits {
            generations: tuning.generations.unwrap_or(default.generations),
            ..default
        },
        selection: if tuning.paper_fitness {
            Selection::Paper
        } else {
            Selection::Pareto
        },
        ..GeneticProgramming::default()
    }
}

/// The lasso behind `lasso`. Prices are never negative, and zero counts cost nothing: no shift, no intercept but the base
/// price. Prices within a few percent are worth having: the path goes further down than is usual.
fn lasso_of_prices(options: &FitOptions, penalties: Vec<f64>) -> Lasso {
    Lasso {
        intercept: options.intercept,
        standardisation: Standardisation::Maximum,
        non_negative: options.tuning.signs == Signs::Positive,
        ratio: Some(1e-5),
        penalties,
        ..lasso(&options.tuning, options.seed)
    }
}

/// The lasso whose path is that of a method: its own, the first step of a polynomial, else that of `lasso`.
pub(crate) fn lasso_of(method: Method, options: &FitOptions, penalties: Vec<f64>) -> Lasso {
    match method {
        Method::Poly | Method::Greedy => polynomial(method, options, penalties).screen,
        _ => lasso_of_prices(options, penalties),
    }
}

fn lasso(tuning: &Tuning, seed: u64) -> Lasso {
    let default = Lasso::default();
    Lasso {
        lambda: tuning.lambda,
        folds: tuning.folds.unwrap_or(default.folds),
        seed,
        ..default
    }
}

fn polynomial(method: Method, options: &FitOptions, penalties: Vec<f64>) -> SparsePolynomial {
    let (tuning, seed) = (&options.tuning, options.seed);
    let default = SparsePolynomial::default();
    let step = Lasso {
        standardisation: Standardisation::Range,
        ..lasso(tuning, seed)
    };
    let selector = if tuning.is_parsimonious() {
        let default = Few::default();
        Selector::Few(Few {
            most: tuning.terms.unwrap_or(default.most),
            one_standard_error: tuning.parsimony == Parsimony::OneStandardError,
            folds: tuning.folds.unwrap_or(default.folds),
            seed,
            relative: method.weighting(options.weighting) != Weighting::Equal,
            ..default
        })
    } else {
        Selector::Lasso(step.clone())
    };
    SparsePolynomial {
        degree: tuning.degree.unwrap_or(default.degree),
        interactions: tuning.interactions.unwrap_or(default.interactions),
        screen: Lasso {
            penalties,
            ..step.clone()
        },
        selector,
        ..default
    }
}

named!(Method, "method");

#[cfg(test)]
mod tests {
    use pricetag_estimator::conformance;

    use super::*;

    /// What a method needs to be told before it can fit the columns of the suite.
    fn options() -> FitOptions {
        let mut options = FitOptions::default();
        options.tuning.formula = Some("k0 + k1*a + k2*b + k3*c".parse().unwrap());
        options.tuning.generations = Some(2);
        options
    }

    #[test]
    fn every_method_that_can_be_named_conforms() {
        for (name, method) in Method::NAMES {
            let estimator = method.estimator(&options(), Known::default()).unwrap();
            // The logarithm in a law is that of the number as it stands, and so of its unit.
            let exempt: &[&str] = match method {
                Method::Scaling => &["scaled columns"],
                _ => &[],
            };
            let found = conformance::violations_except(estimator.as_ref(), exempt);
            assert!(found.is_empty(), "{name}: {found:#?}");
        }
    }
}
