//! The result of a non-linear fit, as R's `summary.nls` shows it.
//!
//! Standard errors come from the linearisation at the solution, σ·√diag (JᵀJ)⁻¹ (Bates & Watts 1988, chapter 2), over the
//! parameters that are determined and not held by a bound.

use std::fmt::Write as _;

use pricetag_cost_model::{CoefficientRow, Formula, LinearSummary};
use pricetag_estimator::Qr;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::marquardt::{Ending, Evaluation, LeastSquaresProblem as _, Minimum, sum_of_squares};
use super::model::Model;

/// A parameter whose scaled gradient is new by less than this share is not determined.
const SINGULAR: f64 = 1e-11;

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub estimate: f64,
    /// Standard error; NaN where there is none: at a bound, undetermined, or without residual degrees of freedom.
    pub std_error: f64,
    /// Whether a bound holds it.
    pub at_bound: bool,
    /// Whether the data determine it, given the others.
    pub determined: bool,
}

/// A fitted formula.
#[derive(Clone, Debug, PartialEq)]
pub struct NonLinearFit {
    /// The parameters in order of appearance.
    pub parameters: Vec<Parameter>,
    /// The formula as given.
    pub given: Formula,
    /// The formula with the estimates in place, simplified.
    pub formula: Formula,
    /// Weighted residual sum of squares.
    pub rss: f64,
    /// Residual standard error; NaN without degrees of freedom.
    pub sigma: f64,
    /// Observations with weight less determined parameters.
    pub residual_df: u32,
    /// Iterations of the search that found the result.
    pub iterations: u32,
    /// How it ended.
    pub ending: Ending,
    /// Bates & Watts' relative offset: length of the residuals' part that the parameters could still explain against the
    /// rest; what R calls the achieved convergence tolerance.
    pub relative_offset: f64,
    /// Searches made.
    pub searches: u32,
    /// Searches that ended at the same residual sum of squares, to six digits.
    pub agreeing: u32,
    /// The same as a table.
    pub table: LinearSummary,
}

impl NonLinearFit {
    pub(super) fn new(
        given: &Formula,
        model: &Model,
        best: &Minimum,
        bounds: &[(f64, f64)],
        weighted: bool,
    ) -> Self {
        let Evaluation {
            residuals,
            jacobian,
        } = model.at(&best.parameters);
        let local = Local::new(&jacobian, &residuals, &best.parameters, bounds);
        let n = model.rows();
        let df = n.saturating_sub(local.free.len());
        let sigma = (best.rss / df as f64).sqrt();
        let sigma = if df == 0 { f64::NAN } else { sigma };
        let name = |(j, estimate): (usize, &f64)| Parameter {
            name: model.parameters[j].clone(),
            estimate: *estimate,
            std_error: sigma * local.spread[j],
            at_bound: local.held[j],
            determined: local.determined[j],
        };
        let parameters: Vec<Parameter> = best.parameters.iter().enumerate().map(name).collect();
        let table = table(&parameters, model, &residuals, sigma, df, weighted);
        Self {
            formula: finished(given, &parameters, model, &best.parameters),
            given: given.clone(),
            parameters,
            rss: best.rss,
            sigma,
            residual_df: df as u32,
            iterations: best.iterations,
            ending: best.ending,
            relative_offset: local.offset,
            searches: 1,
            agreeing: 1,
            table,
        }
    }

    /// The result as R users know it.
    pub fn text(&self, target: &str) -> String {
        let mut out = format!("Formula: {target} ~ {}\n\n", self.given.source());
        let table = self.table.text();
        let from = table.find("\nCoefficients:").map_or(0, |at| at + 1);
        out.push_str(&table[from..].replacen("Coefficients:", "Parameters:", 1));
        let verdict = match self.ending {
            Ending::Converged => "Number of iterations to convergence",
            Ending::Iterations => "No convergence; number of iterations",
            Ending::NotFinite => "Not finite; number of iterations",
        };
        let _ = writeln!(
            out,
            "\n{verdict}: {} \nAchieved convergence tolerance: {:.3e}",
            self.iterations, self.relative_offset
        );
        out
    }
}

/// What the linearisation at the solution says.
struct Local {
    held: Vec<bool>,
    determined: Vec<bool>,
    /// Standard error over σ.
    spread: Vec<f64>,
    offset: f64,
    free: Vec<usize>,
}

