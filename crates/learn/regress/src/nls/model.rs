//! The formula over the rows of a design: weighted residuals and their Jacobian.

use pricetag_cost_model::Formula;
use pricetag_estimator::{Design, EstimatorError};

use super::estimator::METHOD;
use super::marquardt::{Evaluation, LeastSquaresProblem};
use super::tape::{Name, Tape, View};

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
    /// The formula, then its derivative by each parameter.
    tape: Tape,
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
            let column = names.iter().position(|n| *n == name).map(Name::Column);
            column.or_else(|| {
                let at = parameters.iter().position(|p| p == name);
                at.map(Name::Parameter)
            })
        };
        let symbolic: Vec<Formula> = parameters
            .iter()
            .map(|name| formula.derivative(name).simplified())
            .collect();
        let all: Vec<&Formula> = std::iter::once(formula).chain(&symbolic).collect();
        let tape = Tape::new(&all, &resolve, &columns, used.len()).map_err(|name| {
            EstimatorError::Request {
                method: METHOD,
                reason: format!("`{name}` is unknown"),
            }
        })?;
        Ok(Self {
            linear: jointly_linear(&parameters, &symbolic),
            tape,
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
            let at = self.names.iter().position(|n| n == name);
            at.map(Name::Column)
        };
        let tape = Tape::new(&[formula], &column, &self.columns, self.rows()).ok()?;
        Some(tape.values(&self.columns, &[]))
    }

    /// The predictions of the used rows.
    pub(super) fn predictions(&self, parameters: &[f64]) -> Vec<f64> {
        self.tape.values(&self.columns, parameters)
    }
}

impl LeastSquaresProblem for Model {
    fn evaluate(&self, parameters: &[f64], out: &mut Evaluation) {
        let rows = self.rows();
        out.residuals.resize(rows, 0.0);
        out.jacobian.resize_with(parameters.len(), Vec::new);
        for column in &mut out.jacobian {
            column.resize(rows, 0.0);
        }
        let outputs = 1 + parameters.len();
        self.tape
            .run(&self.columns, parameters, outputs, |k, range, view| {
                let roots = &self.roots[range.clone()];
                if k == 0 {
                    let target = &self.target[range.clone()];
                    let residuals = out.residuals[range].iter_mut().zip(target).zip(roots);
                    for (at, ((r, y), root)) in residuals.enumerate() {
                        *r = root * (y - view.at(at));
                    }
                    return;
                }
                let column = out.jacobian[k - 1][range].iter_mut().zip(roots);
                match view {
                    View::One(x) => column.for_each(|(d, root)| *d = x * root),
                    View::Rows(values) => {
                        for ((d, root), x) in column.zip(values) {
                            *d = x * root;
                        }
                    }
                }
            });
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

#[cfg(test)]
mod tests {
    use pricetag_estimator::{Column, Values};

    use super::*;

    /// Every column of the weighted Jacobian against central differences of the weighted residuals, over two blocks of
    /// rows, one of them with weight zero.
    #[test]
    fn the_jacobian_is_the_slope_of_the_residuals() {
        let rows = 400;
        let column = |name: &str, value: &dyn Fn(usize) -> f64| Column {
            name: name.to_owned(),
            values: Values::Dense((0..rows).map(value).collect()),
        };
        let columns = vec![
            column("a", &|i| 0.5 + 0.03 * i as f64),
            column("b", &|i| (1 + i * 7 % 11) as f64),
        ];
        let mut design = Design::new(columns, (0..rows).map(|i| 3.0 + i as f64).collect());
        design.weights = (0..rows).map(|i| 0.1 * (i % 5) as f64).collect();
        for text in [
            "p + q*a^r",
            "p*exp(-q*a) + r*sin(p*b)",
            "p*a*log(q*b + r)/(1 + r*a^2)",
            "if(b > 5, p*a + q, r*b) + arctan(q*a)",
            "max(p*a, q*b) + min(r, a)^2",
            "(p*a + q)^(r/b)",
        ] {
            let model = Model::new(&Formula::parse(text).unwrap(), &design).unwrap();
            assert_eq!(model.rows(), 320, "rows without weight are left out");
            let value = |name: &String| [0.7, 0.3, 1.3][(name.as_bytes()[0] - b'p') as usize];
            let at: Vec<f64> = model.parameters.iter().map(value).collect();
            let found = model.at(&at).jacobian;
            for (j, column) in found.iter().enumerate() {
                let moved = |by: f64| {
                    let mut to = at.clone();
                    to[j] += by;
                    model.at(&to).residuals
                };
                let step = 1e-5;
                let (up, down) = (moved(step), moved(-step));
                for row in 0..model.rows() {
                    let slope = (down[row] - up[row]) / (2.0 * step);
                    assert!(
                        (column[row] - slope).abs() <= 1e-6 * (1.0 + slope.abs()),
                        "{text}, {}, row {row}: {} {slope}",
                        model.parameters[j],
                        column[row]
                    );
                }
            }
        }
    }
}
