//! The weighted rows of a design, with its independent columns.

use faer::linalg::solvers::Solve as _;
use faer::{Mat, Side};
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Coefficient, Design, EstimatorError, Fitted, Qr, R_TOLERANCE};

/// Columns and target multiplied by the square roots of the weights; rows without weight are left out.
pub(super) struct Weighted {
    /// The constant first, if there is one; each column divided by its largest value.
    pub columns: Vec<Vec<f64>>,
    pub target: Vec<f64>,
    /// Where each kept column stands in the design; none for the constant.
    pub origin: Vec<Option<usize>>,
    /// What each kept column was divided by.
    pub scale: Vec<f64>,
}

impl Weighted {
    /// All columns that are not zero.
    pub(super) fn new(
        method: &'static str,
        design: &Design,
        intercept: bool,
    ) -> Result<Self, EstimatorError> {
        let used: Vec<usize> = (0..design.rows())
            .filter(|&i| design.weights[i] > 0.0)
            .collect();
        if used.is_empty() {
            return Err(EstimatorError::TooFewRows {
                method,
                needed: 1,
                rows: 0,
            });
        }
        let roots: Vec<f64> = used.iter().map(|&i| design.weights[i].sqrt()).collect();
        let mut out = Self {
            columns: Vec::new(),
            target: used
                .iter()
                .zip(&roots)
                .map(|(&i, r)| design.target[i] * r)
                .collect(),
            origin: Vec::new(),
            scale: Vec::new(),
        };
        if intercept {
            out.push(None, roots.clone());
        }
        for (j, column) in design.columns.iter().enumerate() {
            let dense = column.values.to_dense(design.rows());
            let weighted = used.iter().zip(&roots).map(|(&i, r)| dense[i] * r);
            out.push(Some(j), weighted.collect());
        }
        Ok(out)
    }

    fn push(&mut self, origin: Option<usize>, mut column: Vec<f64>) {
        let largest = column.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest > 0.0 {
            for x in &mut column {
                *x /= largest;
            }
            self.columns.push(column);
            self.origin.push(origin);
            self.scale.push(largest);
        }
    }

    /// Keeps the columns that are independent by R's rule, in their order; gives the least-squares solution over them.
    pub(super) fn independent(&mut self) -> Vec<f64> {
        let qr = Qr::new(self.columns.clone(), self.target.clone(), R_TOLERANCE);
        let solution = qr.solve();
        let mut kept: Vec<(usize, f64)> = qr.pivot.iter().copied().zip(solution).collect();
        kept.sort_unstable_by_key(|entry| entry.0);
        let pick = |at: &[(usize, f64)]| at.iter().map(|k| k.0).collect::<Vec<_>>();
        let order = pick(&kept);
        if order.len() < self.columns.len() {
            self.columns = order.iter().map(|&k| self.columns[k].clone()).collect();
            self.origin = order.iter().map(|&k| self.origin[k]).collect();
            self.scale = order.iter().map(|&k| self.scale[k]).collect();
        }
        kept.into_iter().map(|k| k.1).collect()
    }

    /// y − Xβ for coefficients of the kept, scaled columns.
    pub(super) fn residuals(&self, beta: &[f64]) -> Vec<f64> {
        let mut out = self.target.clone();
        for (column, b) in self.columns.iter().zip(beta) {
            if *b != 0.0 {
                out.iter_mut().zip(column).for_each(|(r, x)| *r -= b * x);
            }
        }
        out
    }

    /// Least squares with further weights, given by their roots, from a point nearby; none when the weights make columns
    /// dependent.
    ///
    /// The step from the point comes from the normal equations. Their rounding slows the approach at most: a fixed point is
    /// where the residuals, which are exact, have no part along the columns. Where they are not definite QR takes over.
    pub(super) fn reweighted(
        &self,
        roots: &[f64],
        beta: &[f64],
        residuals: &[f64],
    ) -> Option<Vec<f64>> {
        let x = Mat::from_fn(roots.len(), self.columns.len(), |i, k| {
            self.columns[k][i] * roots[i]
        });
        let r = Mat::from_fn(roots.len(), 1, |i, _| residuals[i] * roots[i]);
        let gram = x.transpose() * &x;
        match gram.llt(Side::Lower) {
            Ok(factor) => {
                let step = factor.solve(x.transpose() * &r);
                let next = beta.iter().enumerate().map(|(k, b)| b + step[(k, 0)]);
                Some(next.collect()).filter(|next: &Vec<f64>| next.iter().all(|b| b.is_finite()))
            }
            Err(_) => self.solved(roots),
        }
    }

    /// The same by QR.
    fn solved(&self, roots: &[f64]) -> Option<Vec<f64>> {
        let times = |column: &Vec<f64>| column.iter().zip(roots).map(|(x, r)| x * r).collect();
        let columns = self.columns.iter().map(times).collect();
        let qr = Qr::new(columns, times(&self.target), 0.0);
        if qr.rank < self.columns.len() {
            return None;
        }
        let mut beta = vec![0.0; qr.rank];
        for (&k, b) in qr.pivot.iter().zip(qr.solve()) {
            beta[k] = b;
        }
        beta.iter().all(|b| b.is_finite()).then_some(beta)
    }

    /// The fitted model in the design's own units; `errors` are standard errors of the scaled coefficients.
    pub(super) fn fitted(
        &self,
        method: &'static str,
        design: &Design,
        beta: &[f64],
        errors: Option<&[f64]>,
    ) -> Fitted {
        let mut intercept = 0.0;
        let mut coefficients = vec![Coefficient::default(); design.columns.len()];
        for (k, b) in beta.iter().enumerate() {
            match self.origin[k] {
                None => intercept = b / self.scale[k],
                Some(j) => {
                    coefficients[j].estimate = Some(b / self.scale[k]);
                    coefficients[j].std_error = errors
                        .map(|e| e[k] / self.scale[k])
                        .filter(|e| e.is_finite());
                }
            }
        }
        let dropped: Vec<String> = design
            .columns
            .iter()
            .zip(&coefficients)
            .filter(|(_, c)| c.estimate.is_none())
            .map(|(column, _)| format!("`{}`", column.name))
            .collect();
        let mut fitted = Fitted::linear(method, design, intercept, coefficients);
        if !dropped.is_empty() {
            let shown = dropped
                .iter()
                .take(6)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = dropped.len().saturating_sub(6);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            fitted.notes.push(Diagnostic {
                severity: Severity::Warning,
                message: format!(
                    "no coefficient for {shown}{rest}: zero, or a combination of other columns"
                ),
                advice: Some("`pricetag inspect` shows what they depend on".into()),
            });
        }
        fitted
    }
}
