//! Ordinary and weighted least squares with the summary of R's `lm`.
//!
//! Householder QR with R's limited pivoting at tolerance 1e-7 ([`pricetag_estimator::qr`]); never normal equations,
//! which lose half the digits. Conventions of `summary.lm` (R 4.2): rows of weight zero are left out of every count;
//! the figures are those of [`crate::lm_summary`].
//!
//! Up to `DIRECT` numbers residuals are accumulated in twice the working precision, from the costs as decimals where they were such (`decimals`), and the solution is refined; beyond, and for rows that come in blocks, see [`crate::blocked`].

use pricetag_cost_model::Diagnostic;
use pricetag_cost_model::Severity;
use pricetag_estimator::{
    Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Qr, R_TOLERANCE,
};

use crate::blocked::RowWeights;
use crate::decimals;
pub use crate::lm_summary::INTERCEPT;
use crate::lm_summary::Moments;
use crate::rows::{DesignRows, RowsError};

/// Least squares, weighted by the design's weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastSquares {
    /// Whether a constant is fitted as well.
    pub intercept: bool,
    /// A column is dependent when less than this share of its length is new; R's default is 1e-7.
    pub tolerance: f64,
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self {
            intercept: false,
            tolerance: R_TOLERANCE,
        }
    }
}

/// Designs of up to this many numbers are held and solved at once.
const DIRECT: usize = 200_000;
/// Condition number up to which seminormal equations are used, and how many steps.
const SEMINORMAL: f64 = 1e6;
const SEMINORMAL_STEPS: usize = 2;
/// Dependent columns named in a note.
const LISTED: usize = 5;

impl Estimator for LeastSquares {
    fn name(&self) -> &'static str {
        "ols"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        self.check()?;
        let used: Vec<usize> = (0..design.rows())
            .filter(|&i| design.weights[i] > 0.0)
            .collect();
        if used.is_empty() {
            return Err(Self::no_rows());
        }
        if used.len() * (design.columns.len() + 1) > DIRECT {
            return match self.fit_rows(&mut DesignRows(design), RowWeights::AsGiven) {
                Ok(fit) => Ok(fit.fitted),
                Err(RowsError::Estimator(error)) => Err(error),
                Err(RowsError::Dataset(error)) => Err(EstimatorError::Numerical {
                    method: "ols",
                    reason: error.to_string(),
                }),
            };
        }
        let problem = Problem::new(design, &used, self.intercept);
        let qr = Qr::new(
            problem.columns.clone(),
            problem.target.clone(),
            self.tolerance,
        );
        let solution = Solution::new(&problem, &qr);
        let moments = solution.moments(design.rows(), self.intercept, &problem);
        let names: Vec<String> = design.columns.iter().map(|c| c.name.clone()).collect();
        Ok(self.fitted(&names, &solution.beta, &solution.variance, &moments))
    }
}

impl LeastSquares {
    /// Whether the options make sense.
    pub(crate) fn check(&self) -> Result<(), EstimatorError> {
        if (0.0..1.0).contains(&self.tolerance) {
            return Ok(());
        }
        Err(EstimatorError::Parameter {
            method: "ols",
            parameter: "tolerance",
            value: self.tolerance,
        })
    }

    pub(crate) fn no_rows() -> EstimatorError {
        EstimatorError::TooFewRows {
            method: "ols",
            needed: 1,
            rows: 0,
        }
    }

    /// The model with its summary; `beta` and `variance` start with the intercept if there is one.
    pub(crate) fn fitted(
        &self,
        names: &[String],
        beta: &[Option<f64>],
        variance: &[f64],
        moments: &Moments,
    ) -> Fitted {
        let first = usize::from(self.intercept);
        let constant = self.intercept.then(|| INTERCEPT.to_owned());
        let all = constant.into_iter().chain(names.iter().cloned()).collect();
        let summary = moments.summary(all, beta, variance);
        let coefficients: Vec<Coefficient> = summary.coefficients[first..]
            .iter()
            .map(|row| Coefficient {
                estimate: row.estimate.map(|e| e.0),
                std_error: row.estimate.map(|e| e.1),
                ..Coefficient::default()
            })
            .collect();
        let intercept = if self.intercept {
            beta[0].unwrap_or(0.0)
        } else {
            0.0
        };
        let terms = names
            .iter()
            .zip(&coefficients)
            .filter_map(|(name, c)| {
                let estimate = c.estimate.filter(|e| *e != 0.0)?;
                Some((estimate, name.clone()))
            })
            .collect();
        Fitted {
            method: "ols",
            formula: pricetag_cost_model::Formula::Linear { intercept, terms },
            notes: aliased(names, &coefficients).into_iter().collect(),
            coefficients,
            intercept,
            summary: Some(summary),
        }
    }
}

