//! Filters against multicollinearity: which columns to leave out before a fit, and because of which others.
//!
//! [`CorrelationFilter`] is the script of Lata (2016, §3.1): for every pair of columns whose correlation exceeds 0.3 the
//! earlier one is written to the list of methods to leave out. Strong negative correlation does not count, constant
//! columns have none, and of a chain a–b–c only the last survives, although a and c may have nothing in common.
//!
//! [`InflationFilter`] asks the question that matters for the standard error of a price: how well do *all other* columns
//! together predict this one? It first leaves out what R would print as `NA`, then, one after another, the column with the
//! largest variance inflation 1/(1 − R²) (Belsley, Kuh & Welsch 1980, §3.2), until none exceeds the limit.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Column, Design, EstimatorError, Qr, R_TOLERANCE};

/// Inflations that differ by less are equal.
const TIED: f64 = 1e-9;
/// Columns named in a note.
const LISTED: usize = 5;

/// Why a column is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// It correlates with a later column.
    Correlation {
        /// The first such column.
        with: usize,
        /// Pearson's coefficient.
        coefficient: f64,
    },
    /// It is a combination of earlier columns.
    Dependent,
    /// The columns still kept predict it too well.
    Inflation {
        /// 1/(1 − R²) when it was left out.
        factor: f64,
        /// The column it correlates with most, in absolute value.
        with: usize,
    },
}

/// A column left out.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its index.
    pub column: usize,
    /// Why.
    pub because: Because,
}

/// Which columns a filter keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filtered {
    /// Indices of the columns kept, ascending.
    pub kept: Vec<usize>,
    /// The others, in the order in which they were left out.
    pub left_out: Vec<LeftOut>,
}

impl Filtered {
    /// The design with the columns kept.
    #[must_use]
    pub fn apply(&self, design: &Design) -> Design {
        let pick = |&j: &usize| -> Column { design.columns[j].clone() };
        Design {
            columns: self.kept.iter().map(pick).collect(),
            labels: design.labels.clone(),
            groups: design.groups.clone(),
            target: design.target.clone(),
            weights: design.weights.clone(),
        }
    }

    /// What was left out and why, in one message; none if nothing was.
    pub fn note(&self, design: &Design) -> Option<Diagnostic> {
        if self.left_out.is_empty() {
            return None;
        }
        let mut parts: Vec<String> = self
            .left_out
            .iter()
            .take(LISTED)
            .map(|l| l.text(design))
            .collect();
        if self.left_out.len() > LISTED {
            parts.push(format!("… ({} more)", self.left_out.len() - LISTED));
        }
        Some(Diagnostic {
            severity: Severity::Note,
            message: format!(
                "{} of {} columns were left out because of collinearity: {}",
                self.left_out.len(),
                design.columns.len(),
                parts.join("; ")
            ),
            advice: Some("Their cost is in the prices of the columns they move with.".into()),
        })
    }
}

impl LeftOut {
    fn text(&self, design: &Design) -> String {
        let name = |j: usize| &design.columns[j].name;
        match self.because {
            Because::Correlation { with, coefficient } => format!(
                "`{}` (correlation {coefficient:.2} with `{}`)",
                name(self.column),
                name(with)
            ),
            Because::Dependent => {
                format!("`{}` (a combination of earlier columns)", name(self.column))
            }
            Because::Inflation { factor, with } => format!(
                "`{}` (variance inflation {factor:.1}, nearest `{}`)",
                name(self.column),
                name(with)
            ),
        }
    }
}

/// The paper's filter by pairwise correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrelationFilter {
    /// A pair above this loses its earlier column.
    pub threshold: f64,
}

impl Default for CorrelationFilter {
    fn default() -> Self {
        Self { threshold: 0.3 }
    }
}

impl CorrelationFilter {
    /// Which columns stay; weights play no part, as in the script.
    pub fn filter(&self, design: &Checked<Design>) -> Result<Filtered, EstimatorError> {
        if !(-1.0..=1.0).contains(&self.threshold) {
            return Err(EstimatorError::Parameter {
                method: "correlation filter",
                parameter: "threshold",
                value: self.threshold,
            });
        }
        let standard = standardised(design, &vec![1.0; design.rows()]);
        let correlation = products(&standard);
        let mut found = Filtered::default();
        for i in 0..design.columns.len() {
            let later =
                (i + 1..design.columns.len()).find(|&j| correlation[(i, j)] > self.threshold);
            match later {
                Some(with) => found.left_out.push(LeftOut {
                    column: i,
                    because: Because::Correlation {
                        with,
                        coefficient: correlation[(i, with)],
                    },
                }),
                None => found.kept.push(i),
            }
        }
        Ok(found)
    }
}

