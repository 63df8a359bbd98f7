//! The estimator: checks the request, searches from every start, keeps the best, says when not to trust it.

use std::collections::BTreeMap;

use pricetag_cost_model::{Diagnostic, Formula, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted, Qr};

use super::marquardt::{
    Ending, Evaluation, LeastSquaresProblem as _, Minimum, Search, sum_of_squares,
};
use super::model::Model;
use super::starts;
use super::summary::NonLinearFit;

/// Name of the method.
pub const METHOD: &str = "nls";

/// Iterations of one search.
const ITERATIONS: u32 = 1000;

/// First radii of the trust region: MINPACK's, and a careful one for starts from which a long step leads astray.
const RADII: [f64; 2] = [100.0, 0.1];

/// Last steps at most.
const POLISH: usize = 8;

/// A last step that changes no parameter by more than this share is the last one.
const SETTLED: f64 = 1e-12;

/// Above this relative offset R's `nls` does not speak of convergence.
const OFFSET: f64 = 1e-5;

/// Non-linear least squares for a formula whose names that are no columns are parameters; weighted by the design.
#[derive(Clone, Debug, PartialEq)]
pub struct NonLinear {
    /// The formula.
    pub formula: Formula,
    /// First values of parameters. Those in which the formula is linear need none.
    pub start: BTreeMap<String, f64>,
    /// Lower and upper bounds; infinite where there is none.
    pub bounds: BTreeMap<String, (f64, f64)>,
    /// Further searches from random starts.
    pub multistart: u32,
    /// Seed of the random starts.
    pub seed: u64,
}

impl NonLinear {
    /// A formula without starts and bounds.
    pub fn new(formula: Formula) -> Self {
        Self {
            formula,
            start: BTreeMap::new(),
            bounds: BTreeMap::new(),
            multistart: 0,
            seed: 0,
        }
    }

    /// The same with a start value.
    #[must_use]
    pub fn starting(mut self, name: &str, value: f64) -> Self {
        self.start.insert(name.to_owned(), value);
        self
    }

    /// The same with bounds of a parameter.
    #[must_use]
    pub fn within(mut self, name: &str, lower: f64, upper: f64) -> Self {
        self.bounds.insert(name.to_owned(), (lower, upper));
        self
    }

    /// Fits, with everything known about the parameters.
    pub fn solve(&self, design: &Checked<Design>) -> Result<NonLinearFit, EstimatorError> {
        let model = Model::new(&self.formula, design)?;
        let bounds = self.parameter_bounds(&model)?;
        let start = self.first_values(&model, &bounds, design)?;
        let needed = model.parameters.len().max(1);
        if model.rows() < needed {
            return Err(EstimatorError::TooFewRows {
                method: METHOD,
                needed,
                rows: model.rows(),
            });
        }
        let mut found = Vec::new();
        search(&model, &start, &bounds, &mut found);
        for start in starts::random(&start, &bounds, self.multistart, self.seed) {
            search(&model, &start, &bounds, &mut found);
        }
        let searches = found.len() as u32;
        let best = best(&found).ok_or_else(|| not_finite(&start, &model))?;
        let polished = polish(&model, best, &bounds);
        let near = |m: &&Minimum| m.rss - best.rss <= 1e-6 * best.rss;
        let agreeing = found.iter().filter(near).count() as u32;
        let weighted = design.weights.iter().any(|w| *w != 1.0);
        let fit = NonLinearFit::new(&self.formula, &model, &polished, &bounds, weighted);
        Ok(NonLinearFit {
            searches,
            agreeing,
            ..fit
        })
    }

    fn parameter_bounds(&self, model: &Model) -> Result<Vec<(f64, f64)>, EstimatorError> {
        for (name, (lower, upper)) in &self.bounds {
            if !model.parameters.contains(name) {
                return Err(request(format!(
                    "`{name}` has bounds but is no parameter of the formula"
                )));
            }
            if lower.is_nan() || upper.is_nan() || lower > upper {
                return Err(request(format!(
                    "the bounds {lower} … {upper} of `{name}` are not in order"
                )));
            }
        }
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let of = |name| self.bounds.get(name).copied().unwrap_or(free);
        Ok(model.parameters.iter().map(of).collect())
    }

