//! As many independent runs as there are prices, solved exactly.
//!
//! Lata (2016, §3.2) picks runs whose counts correlate negatively with those of every run picked before, starting anew
//! from each run until there are as many as columns, and solves the square system. Negative correlation neither implies
//! independence nor follows from it: p centred rows lie in p − 1 dimensions, where at most p directions can be at obtuse
//! angles to each other, so the rule finds a full set only where the data are close to a simplex.
//!
//! The sound version picks rows by QR with column pivoting on the transposed counts (Businger & Golub 1965; rank-revealing
//! in the sense of Gu & Eisenstat 1996), then exchanges rows while that increases the determinant, so that every other
//! row is a combination of the picked ones with factors of at most `EXCHANGE`. Columns that these data cannot tell apart
//! are left out by R's rule.
//!
//! Either way the solution reproduces the picked runs and their noise exactly; what it does to the other runs is reported.

use faer::Mat;
use faer::prelude::Solve;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{
    Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Qr, R_TOLERANCE,
};

/// A row is exchanged when that multiplies the determinant by more than this.
const EXCHANGE: f64 = 1.5;
/// Runs named in a note.
const LISTED: usize = 8;

/// How the runs are picked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunRule {
    /// By pivoting: as independent as these rows can be.
    #[default]
    Pivoting,
    /// By pairwise negative correlation, as the paper's script does.
    Correlation,
}

/// Solves for the prices from as many runs as there are prices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactSolve {
    /// How the runs are picked.
    pub rule: RunRule,
    /// Tolerance of the rank decision, as in [`crate::LeastSquares`].
    pub tolerance: f64,
}

impl Default for ExactSolve {
    fn default() -> Self {
        Self {
            rule: RunRule::Pivoting,
            tolerance: R_TOLERANCE,
        }
    }
}

/// Runs and the prices that reproduce them.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The runs picked, in the order of picking.
    pub runs: Vec<usize>,
    /// The columns solved for, ascending.
    pub columns: Vec<usize>,
    /// Their prices.
    pub prices: Vec<f64>,
    /// Condition number of the system, rows and columns scaled.
    pub condition: f64,
}

impl Estimator for ExactSolve {
    fn name(&self) -> &'static str {
        "solve"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let solution = self.solve(design)?;
        let mut coefficients = vec![Coefficient::default(); design.columns.len()];
        for (&column, &price) in solution.columns.iter().zip(&solution.prices) {
            coefficients[column].estimate = Some(price);
        }
        let mut fitted = Fitted::linear("solve", design, 0.0, coefficients);
        fitted.notes = solution.notes(design);
        Ok(fitted)
    }
}

impl ExactSolve {
    /// Picks runs and solves.
    pub fn solve(&self, design: &Checked<Design>) -> Result<Solution, EstimatorError> {
        if !(0.0..1.0).contains(&self.tolerance) {
            return Err(EstimatorError::Parameter {
                method: "solve",
                parameter: "tolerance",
                value: self.tolerance,
            });
        }
        let (columns, runs) = match self.rule {
            RunRule::Pivoting => self.pivoted(design)?,
            RunRule::Correlation => {
                let all: Vec<usize> = (0..design.columns.len()).collect();
                let runs = negatively_correlated(&rows_of(design, &all, false)).ok_or_else(|| {
                    EstimatorError::Request {
                        method: "solve",
                        reason: format!(
                            "there are no {} runs that correlate negatively with each other; pick them by pivoting",
                            all.len()
                        ),
                    }
                })?;
                (all, runs)
            }
        };
        Self::system(design, columns, runs)
    }