impl Local {
    fn new(
        jacobian: &[Vec<f64>],
        residuals: &[f64],
        parameters: &[f64],
        bounds: &[(f64, f64)],
    ) -> Self {
        let p = parameters.len();
        let held: Vec<bool> = (0..p)
            .map(|j| parameters[j] <= bounds[j].0 || parameters[j] >= bounds[j].1)
            .collect();
        let norms: Vec<f64> = jacobian.iter().map(|c| sum_of_squares(c).sqrt()).collect();
        let usable = |j: &usize| !held[*j] && norms[*j] > 0.0 && norms[*j].is_finite();
        let loose: Vec<usize> = (0..p).filter(usable).collect();
        let scaled = |&j: &usize| jacobian[j].iter().map(|x| x / norms[j]).collect();
        let qr = Qr::new(
            loose.iter().map(scaled).collect(),
            residuals.to_vec(),
            SINGULAR,
        );
        let mut spread = vec![f64::NAN; p];
        let mut determined = held.clone();
        let mut free = Vec::new();
        for (&k, variance) in qr.pivot.iter().zip(qr.inverse_diagonal()).take(qr.rank) {
            let j = loose[k];
            spread[j] = variance.sqrt() / norms[j];
            determined[j] = true;
            free.push(j);
        }
        let rss = sum_of_squares(residuals);
        // The part of the residuals within the span of the gradients: fit them and see what is left.
        let mut explained = vec![0.0; residuals.len()];
        for (&k, b) in qr.pivot.iter().zip(qr.solve()) {
            let j = loose[k];
            for (e, x) in explained.iter_mut().zip(&jacobian[j]) {
                *e += b * x / norms[j];
            }
        }
        let inside = sum_of_squares(&explained);
        Self {
            held,
            determined,
            spread,
            offset: if inside == 0.0 {
                0.0
            } else {
                (inside / (rss - inside).max(0.0)).sqrt()
            },
            free,
        }
    }
}

/// The formula with numbers in place of its parameters; simplified, unless rounding makes that a different function.
fn finished(given: &Formula, fitted: &[Parameter], model: &Model, values: &[f64]) -> Formula {
    let value = |name: &str| fitted.iter().find(|p| p.name == name).map(|p| p.estimate);
    let plain = given.substituted(&value);
    let simple = plain.simplified().with_linear_part();
    let wanted = model.predictions(values);
    let same = model
        .evaluated(&simple)
        .is_some_and(|found| found.iter().zip(&wanted).all(|(a, b)| agree(*a, *b)));
    if same { simple } else { plain }
}

fn agree(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * a.abs().max(b.abs())
}

fn table(
    parameters: &[Parameter],
    model: &Model,
    residuals: &[f64],
    sigma: f64,
    df: usize,
    weighted: bool,
) -> LinearSummary {
    let rows = parameters.iter().map(|p| {
        let t = p.estimate / p.std_error;
        CoefficientRow {
            name: p.name.clone(),
            estimate: p
                .determined
                .then(|| (p.estimate, p.std_error, t, two_sided(t, df))),
        }
    });
    let weight: f64 = model.roots.iter().map(|r| r * r).sum();
    let weighed = model.target.iter().zip(&model.roots);
    let mean = weighed.clone().map(|(y, r)| y * r * r).sum::<f64>() / weight;
    let total: f64 = weighed.map(|(y, r)| (r * (y - mean)).powi(2)).sum();
    let r_squared = 1.0 - sum_of_squares(residuals) / total;
    let at = |p| pricetag_quantity::quantile(residuals, p).unwrap_or(f64::NAN);
    LinearSummary {
        weighted,
        residual_quantiles: [at(0.0), at(0.25), at(0.5), at(0.75), at(1.0)],
        coefficients: rows.collect(),
        sigma,
        residual_df: df as u32,
        rank: (residuals.len() - df) as u32,
        r_squared,
        adjusted_r_squared: 1.0 - (1.0 - r_squared) * (residuals.len() as f64 - 1.0) / df as f64,
        f: None,
    }
}

fn two_sided(t: f64, df: usize) -> f64 {
    if t.is_nan() || df == 0 {
        return f64::NAN;
    }
    StudentsT::new(0.0, 1.0, df as f64).map_or(f64::NAN, |d| 2.0 * d.sf(t.abs()))
}
