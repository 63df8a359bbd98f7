//! The contract between a learner and those who call it.

use pricetag_cost_model::{Diagnostic, Formula, FormulaError, LinearSummary};

use crate::design::{Checked, Design, DesignError};

/// Turns a checked design into a fitted one.
pub trait Estimator: Sync {
    /// Name of the method, as in `--method`.
    fn name(&self) -> &'static str;
    /// Fits; equal designs give equal bytes.
    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError>;
}

/// Why an estimator gave up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EstimatorError {
    /// The design is not fit to be fitted.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// Too few rows for this method.
    #[error("{method} needs at least {needed} observations, there are {rows}")]
    TooFewRows {
        /// Name of the method.
        method: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        rows: usize,
    },
    /// A parameter is out of range.
    #[error("{method}: {parameter} = {value} is out of range")]
    Parameter {
        /// Name of the method.
        method: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// Its value.
        value: f64,
    },
    /// What was asked for does not fit the design.
    #[error("{method}: {reason}")]
    Request {
        /// Name of the method.
        method: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// The numbers defeated the method.
    #[error("{method} did not converge: {reason}")]
    Numerical {
        /// Name of the method.
        method: &'static str,
        /// What happened.
        reason: String,
    },
}

/// What is known about one coefficient.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficient {
    /// The estimate; none when the data do not determine it.
    pub estimate: Option<f64>,
    /// Standard error, where the method has one.
    pub std_error: Option<f64>,
    /// What it would be without its own evidence.
    pub prior: Option<f64>,
    /// Weight of the observations against the prior, 0 … 1.
    pub evidence: Option<f64>,
}

/// A fitted model over the columns of its design.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Name of the method.
    pub method: &'static str,
    /// The formula over column names.
    pub formula: Formula,
    /// For linear models: one entry per column of the design.
    pub coefficients: Vec<Coefficient>,
    /// For linear models: added once per row.
    pub intercept: f64,
    /// For least squares: what R shows.
    pub summary: Option<LinearSummary>,
    /// What the user should know.
    pub notes: Vec<Diagnostic>,
}

impl Fitted {
    /// A linear model; undetermined coefficients count as zero, as R has it.
    pub fn linear(
        method: &'static str,
        design: &Design,
        intercept: f64,
        coefficients: Vec<Coefficient>,
    ) -> Self {
        let terms = design
            .columns
            .iter()
            .zip(&coefficients)
            .filter_map(|(column, c)| {
                c.estimate
                    .filter(|e| *e != 0.0)
                    .map(|e| (e, column.name.clone()))
            })
            .collect();
        Self {
            method,
            formula: Formula::Linear { intercept, terms },
            coefficients,
            intercept,
            summary: None,
            notes: Vec::new(),
        }
    }

    /// Predictions for the rows of a design with the same columns.
    pub fn predict(&self, design: &Design) -> Result<Vec<f64>, FormulaError> {
        if self.coefficients.len() == design.columns.len() {
            let mut out = vec![self.intercept; design.rows()];
            for (column, coefficient) in design.columns.iter().zip(&self.coefficients) {
                if let Some(estimate) = coefficient.estimate {
                    column.values.add_to(estimate, &mut out);
                }
            }
            return Ok(out);
        }
        let dense: std::collections::BTreeMap<&str, Vec<f64>> = design
            .columns
            .iter()
            .map(|c| (c.name.as_str(), c.values.to_dense(design.rows())))
            .collect();
        (0..design.rows())
            .map(|row| {
                self.formula
                    .evaluate(&|name| dense.get(name).map(|values| values[row]))
            })
            .collect()
    }
}
