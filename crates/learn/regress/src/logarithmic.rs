//! Products instead of sums: any estimator on the logarithm of the cost, so that every feature multiplies it.
//!
//! Options of a program often take a share off its time, whatever the workload: a sum of such effects is a sum of
//! logarithms (Box & Cox 1964, λ = 0). A column whose values are all above zero and reach over more than a factor of
//! `WIDE` is offered as its logarithm as well, as a power of it multiplies the cost then. The logarithm is that of the
//! share of the column's least value, so that its unit does not matter.
//!
//! Errors are those of the logarithm, all rows alike: near enough to relative errors, whatever the design's weights, of which
//! only zeros are kept. What is predicted is the median rather than the mean. Costs must be above zero.

use pricetag_cost_model::Formula;
use pricetag_estimator::{Checked, Column, Design, Estimator, EstimatorError, Fitted, Values};

/// Largest over least value from which a column's logarithm is offered.
const WIDE: f64 = 4.0;
/// Columns of wide range up to which the ratios of each two are offered.
const PAIRED: usize = 4;
/// Exponents at most; beyond them a prediction is infinite.
const LARGEST: f64 = 700.0;

/// An estimator of the logarithm of the cost.
pub struct Logarithmic {
    /// Name of the whole, as in `--method`.
    pub name: &'static str,
    /// Learns the logarithm; it has to fit a constant by itself.
    pub inner: Box<dyn Estimator>,
}

/// A column whose logarithm is offered.
struct Wide {
    name: String,
    least: f64,
    /// Logarithms of the values as shares of the least one.
    logs: Vec<f64>,
}

impl Wide {
    /// None where the values are not all above zero or hardly differ.
    fn of(column: &Column, rows: usize) -> Option<Self> {
        let values = column.values.to_dense(rows);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        let is_wide = least > 0.0 && most > WIDE * least && (most / least).is_finite();
        is_wide.then(|| Self {
            name: column.name.clone(),
            least,
            logs: values.iter().map(|v| (v / least).ln()).collect(),
        })
    }

    fn logarithm(&self) -> Logarithm {
        Logarithm::of(
            &self.name,
            self,
            Formula::Constant(self.least),
            self.logs.clone(),
        )
    }

    /// The logarithm of the ratio of two columns: which of two sizes is larger often decides what is done.
    fn ratio(&self, other: &Self) -> Logarithm {
        let shift = (self.least / other.least).ln();
        let logs = self.logs.iter().zip(&other.logs);
        Logarithm::of(
            &format!("{}/{}", self.name, other.name),
            self,
            Formula::Feature(other.name.clone()),
            logs.map(|(a, b)| a - b + shift).collect(),
        )
    }
}

/// A column that stands for a logarithm.
struct Logarithm {
    name: String,
    formula: Formula,
    values: Vec<f64>,
}

impl Logarithm {
    fn of(name: &str, column: &Wide, over: Formula, values: Vec<f64>) -> Self {
        let feature = Box::new(Formula::Feature(column.name.clone()));
        Self {
            name: format!("log({name})"),
            formula: Formula::Log(Box::new(Formula::Quotient(feature, Box::new(over)))),
            values,
        }
    }
}

/// The logarithms that are offered beside the columns themselves.
fn logarithms(design: &Design) -> Vec<Logarithm> {
    let rows = design.rows();
    let wide: Vec<Wide> = design
        .columns
        .iter()
        .filter_map(|column| Wide::of(column, rows))
        .collect();
    let mut found: Vec<Logarithm> = wide.iter().map(Wide::logarithm).collect();
    if wide.len() <= PAIRED {
        for (i, a) in wide.iter().enumerate() {
            found.extend(wide[i + 1..].iter().map(|b| a.ratio(b)));
        }
    }
    found.retain(|log| design.columns.iter().all(|c| c.name != log.name));
    found
}