/// Says which columns have no coefficient.
fn aliased(names: &[String], coefficients: &[Coefficient]) -> Option<Diagnostic> {
    let missing: Vec<&String> = names
        .iter()
        .zip(coefficients)
        .filter_map(|(name, c)| c.estimate.is_none().then_some(name))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let mut listed: Vec<String> = missing
        .iter()
        .take(LISTED)
        .map(|n| format!("`{n}`"))
        .collect();
    if missing.len() > LISTED {
        listed.push(format!("… ({} more)", missing.len() - LISTED));
    }
    Some(Diagnostic {
        severity: Severity::Note,
        message: format!(
            "{} of {} columns depend linearly on those before them and have no price of their own (NA): {}",
            missing.len(),
            names.len(),
            listed.join(", ")
        ),
        advice: Some("Their cost is in the prices of the columns they depend on.".into()),
    })
}

/// The weighted columns and target of the used rows.
struct Problem {
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
    /// What the target as written has beyond `target`, where that is known.
    remainder: Vec<f64>,
    roots: Vec<f64>,
    weighted: bool,
}

impl Problem {
    fn new(design: &Design, used: &[usize], intercept: bool) -> Self {
        let roots: Vec<f64> = used.iter().map(|&i| design.weights[i].sqrt()).collect();
        let weighted = design.weights.iter().any(|w| *w != 1.0);
        let mut columns = Vec::with_capacity(design.columns.len() + 1);
        if intercept {
            columns.push(roots.clone());
        }
        for column in &design.columns {
            let dense = column.values.to_dense(design.rows());
            columns.push(
                used.iter()
                    .zip(&roots)
                    .map(|(&i, r)| dense[i] * r)
                    .collect(),
            );
        }
        let target: Vec<f64> = used
            .iter()
            .zip(&roots)
            .map(|(&i, r)| design.target[i] * r)
            .collect();
        // A weighted target is rounded anew.
        let remainder = decimals::remainders(&target).filter(|_| !weighted);
        Self {
            columns,
            remainder: remainder.unwrap_or_else(|| vec![0.0; target.len()]),
            target,
            roots,
            weighted,
        }
    }
}

/// Coefficients, their unscaled variances, and weighted residuals.
struct Solution {
    beta: Vec<Option<f64>>,
    variance: Vec<f64>,
    residuals: Vec<f64>,
    rank: usize,
}

impl Problem {
    /// y − Xβ as unevaluated sums of two.
    fn residual_pairs(&self, beta: &[Option<f64>]) -> (Vec<f64>, Vec<f64>) {
        let (mut high, mut low) = (self.target.clone(), self.remainder.clone());
        self.add(-1.0, beta, &mut high, &mut low);
        (high, low)
    }

    /// y − Xβ, rounded once.
    fn residuals(&self, beta: &[Option<f64>]) -> Vec<f64> {
        let (high, low) = self.residual_pairs(beta);
        high.iter().zip(&low).map(|(h, l)| h + l).collect()
    }

    /// Xβ, rounded once.
    fn fitted(&self, beta: &[Option<f64>]) -> Vec<f64> {
        let (mut high, mut low) = (vec![0.0; self.target.len()], vec![0.0; self.target.len()]);
        self.add(1.0, beta, &mut high, &mut low);
        high.iter().zip(&low).map(|(h, l)| h + l).collect()
    }

    /// Adds ±Xβ to sums of two, accumulated in twice the working precision (Ogita, Rump & Oishi 2005, `Dot2`).
    fn add(&self, sign: f64, beta: &[Option<f64>], high: &mut [f64], low: &mut [f64]) {
        for (column, b) in self.columns.iter().zip(beta) {
            let Some(b) = b else { continue };
            for ((h, l), x) in high.iter_mut().zip(&mut *low).zip(column) {
                *l += accumulate(h, sign * b, *x);
            }
        }
    }
}