    /// Independent columns by R's rule, then as many rows by pivoting and exchange.
    fn pivoted(
        &self,
        design: &Checked<Design>,
    ) -> Result<(Vec<usize>, Vec<usize>), EstimatorError> {
        let usable: Vec<usize> = (0..design.rows())
            .filter(|&i| design.weights[i] > 0.0)
            .collect();
        let all: Vec<usize> = (0..design.columns.len()).collect();
        let weighted = rows_of(design, &all, true);
        let dense: Vec<Vec<f64>> = all
            .iter()
            .map(|&j| usable.iter().map(|&i| weighted[(i, j)]).collect())
            .collect();
        let qr = Qr::new(dense, vec![0.0; usable.len()], self.tolerance);
        let mut columns = qr.pivot[..qr.rank].to_vec();
        columns.sort_unstable();
        if columns.is_empty() {
            return Err(EstimatorError::Request {
                method: "solve",
                reason: "all counts are zero".into(),
            });
        }
        // Columns in comparable units, or the largest one alone would choose.
        let scaled = Mat::from_fn(usable.len(), columns.len(), |i, j| {
            weighted[(usable[i], columns[j])]
        });
        let lengths: Vec<f64> = (0..columns.len())
            .map(|j| scaled.col(j).norm_l2())
            .collect();
        let scaled = Mat::from_fn(usable.len(), columns.len(), |i, j| {
            scaled[(i, j)] / lengths[j]
        });
        let mut picked = pivot_rows(&scaled);
        exchange(&scaled, &mut picked);
        Ok((columns, picked.into_iter().map(|i| usable[i]).collect()))
    }

    fn system(
        design: &Design,
        columns: Vec<usize>,
        runs: Vec<usize>,
    ) -> Result<Solution, EstimatorError> {
        let counts = rows_of(design, &columns, false);
        let n = columns.len();
        // Equilibrated: rows by the inverse of their largest entry, columns then likewise.
        let square = Mat::from_fn(n, n, |i, j| counts[(runs[i], j)]);
        let by = |largest: f64| if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let row: Vec<f64> = (0..n).map(|i| by(square.row(i).norm_max())).collect();
        let square = Mat::from_fn(n, n, |i, j| square[(i, j)] * row[i]);
        let column: Vec<f64> = (0..n).map(|j| by(square.col(j).norm_max())).collect();
        let square = Mat::from_fn(n, n, |i, j| square[(i, j)] * column[j]);
        let condition = match square.singular_values() {
            Ok(s) if s[n - 1] > 0.0 => s[0] / s[n - 1],
            _ => f64::INFINITY,
        };
        if condition > 1.0 / f64::EPSILON {
            return Err(EstimatorError::Request {
                method: "solve",
                reason: format!("the counts of the {n} picked runs are not independent"),
            });
        }
        let factor = square.partial_piv_lu();
        let right = Mat::from_fn(n, 1, |i, _| design.target[runs[i]] * row[i]);
        let mut x = factor.solve(&right);
        // One step of refinement makes the backward error of every row small (Skeel 1980).
        let left = &right - &square * &x;
        x += factor.solve(&left);
        Ok(Solution {
            prices: (0..n).map(|j| x[(j, 0)] * column[j]).collect(),
            runs,
            columns,
            condition,
        })
    }
}

impl Solution {
    fn notes(&self, design: &Design) -> Vec<Diagnostic> {
        let mut named: Vec<String> = self
            .runs
            .iter()
            .take(LISTED)
            .map(|&r| format!("`{}`", design.labels[r]))
            .collect();
        if self.runs.len() > LISTED {
            named.push(format!("… ({} more)", self.runs.len() - LISTED));
        }
        let mut out = vec![Diagnostic {
            severity: Severity::Note,
            message: format!(
                "{} prices solved from {} runs (condition number {:.1e}): {}",
                self.columns.len(),
                self.runs.len(),
                self.condition,
                named.join(", ")
            ),
            advice: Some(
                "An exact solution repeats the noise of these runs; least squares over all runs averages it.".into(),
            ),
        }];
        let negative = self.prices.iter().filter(|p| **p < 0.0).count();
        if negative > 0 {
            out.push(Diagnostic {
                severity: Severity::Warning,
                message: format!("{negative} of {} prices are negative", self.prices.len()),
                advice: Some("Use nnls, or runs that differ more.".into()),
            });
        }
        let undetermined = design.columns.len() - self.columns.len();
        if undetermined > 0 {
            out.push(Diagnostic {
                severity: Severity::Note,
                message: format!(
                    "{undetermined} of {} columns cannot be told apart from the others by these runs and have no price",
                    design.columns.len()
                ),
                advice: None,
            });
        }
        out.extend(self.others(design));
        out
    }