    fn first_values(
        &self,
        model: &Model,
        bounds: &[(f64, f64)],
        design: &Design,
    ) -> Result<Vec<f64>, EstimatorError> {
        for (name, value) in &self.start {
            if !model.parameters.contains(name) {
                let column = design.columns.iter().any(|c| c.name == *name);
                let what = if column {
                    "is a column"
                } else {
                    "does not occur in the formula"
                };
                return Err(request(format!("`{name}` has a start value but {what}")));
            }
            if !value.is_finite() {
                return Err(request(format!(
                    "the start value {value} of `{name}` is not finite"
                )));
            }
        }
        let mut start = Vec::new();
        let mut missing = Vec::new();
        for (j, name) in model.parameters.iter().enumerate() {
            let (lower, upper) = bounds[j];
            let middle = match (lower.is_finite(), upper.is_finite()) {
                (true, true) if lower > 0.0 => (lower * upper).sqrt(),
                (true, true) => f64::midpoint(lower, upper),
                _ => 1.0,
            };
            let known = self.start.contains_key(name)
                || model.linear[j]
                || self.multistart > 0
                || lower.is_finite() && upper.is_finite();
            if !known {
                missing.push(name.as_str());
            }
            let value = self.start.get(name).copied().unwrap_or(middle);
            start.push(value.clamp(lower, upper));
        }
        if missing.is_empty() {
            Ok(start)
        } else {
            Err(request(unknown(&missing, design)))
        }
    }
}

impl Estimator for NonLinear {
    fn name(&self) -> &'static str {
        METHOD
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let fit = self.solve(design)?;
        if !fit.formula.is_finite() {
            return Err(EstimatorError::Numerical {
                method: METHOD,
                reason: "an estimate is not finite".into(),
            });
        }
        Ok(Fitted {
            method: METHOD,
            notes: notes(&fit),
            formula: fit.formula,
            coefficients: Vec::new(),
            intercept: 0.0,
            summary: Some(fit.table),
        })
    }
}

/// Searches from one start, and from it with its linear parameters solved for; unless both agree also with the careful
/// radius.
fn search(model: &Model, start: &[f64], bounds: &[(f64, f64)], found: &mut Vec<Minimum>) {
    let better = starts::solved(model, start, bounds);
    let starts: Vec<Vec<f64>> = std::iter::once(start.to_vec()).chain(better).collect();
    let from = found.len();
    for radius in RADII {
        for start in &starts {
            let search = Search {
                bounds,
                radius,
                iterations: ITERATIONS,
            };
            found.push(search.minimise(model, start));
        }
        let new = &found[from..];
        let settled = |m: &Minimum| {
            m.ending == Ending::Converged && (m.rss - new[0].rss).abs() <= 1e-9 * new[0].rss
        };
        if new.len() > 1 && new.iter().all(settled) {
            break;
        }
    }
}

/// The smallest sum of squares; among equals the first.
fn best(found: &[Minimum]) -> Option<&Minimum> {
    let finite = found.iter().filter(|m| m.rss.is_finite());
    finite.reduce(|a, b| if b.rss < a.rss { b } else { a })
}

/// A few Gauss–Newton steps: near the minimum the sum of squares is level to rounding while the gradient still is not.
fn polish(model: &Model, best: &Minimum, bounds: &[(f64, f64)]) -> Minimum {
    let mut at = best.clone();
    if at.ending != Ending::Converged {
        return at;
    }
    let mut left = f64::INFINITY;
    let mut here = model.at(&at.parameters);
    let mut there = Evaluation::default();
    for _ in 0..POLISH {
        let norms: Vec<f64> = here
            .jacobian
            .iter()
            .map(|c| sum_of_squares(c).sqrt())
            .collect();
        let inside = |&j: &usize| bounds[j].0 < at.parameters[j] && at.parameters[j] < bounds[j].1;
        let free: Vec<usize> = (0..norms.len())
            .filter(|j| norms[*j] > 0.0 && norms[*j].is_finite() && inside(j))
            .collect();
        let scaled = |&j: &usize| here.jacobian[j].iter().map(|x| x / norms[j]).collect();
        let columns = free.iter().map(scaled).collect();
        let qr = Qr::new(columns, here.residuals.clone(), 1e-11);
        let step = qr.solve();
        let length = sum_of_squares(&step);
        if qr.rank < free.len() || length.is_nan() || length >= 0.5 * left {
            break;
        }
        left = length;
        let mut next = at.clone();
        let mut moved = 0.0_f64;
        for (&k, z) in qr.pivot.iter().zip(step) {
            let (value, by) = (&mut next.parameters[free[k]], z / norms[free[k]]);
            moved = moved.max((by / *value).abs());
            *value += by;
        }
        model.evaluate(&next.parameters, &mut there);
        next.rss = sum_of_squares(&there.residuals);
        let allowed = next
            .parameters
            .iter()
            .zip(bounds)
            .all(|(x, b)| (b.0..=b.1).contains(x));
        if !allowed || next.rss.is_nan() || next.rss > at.rss * (1.0 + 1e-13) {
            break;
        }
        at = next;
        std::mem::swap(&mut here, &mut there);
        if moved <= SETTLED {
            break;
        }
    }
    at
}