/// Leaves out columns that the others predict too well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflationFilter {
    /// Largest variance inflation that may stay.
    pub limit: f64,
}

impl Default for InflationFilter {
    fn default() -> Self {
        Self { limit: 10.0 }
    }
}

impl InflationFilter {
    /// Which columns stay. The design's weights count, as they do in a fit; columns are centred; a constant column has no
    /// variance to inflate and stays.
    pub fn filter(&self, design: &Checked<Design>) -> Result<Filtered, EstimatorError> {
        if !(self.limit >= 1.0 && self.limit.is_finite()) {
            return Err(EstimatorError::Parameter {
                method: "inflation filter",
                parameter: "limit",
                value: self.limit,
            });
        }
        let standard = standardised(design, &design.weights);
        let varying: Vec<usize> = (0..standard.ncols())
            .filter(|&j| standard.col(j).squared_norm_l2() > 0.0)
            .collect();
        let columns: Vec<Vec<f64>> = varying
            .iter()
            .map(|&j| standard.col(j).iter().copied().collect())
            .collect();
        let qr = Qr::new(columns, vec![0.0; design.rows()], R_TOLERANCE);
        let mut found = Filtered::default();
        let mut dependent: Vec<usize> = qr.pivot[qr.rank..].iter().map(|&at| varying[at]).collect();
        dependent.sort_unstable();
        found
            .left_out
            .extend(dependent.iter().map(|&column| LeftOut {
                column,
                because: Because::Dependent,
            }));
        let mut open: Vec<usize> = qr.pivot[..qr.rank].iter().map(|&at| varying[at]).collect();
        open.sort_unstable();
        self.eliminate(&standard, &mut open, &mut found);
        found.kept = (0..standard.ncols())
            .filter(|j| open.binary_search(j).is_ok() || !varying.contains(j))
            .collect();
        Ok(found)
    }

    fn eliminate(self, standard: &Mat<f64>, open: &mut Vec<usize>, found: &mut Filtered) {
        while !open.is_empty() {
            let columns = open
                .iter()
                .map(|&j| standard.col(j).iter().copied().collect())
                .collect();
            // Columns of unit length: the diagonal of the inverse correlation matrix is the inflation.
            let qr = Qr::new(columns, vec![0.0; standard.nrows()], 0.0);
            let inflation = qr.inverse_diagonal();
            let largest = inflation.iter().copied().fold(0.0, f64::max);
            if largest <= self.limit {
                return;
            }
            // Of two that inflate each other, equal but for rounding, the later one goes.
            let last = qr
                .pivot
                .iter()
                .copied()
                .zip(inflation)
                .filter(|(_, factor)| *factor >= largest * (1.0 - TIED))
                .max_by_key(|(at, _)| *at);
            let Some((at, factor)) = last else {
                return;
            };
            let column = open.remove(at);
            let dot =
                |j: usize| -> f64 { (standard.col(j).transpose() * standard.col(column)).abs() };
            let with = open
                .iter()
                .copied()
                .max_by(|a, b| dot(*a).total_cmp(&dot(*b)).then(b.cmp(a)))
                .unwrap_or(column);
            found.left_out.push(LeftOut {
                column,
                because: Because::Inflation { factor, with },
            });
        }
    }
}

/// Columns less their weighted mean, weighted and scaled to unit length; constant columns become zero.
fn standardised(design: &Design, weights: &[f64]) -> Mat<f64> {
    let rows = design.rows();
    let total: f64 = weights.iter().sum();
    let mut out = Mat::zeros(rows, design.columns.len());
    for (j, column) in design.columns.iter().enumerate() {
        let dense = column.values.to_dense(rows);
        let mean = dense.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() / total;
        let largest = dense.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let centred: Vec<f64> = dense
            .iter()
            .zip(weights)
            .map(|(x, w)| (x - mean) * w.sqrt())
            .collect();
        let length = centred.iter().map(|x| x * x).sum::<f64>().sqrt();
        // What is left of a constant column is rounding.
        if length > 1e-14 * largest * total.sqrt() {
            for (i, x) in centred.iter().enumerate() {
                out[(i, j)] = x / length;
            }
        }
    }
    out
}

/// All inner products of columns.
fn products(columns: &Mat<f64>) -> Mat<f64> {
    let p = columns.ncols();
    let mut out = Mat::zeros(p, p);
    matmul(
        out.as_mut(),
        Accum::Replace,
        columns.transpose(),
        columns.as_ref(),
        1.0,
        Par::Seq,
    );
    out
}
