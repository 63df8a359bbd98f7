//! The formula over the rows of a design: weighted residuals and their Jacobian.

use pricetag_cost_model::Formula;
use pricetag_estimator::{Design, EstimatorError};

use super::estimator::METHOD;
use super::marquardt::LeastSquaresProblem;
use super::program::Program;

/// A formula, its derivatives and the rows it is fitted to; rows without weight are left out.
pub(super) struct Model {
    /// Names that are no columns, in order of first appearance.
    pub parameters: Vec<String>,
    /// Whether the formula is linear in the parameter, together with all others so marked.
    pub linear: Vec<bool>,
    pub target: Vec<f64>,
    pub roots: Vec<f64>,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    value: Program,
    derivatives: Vec<Program>,
}

impl Model {
    pub(super) fn new(formula: &Formula, design: &Design) -> Result<Self, EstimatorError> {
        let used: Vec<usize> = (0..design.rows())
            .filter(|&i| design.weights[i] > 0.0)
            .collect();
        let mut names: Vec<&str> = Vec::new();
        let mut columns = Vec::new();
        let mut parameters = Vec::new();
        for name in formula.features() {
            if let Some(column) = design.columns.iter().find(|c| c.name == name) {
                let dense = column.values.to_dense(design.rows());
                columns.push(used.iter().map(|&i| dense[i]).collect());
                names.push(name);
            } else {
                parameters.push(name.to_owned());
            }
        }
        let resolve = |name: &str| {
            let column = names.iter().position(|n| *n == name).map(Program::Column);
            column.or_else(|| {
                let at = parameters.iter().position(|p| p == name);
                at.map(Program::Parameter)
            })
        };
        let compile = |formula: &Formula| {
            Program::new(formula, &resolve).map_err(|name| EstimatorError::Request {
                method: METHOD,
                reason: format!("`{name}` is unknown"),
            })
        };
        let symbolic: Vec<Formula> = parameters
            .iter()
            .map(|name| formula.derivative(name).simplified())
            .collect();
        let derivatives = symbolic.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self {
            linear: jointly_linear(&parameters, &symbolic),
            value: compile(formula)?,
            derivatives,
            target: used.iter().map(|&i| design.target[i]).collect(),
            roots: used.iter().map(|&i| design.weights[i].sqrt()).collect(),
            names: names.into_iter().map(str::to_owned).collect(),
            columns,
            parameters,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.target.len()
    }

    /// Another formula over the same columns, without parameters.
    pub(super) fn evaluated(&self, formula: &Formula) -> Option<Vec<f64>> {
        let column = |name: &str| {
            self.names
                .iter()
                .position(|n| n == name)
                .map(Program::Column)
        };
        let program = Program::new(formula, &column).ok()?;
        Some(program.values(&self.columns, &[], self.rows()))
    }

    /// The predictions of the used rows.
    pub(super) fn predictions(&self, parameters: &[f64]) -> Vec<f64> {
        self.value.values(&self.columns, parameters, self.rows())
    }
}

impl LeastSquaresProblem for Model {
    fn residuals(&self, parameters: &[f64]) -> Vec<f64> {
        let mut out = self.predictions(parameters);
        for ((r, y), root) in out.iter_mut().zip(&self.target).zip(&self.roots) {
            *r = root * (y - *r);
        }
        out
    }

    fn jacobian(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let derivative = |program: &Program| {
            let mut column = program.values(&self.columns, parameters, self.rows());
            for (d, root) in column.iter_mut().zip(&self.roots) {
                *d *= root;
            }
            column
        };
        self.derivatives.iter().map(derivative).collect()
    }
}

/// Parameters none of whose derivatives names any of them; taken greedily in order.
fn jointly_linear(parameters: &[String], derivatives: &[Formula]) -> Vec<bool> {
    let names: Vec<Vec<&str>> = derivatives.iter().map(Formula::features).collect();
    let mut linear = vec![false; parameters.len()];
    for i in 0..parameters.len() {
        let apart = |j: usize| {
            !names[i].contains(&parameters[j].as_str())
                && !names[j].contains(&parameters[i].as_str())
        };
        linear[i] = apart(i) && (0..i).filter(|&j| linear[j]).all(apart);
    }
    linear
}
