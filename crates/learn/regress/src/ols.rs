//! Ordinary and weighted least squares with the summary of R's `lm`.
//!
//! Householder QR with R's limited pivoting at tolerance 1e-7 ([`pricetag_estimator::qr`]); never normal equations,
//! which lose half the digits. Conventions of `summary.lm` (R 4.2): rows of weight zero are left out of every count;
//! R² and F use centred sums with an intercept and uncentred ones without; p-values come from survival functions.

use pricetag_cost_model::{CoefficientRow, LinearSummary};
use pricetag_estimator::{
    Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Qr, R_TOLERANCE,
};
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

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

/// Up to this many entries the solution is refined once.
const REFINED: usize = 1_000_000;

/// R's name of the constant.
pub const INTERCEPT: &str = "(Intercept)";

impl Estimator for LeastSquares {
    fn name(&self) -> &'static str {
        "ols"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        if !(0.0..1.0).contains(&self.tolerance) {
            return Err(EstimatorError::Parameter {
                method: "ols",
                parameter: "tolerance",
                value: self.tolerance,
            });
        }
        let used: Vec<usize> = (0..design.rows())
            .filter(|&i| design.weights[i] > 0.0)
            .collect();
        if used.is_empty() {
            return Err(EstimatorError::TooFewRows {
                method: "ols",
                needed: 1,
                rows: 0,
            });
        }
        let problem = Problem::new(design, &used, self.intercept);
        let qr = Qr::new(
            problem.columns.clone(),
            problem.target.clone(),
            self.tolerance,
        );
        let solution = Solution::new(&problem, &qr);
        let summary = solution.summary(design, self.intercept, &problem);
        let (intercept, rest) = if self.intercept {
            (solution.beta[0].unwrap_or(0.0), 1)
        } else {
            (0.0, 0)
        };
        let coefficients = summary.coefficients[rest..]
            .iter()
            .map(|row| Coefficient {
                estimate: row.estimate.map(|e| e.0),
                std_error: row.estimate.map(|e| e.1),
                ..Coefficient::default()
            })
            .collect();
        let mut fitted = Fitted::linear("ols", design, intercept, coefficients);
        fitted.summary = Some(summary);
        Ok(fitted)
    }
}

/// F, its degrees of freedom and its p-value.
type FTest = (f64, u32, u32, f64);

/// The weighted columns and target of the used rows.
struct Problem {
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
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
        let target = used
            .iter()
            .zip(&roots)
            .map(|(&i, r)| design.target[i] * r)
            .collect();
        Self {
            columns,
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

/// y − Xβ, accumulated in twice the working precision (Ogita, Rump & Oishi 2005, `Dot2`).
fn residuals(problem: &Problem, beta: &[Option<f64>]) -> Vec<f64> {
    let mut high = problem.target.clone();
    let mut low = vec![0.0; high.len()];
    for (column, b) in problem
        .columns
        .iter()
        .zip(beta)
        .filter_map(|(c, b)| b.map(|b| (c, b)))
    {
        for ((h, l), x) in high.iter_mut().zip(&mut low).zip(column) {
            let product = -b * x;
            let product_error = (-b).mul_add(*x, -product);
            let sum = *h + product;
            let part = sum - *h;
            *l += (*h - (sum - part)) + (product - part) + product_error;
            *h = sum;
        }
    }
    high.iter().zip(&low).map(|(h, l)| h + l).collect()
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
        let mut residuals = residuals(problem, &beta);
        if p * residuals.len() <= REFINED {
            // One step of iterative refinement (Björck 1967): fit what is left with the same columns.
            let kept: Vec<usize> = (0..p).filter(|&j| beta[j].is_some()).collect();
            let columns = kept.iter().map(|&j| problem.columns[j].clone()).collect();
            let step = Qr::new(columns, residuals.clone(), 0.0);
            if step.rank == kept.len() {
                for (&at, d) in step.pivot.iter().zip(step.solve()) {
                    beta[kept[at]] = beta[kept[at]].map(|b| b + d);
                }
                residuals = self::residuals(problem, &beta);
            }
        }
        Self {
            beta,
            variance,
            residuals,
            rank: qr.rank,
        }
    }

    fn summary(&self, design: &Design, intercept: bool, problem: &Problem) -> LinearSummary {
        let n = self.residuals.len();
        let df = n - self.rank;
        let rss: f64 = self.residuals.iter().map(|r| r * r).sum();
        let sigma2 = if df > 0 { rss / df as f64 } else { f64::NAN };
        let mut names: Vec<&str> = Vec::new();
        if intercept {
            names.push(INTERCEPT);
        }
        names.extend(design.columns.iter().map(|c| c.name.as_str()));
        let coefficients = names
            .iter()
            .zip(self.beta.iter().zip(&self.variance))
            .map(|(name, (beta, variance))| CoefficientRow {
                name: (*name).to_owned(),
                estimate: beta.map(|b| {
                    let error = (sigma2 * variance).sqrt();
                    let t = b / error;
                    (b, error, t, two_sided(t, df))
                }),
            })
            .collect();
        let (r_squared, adjusted, f) = self.goodness(intercept, problem, rss, sigma2);
        // In the quantiles R counts rows of weight zero with a residual of zero.
        let mut shown = self.residuals.clone();
        shown.resize(design.rows(), 0.0);
        let at = |p| pricetag_quantity::quantile(&shown, p).unwrap_or(f64::NAN);
        LinearSummary {
            weighted: problem.weighted,
            residual_quantiles: [at(0.0), at(0.25), at(0.5), at(0.75), at(1.0)],
            coefficients,
            sigma: sigma2.sqrt(),
            residual_df: df as u32,
            rank: self.rank as u32,
            r_squared,
            adjusted_r_squared: adjusted,
            f,
        }
    }

    /// R², adjusted R² and F by R's conventions.
    fn goodness(
        &self,
        intercept: bool,
        problem: &Problem,
        rss: f64,
        sigma2: f64,
    ) -> (f64, f64, Option<FTest>) {
        let n = self.residuals.len();
        let (df, constant) = (n - self.rank, usize::from(intercept));
        let fitted: Vec<f64> = problem
            .target
            .iter()
            .zip(&self.residuals)
            .map(|(y, r)| y - r)
            .collect();
        let mss: f64 = if intercept {
            // Σ w (f − f̄)² with f = fitted / √w.
            let weight: f64 = problem.roots.iter().map(|r| r * r).sum();
            let mean = fitted
                .iter()
                .zip(&problem.roots)
                .map(|(f, r)| f * r)
                .sum::<f64>()
                / weight;
            fitted
                .iter()
                .zip(&problem.roots)
                .map(|(f, r)| (f - mean * r).powi(2))
                .sum()
        } else {
            fitted.iter().map(|f| f * f).sum()
        };
        if self.rank <= constant {
            return (0.0, 0.0, None);
        }
        let r_squared = mss / (mss + rss);
        let adjusted = 1.0 - (1.0 - r_squared) * ((n - constant) as f64 / df as f64);
        let df1 = self.rank - constant;
        let f = mss / df1 as f64 / sigma2;
        let p = FisherSnedecor::new(df1 as f64, df as f64)
            .map_or(f64::NAN, |d| if f.is_nan() { f } else { d.sf(f) });
        (r_squared, adjusted, Some((f, df1 as u32, df as u32, p)))
    }
}

/// Two-sided p-value of a t statistic.
fn two_sided(t: f64, df: usize) -> f64 {
    if t.is_nan() || df == 0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    StudentsT::new(0.0, 1.0, df as f64).map_or(f64::NAN, |d| 2.0 * d.sf(t.abs()))
}
