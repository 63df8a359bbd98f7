//! Least absolute deviations (L1), exact.
//!
//! Half of the observations may be wild without moving the result far. Where the solution is not unique a vertex of the
//! best ones is given, as by R's `quantreg::rq(method = "br")`, and said so.

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted};

use super::certificate::Certificate;
use super::rows::Weighted;
use super::simplex::{Problem, Slopes, Vertex, descend};

const METHOD: &str = "l1";

/// Largest gap that passes without remark.
const GAP: f64 = 1e-9;

/// Minimises Σ √wᵢ |yᵢ − xᵢβ|, w being the design's weights of squared errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeastAbsolute {
    /// Whether a constant is fitted as well.
    pub intercept: bool,
    /// Whether all coefficients, the constant too, must be ≥ 0.
    pub non_negative: bool,
}

/// The fitted model and its proof.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastAbsoluteFit {
    /// The model.
    pub fitted: Fitted,
    /// How good it is at least.
    pub certificate: Certificate,
    /// Steps of the simplex method.
    pub pivots: usize,
    /// Whether other coefficients are as good.
    pub ambiguous: bool,
}

impl LeastAbsolute {
    /// Fits, with the certificate.
    pub fn solve(&self, design: &Checked<Design>) -> Result<LeastAbsoluteFit, EstimatorError> {
        let mut rows = Weighted::new(METHOD, design, self.intercept)?;
        let first = if self.non_negative {
            vec![0.0; rows.columns.len()]
        } else {
            rows.independent()
        };
        let (n, p) = (rows.target.len(), rows.columns.len());
        let vertex = if p == 0 {
            Some(nothing(&rows.target))
        } else if self.non_negative {
            within_walls(&rows)
        } else {
            crash(&rows, &rows.residuals(&approached(&rows, first))).and_then(|basis| {
                let slopes = vec![
                    Slopes {
                        above: 1.0,
                        below: 1.0
                    };
                    n
                ];
                descend(
                    &Problem {
                        columns: &rows.columns,
                        target: &rows.target,
                        slopes: &slopes,
                    },
                    basis,
                )
            })
        };
        let mut vertex = vertex.ok_or_else(|| EstimatorError::Numerical {
            method: METHOD,
            reason: "the rows are too nearly dependent".into(),
        })?;
        if self.non_negative {
            vertex.beta.iter_mut().for_each(|b| *b = b.max(0.0));
        }
        let certificate = Certificate::new(
            &rows.columns,
            &rows.target,
            &vertex.beta,
            &vertex.multipliers[..n],
            self.non_negative,
        );
        let fitted = rows.fitted(METHOD, design, &vertex.beta, None);
        Ok(LeastAbsoluteFit {
            fitted: remarked(fitted, &certificate, vertex.level, &rows),
            certificate,
            pivots: vertex.pivots,
            ambiguous: vertex.level,
        })
    }
}

impl Estimator for LeastAbsolute {
    fn name(&self) -> &'static str {
        METHOD
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        self.solve(design).map(|fit| fit.fitted)
    }
}

/// The minimum without columns.
fn nothing(target: &[f64]) -> Vertex {
    let sign = |y: &f64| if *y > 0.0 { 1.0 } else { -1.0 };
    Vertex {
        beta: Vec::new(),
        multipliers: target.iter().map(sign).collect(),
        pivots: 0,
        level: false,
    }
}

/// With a wall at zero for every coefficient, from the corner where all are zero.
fn within_walls(rows: &Weighted) -> Option<Vertex> {
    let (n, p) = (rows.target.len(), rows.columns.len());
    let mut columns = rows.columns.clone();
    for (j, column) in columns.iter_mut().enumerate() {
        column.extend((0..p).map(|k| f64::from(k == j)));
    }
    let mut target = rows.target.clone();
    target.resize(n + p, 0.0);
    let mut slopes = vec![
        Slopes {
            above: 1.0,
            below: 1.0
        };
        n
    ];
    let wall = Slopes {
        above: f64::INFINITY,
        below: 0.0,
    };
    slopes.resize(n + p, wall);
    let problem = Problem {
        columns: &columns,
        target: &target,
        slopes: &slopes,
    };
    descend(&problem, (n..n + p).collect())
}

/// Steps of reweighting before the simplex method.
const APPROACH: usize = 5;

/// A point near the minimum by reweighted least squares (Schlossmacher 1973), from the least-squares solution.
fn approached(rows: &Weighted, first: Vec<f64>) -> Vec<f64> {
    let mut beta = first;
    for _ in 0..APPROACH {
        let residuals = rows.residuals(&beta);
        let mean = residuals.iter().map(|r| r.abs()).sum::<f64>() / residuals.len() as f64;
        let floor = 1e-3 * mean;
        if floor == 0.0 {
            break;
        }
        let roots: Vec<f64> = residuals
            .iter()
            .map(|r| r.abs().max(floor).powf(-0.5))
            .collect();
        match rows.reweighted(&roots, &beta, &residuals) {
            Some(next) => beta = next,
            None => break,
        }
    }
    beta
}

/// Independent rows of small residuals, to start from.
fn crash(rows: &Weighted, residuals: &[f64]) -> Option<Vec<usize>> {
    let p = rows.columns.len();
    let mut order: Vec<usize> = (0..residuals.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        residuals[a]
            .abs()
            .total_cmp(&residuals[b].abs())
            .then(a.cmp(&b))
    });
    let mut basis = Vec::with_capacity(p);
    // Rows reduced by those before, each with the column of its largest entry scaled to 1.
    let mut reduced: Vec<(usize, Vec<f64>)> = Vec::new();
    for threshold in [1e-2, 1e-5, 1e-9, 1e-13] {
        for &i in &order {
            if basis.len() == p {
                return Some(basis);
            }
            if basis.contains(&i) {
                continue;
            }
            let mut row: Vec<f64> = rows.columns.iter().map(|c| c[i]).collect();
            let size = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (pivot, other) in &reduced {
                let factor = row[*pivot];
                if factor != 0.0 {
                    row.iter_mut()
                        .zip(other)
                        .for_each(|(x, o)| *x -= factor * o);
                }
            }
            let (pivot, largest) = row.iter().enumerate().fold((0, 0.0_f64), |m, (j, x)| {
                if x.abs() > m.1.abs() { (j, *x) } else { m }
            });
            if largest.abs() > threshold * size {
                for x in &mut row {
                    *x /= largest;
                }
                reduced.push((pivot, row));
                basis.push(i);
            }
        }
    }
    (basis.len() == p).then_some(basis)
}

/// The model with its notes.
fn remarked(mut fitted: Fitted, certificate: &Certificate, level: bool, rows: &Weighted) -> Fitted {
    let size = 1e-6 * rows.target.iter().map(|y| y.abs()).sum::<f64>();
    let gap = certificate.gap(size).max(certificate.imbalance);
    if gap.is_nan() || gap > GAP {
        fitted.notes.push(Diagnostic {
            severity: Severity::Error,
            message: format!("the solution may be off the best one by a share of {gap:.1e}"),
            advice: Some(
                "Look for columns of very different sizes or nearly dependent ones.".into(),
            ),
        });
    }
    if level {
        fitted.notes.push(Diagnostic {
            severity: Severity::Note,
            message: "other coefficients have the same sum of absolute errors".into(),
            advice: Some("More observations decide between them.".into()),
        });
    }
    fitted
}