/// Adds a product to a sum; returns what rounding took away.
fn accumulate(sum: &mut f64, a: f64, b: f64) -> f64 {
    let product = a * b;
    let product_error = a.mul_add(b, -product);
    let next = *sum + product;
    let part = next - *sum;
    let lost = (*sum - (next - part)) + (product - part) + product_error;
    *sum = next;
    lost
}

impl Solution {
    fn new(problem: &Problem, qr: &Qr) -> Self {
        let p = problem.columns.len();
        let mut beta = vec![None; p];
        let mut variance = vec![f64::NAN; p];
        for ((&column, b), v) in qr.pivot.iter().zip(qr.solve()).zip(qr.inverse_diagonal()) {
            beta[column] = Some(b);
            variance[column] = v;
        }
        let mut solution = Self {
            beta,
            variance,
            residuals: Vec::new(),
            rank: qr.rank,
        };
        solution.fit_residuals(problem);
        for _ in 0..SEMINORMAL_STEPS {
            solution.correct(problem, qr);
        }
        solution.residuals = problem.residuals(&solution.beta);
        solution
    }

    /// Fits what is left with the same columns: good where little is left, however dependent the columns are.
    fn fit_residuals(&mut self, problem: &Problem) {
        let left = problem.residuals(&self.beta);
        let kept: Vec<usize> = (0..self.beta.len())
            .filter(|&j| self.beta[j].is_some())
            .collect();
        let columns = kept.iter().map(|&j| problem.columns[j].clone()).collect();
        let step = Qr::new(columns, left, 0.0);
        if step.rank == kept.len() {
            for (&at, d) in step.pivot.iter().zip(step.solve()) {
                self.beta[kept[at]] = self.beta[kept[at]].map(|b| b + d);
            }
        }
    }

    /// A step by the seminormal equations (Björck 1987) with the gradient in twice the working precision: good where much
    /// is left. It converges as long as the squared condition number is below 1/ε.
    fn correct(&mut self, problem: &Problem, qr: &Qr) {
        if qr.rank == 0 || qr.inflation() > SEMINORMAL * SEMINORMAL {
            return;
        }
        let (high, low) = problem.residual_pairs(&self.beta);
        let gradient: Vec<f64> = qr.pivot[..qr.rank]
            .iter()
            .map(|&j| {
                let (mut sum, mut lost) = (0.0, 0.0);
                for (x, (h, l)) in problem.columns[j].iter().zip(high.iter().zip(&low)) {
                    lost += accumulate(&mut sum, *x, *h) + x * l;
                }
                sum + lost
            })
            .collect();
        for (&column, d) in qr.pivot.iter().zip(qr.solve_normal(&gradient)) {
            self.beta[column] = self.beta[column].map(|b| b + d);
        }
    }

    fn moments(&self, rows: usize, intercept: bool, problem: &Problem) -> Moments {
        // In the quantiles R counts rows of weight zero with a residual of zero.
        let mut shown = self.residuals.clone();
        shown.resize(rows, 0.0);
        let at = |p| pricetag_quantity::quantile(&shown, p).unwrap_or(f64::NAN);
        Moments {
            used: self.residuals.len() as u64,
            rank: self.rank,
            intercept,
            weighted: problem.weighted,
            rss: sum(self.residuals.iter().map(|r| r * r)),
            mss: self.explained(intercept, problem),
            quantiles: [at(0.0), at(0.25), at(0.5), at(0.75), at(1.0)],
        }
    }

    /// Σ w (f − f̄)² with f = fitted / √w, or Σ w f² without an intercept.
    fn explained(&self, intercept: bool, problem: &Problem) -> f64 {
        // Not y less the residuals, which may be much larger than what is explained.
        let fitted = problem.fitted(&self.beta);
        if !intercept {
            return sum(fitted.iter().map(|f| f * f));
        }
        let pairs = || fitted.iter().zip(&problem.roots);
        let weight = sum(problem.roots.iter().map(|r| r * r));
        let mean = sum(pairs().map(|(f, r)| f * r)) / weight;
        sum(pairs().map(|(f, r)| (f - mean * r).powi(2)))
    }
}

/// A sum with its rounding errors made good (Neumaier 1974).
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() {
            (sum - next) + term
        } else {
            (term - next) + sum
        };
        sum = next;
    }
    sum + lost
}