    /// Median relative error on the runs that were not picked.
    fn others(&self, design: &Design) -> Option<Diagnostic> {
        let mut predicted = vec![0.0; design.rows()];
        for (&column, &price) in self.columns.iter().zip(&self.prices) {
            design.columns[column].values.add_to(price, &mut predicted);
        }
        let mut picked = vec![false; design.rows()];
        self.runs.iter().for_each(|&r| picked[r] = true);
        let errors: Vec<f64> = (0..design.rows())
            .filter(|&i| !picked[i] && design.target[i] != 0.0)
            .map(|i| (predicted[i] / design.target[i] - 1.0).abs())
            .collect();
        let median = pricetag_quantity::median(&errors)?;
        Some(Diagnostic {
            severity: Severity::Note,
            message: format!(
                "median relative error on the {} runs that were not picked: {:.1} %",
                errors.len(),
                100.0 * median
            ),
            advice: None,
        })
    }
}

/// Rows of counts, times the root of their weight if `weighted`.
fn rows_of(design: &Design, columns: &[usize], weighted: bool) -> Mat<f64> {
    let mut out = Mat::zeros(design.rows(), columns.len());
    for (j, &column) in columns.iter().enumerate() {
        for (i, value) in design.columns[column].values.entries() {
            let root = if weighted {
                design.weights[i].sqrt()
            } else {
                1.0
            };
            out[(i, j)] = value * root;
        }
    }
    out
}

/// The first run, and the runs after it, of which each correlates negatively with all picked before; as many as columns.
pub fn negatively_correlated(counts: &Mat<f64>) -> Option<Vec<usize>> {
    let (rows, columns) = (counts.nrows(), counts.ncols());
    let standard: Vec<Option<Vec<f64>>> = (0..rows)
        .map(|i| {
            let mean = counts.row(i).iter().sum::<f64>() / columns as f64;
            let centred: Vec<f64> = counts.row(i).iter().map(|x| x - mean).collect();
            let length = centred.iter().map(|x| x * x).sum::<f64>().sqrt();
            // A run with equal counts everywhere has no correlation; the script stops with an error there.
            (length > 0.0).then(|| centred.iter().map(|x| x / length).collect())
        })
        .collect();
    let negative = |a: usize, b: usize| match (&standard[a], &standard[b]) {
        (Some(a), Some(b)) => a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() < 0.0,
        _ => false,
    };
    for start in 0..rows {
        let mut picked = vec![start];
        for run in 0..rows {
            if picked.len() == columns {
                break;
            }
            if picked.iter().all(|&p| negative(run, p)) {
                picked.push(run);
            }
        }
        if picked.len() == columns {
            return Some(picked);
        }
    }
    None
}

/// As many rows as columns: each time the one with most that is new, the first of equals.
fn pivot_rows(rows: &Mat<f64>) -> Vec<usize> {
    let mut left = rows.clone();
    let mut picked = Vec::new();
    for _ in 0..rows.ncols() {
        let norm = |i: usize| left.row(i).squared_norm_l2();
        let Some(next) = (0..rows.nrows())
            .filter(|i| !picked.contains(i))
            .max_by(|&a, &b| norm(a).total_cmp(&norm(b)).then(b.cmp(&a)))
        else {
            break;
        };
        picked.push(next);
        let length = norm(next).sqrt();
        if length == 0.0 {
            continue;
        }
        let direction: Vec<f64> = left.row(next).iter().map(|x| x / length).collect();
        for i in 0..rows.nrows() {
            let share: f64 = left.row(i).iter().zip(&direction).map(|(x, d)| x * d).sum();
            for (j, d) in direction.iter().enumerate() {
                left[(i, j)] -= share * d;
            }
        }
    }
    picked
}

/// Exchanges picked rows for others while the determinant grows by more than [`EXCHANGE`].
fn exchange(rows: &Mat<f64>, picked: &mut [usize]) {
    let n = picked.len();
    for _ in 0..10 * n {
        let square = Mat::from_fn(n, n, |i, j| rows[(picked[i], j)]);
        // Every row as a combination of the picked ones: an entry is the factor by which an exchange multiplies the determinant.
        let factors = square.transpose().partial_piv_lu().solve(rows.transpose());
        let mut best = (EXCHANGE, 0, 0);
        for i in 0..rows.nrows() {
            for at in 0..n {
                let factor = factors[(at, i)].abs();
                if factor.is_finite() && factor > best.0 {
                    best = (factor, at, i);
                }
            }
        }
        if best.0 <= EXCHANGE {
            return;
        }
        picked[best.1] = best.2;
    }
}