impl Estimator for Logarithmic {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        if let Some(row) = design.target.iter().position(|y| *y <= 0.0) {
            return Err(EstimatorError::Request {
                method: self.name,
                reason: format!(
                    "the cost of `{}` is {}, which has no logarithm",
                    design.labels[row], design.target[row]
                ),
            });
        }
        let mut logs = Design::clone(design);
        let named = logarithms(design);
        logs.columns.extend(named.iter().map(|log| Column {
            name: log.name.clone(),
            values: Values::Dense(log.values.clone()),
        }));
        logs.target = design.target.iter().map(|y| y.ln()).collect();
        for weight in &mut logs.weights {
            *weight = f64::from(u8::from(*weight > 0.0));
        }
        let fitted = self.inner.fit(&logs.check()?)?;
        let formula = replaced(&fitted.formula, &named);
        Ok(Fitted {
            method: self.name,
            formula: Formula::Exp(Box::new(Formula::Min(
                Box::new(formula),
                Box::new(Formula::Constant(LARGEST)),
            ))),
            coefficients: Vec::new(),
            intercept: 0.0,
            summary: None,
            notes: fitted.notes,
        })
    }
}

/// A formula with the logarithms in the place of their names.
fn replaced(formula: &Formula, named: &[Logarithm]) -> Formula {
    let find = |name: &str| named.iter().find(|log| log.name == name);
    match formula {
        Formula::Feature(name) => find(name).map_or_else(|| formula.clone(), |l| l.formula.clone()),
        Formula::Linear { intercept, terms } => {
            let (logs, kept): (Vec<_>, Vec<_>) = terms
                .iter()
                .cloned()
                .partition(|(_, name)| find(name).is_some());
            let linear = Formula::Linear {
                intercept: *intercept,
                terms: kept,
            };
            if logs.is_empty() {
                return linear;
            }
            let product = |(coefficient, name): (f64, String)| {
                let log = replaced(&Formula::Feature(name), named);
                Formula::Product(vec![Formula::Constant(coefficient), log])
            };
            let products = logs.into_iter().map(product);
            Formula::Sum(std::iter::once(linear).chain(products).collect())
        }
        _ => formula.map_parts(&mut |part| replaced(part, named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mars, SparsePolynomial};

    /// Powers and shares multiply: 5·n^1.5·(a third with the cache)·(twice where verbose).
    #[test]
    fn a_product_is_found() {
        let column = |name: &str, f: &dyn Fn(usize) -> f64| Column {
            name: name.into(),
            values: Values::Dense((0..60).map(f).collect()),
        };
        let n = |i: usize| (1 + i * 7 % 53) as f64;
        let cache = |i: usize| (i % 2) as f64;
        let verbose = |i: usize| (i / 2 % 2) as f64;
        let cost = |n: f64, c: f64, v: f64| 5.0 * n.powf(1.5) * 3f64.powf(-c) * 2f64.powf(v);
        let target = (0..60).map(|i| cost(n(i), cache(i), verbose(i))).collect();
        let columns = vec![
            column("n", &n),
            column("cache", &cache),
            column("verbose", &verbose),
        ];
        let design = Design::new(columns, target).check().unwrap();
        let inner: [Box<dyn Estimator>; 2] = [
            Box::new(SparsePolynomial::default()),
            Box::new(Mars {
                degree: 2,
                ..Mars::default()
            }),
        ];
        for inner in inner {
            let fitted = Logarithmic {
                name: "log-x",
                inner,
            }
            .fit(&design)
            .unwrap();
            for (n, c, v) in [(1.0, 0.0, 0.0), (30.0, 1.0, 1.0), (53.0, 1.0, 0.0)] {
                let at = |name: &str| match name {
                    "n" => Some(n),
                    "cache" => Some(c),
                    "verbose" => Some(v),
                    _ => None,
                };
                let found = fitted.formula.evaluate(&at).unwrap() / cost(n, c, v);
                assert!(
                    (found - 1.0).abs() < 0.01,
                    "{found}: {}",
                    fitted.formula.text()
                );
            }
        }
    }

    #[test]
    fn costs_that_have_no_logarithm_are_refused() {
        let column = Column {
            name: "a".into(),
            values: Values::Dense(vec![1.0, 2.0, 3.0]),
        };
        let design = Design::new(vec![column], vec![3.0, 0.0, 1.0])
            .check()
            .unwrap();
        let refused = Logarithmic {
            name: "log-mars",
            inner: Box::new(Mars::default()),
        };
        let text = refused.fit(&design).unwrap_err().to_string();
        assert!(text.contains("is 0, which has no logarithm"), "{text}");
    }
}