fn request(reason: String) -> EstimatorError {
    EstimatorError::Request {
        method: METHOD,
        reason,
    }
}

fn unknown(missing: &[&str], design: &Design) -> String {
    let list = |names: &[&str]| {
        let mut quoted: Vec<String> = names.iter().take(8).map(|n| format!("`{n}`")).collect();
        if names.len() > 8 {
            quoted.push(format!("{} more", names.len() - 8));
        }
        quoted.join(", ")
    };
    let columns: Vec<&str> = design.columns.iter().map(|c| c.name.as_str()).collect();
    format!(
        "{} {} neither a column nor a parameter with a start value; the columns are {}",
        list(missing),
        if missing.len() == 1 { "is" } else { "are" },
        list(&columns)
    )
}

fn not_finite(start: &[f64], model: &Model) -> EstimatorError {
    let values: Vec<String> = model
        .parameters
        .iter()
        .zip(start)
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    EstimatorError::Numerical {
        method: METHOD,
        reason: format!(
            "the formula or its gradient is not finite at the start ({})",
            values.join(", ")
        ),
    }
}

/// When not to trust the result.
fn notes(fit: &NonLinearFit) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let mut note = |severity, message: String, advice: &str| {
        notes.push(Diagnostic {
            severity,
            message,
            advice: Some(advice.to_owned()),
        });
    };
    let named = |which: &dyn Fn(&super::Parameter) -> bool| {
        let names = fit.parameters.iter().filter(|p| which(p));
        names
            .map(|p| format!("`{}`", p.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match fit.ending {
        Ending::Converged => {}
        Ending::Iterations => note(
            Severity::Error,
            format!(
                "the search did not converge in {} iterations",
                fit.iterations
            ),
            "give other start values, bounds, or several random starts",
        ),
        Ending::NotFinite => note(
            Severity::Error,
            format!(
                "the gradient became infinite after {} iterations",
                fit.iterations
            ),
            "give bounds that keep logarithms, powers and quotients defined",
        ),
    }
    let loose = named(&|p| !p.determined);
    if !loose.is_empty() {
        note(
            Severity::Error,
            format!(
                "singular gradient: the data do not determine {loose} given the other parameters"
            ),
            "leave it out of the formula or fix it with equal bounds",
        );
    } else if fit.ending == Ending::Converged && fit.relative_offset > OFFSET && fit.sigma > 0.0 {
        note(
            Severity::Warning,
            format!(
                "the search stopped at a relative offset of {:.1e}",
                fit.relative_offset
            ),
            "give other start values or scale the columns",
        );
    }
    let held = named(&|p| p.at_bound);
    if !held.is_empty() {
        note(
            Severity::Warning,
            format!("{held} ended at a bound; the other standard errors hold given that value"),
            "widen the bounds if the value makes no sense",
        );
    }
    if fit.residual_df == 0 {
        note(
            Severity::Error,
            "as many parameters as observations: the fit is exact and says nothing about errors"
                .into(),
            "measure more observations",
        );
    }
    if fit.agreeing < fit.searches {
        note(
            Severity::Note,
            format!(
                "{} of {} searches ended at the best sum of squares",
                fit.agreeing, fit.searches
            ),
            "the others found local minima: more random starts make the result surer",
        );
    }
    notes
}
