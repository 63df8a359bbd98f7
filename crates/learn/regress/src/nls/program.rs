//! A formula with its names resolved, evaluated for all rows at once.
//!
//! Names that are parameters become scalars, columns stay columns; a part without a column is computed once, not per row.
//! The operations and their order are those of [`Formula::evaluate`], so that the stored formula predicts what was fitted.

use std::borrow::Cow;

use pricetag_cost_model::{Comparison, Formula};

/// A resolved formula.
#[derive(Clone, Debug)]
pub(super) enum Program {
    Constant(f64),
    Column(usize),
    Parameter(usize),
    Sum(Vec<Program>),
    Product(Vec<Program>),
    Unary(fn(f64) -> f64, Box<Program>),
    Binary(fn(f64, f64) -> f64, Box<Program>, Box<Program>),
    If(Box<[Program; 3]>),
}

/// A number for every row, or one for all.
enum Value<'a> {
    Scalar(f64),
    Rows(Cow<'a, [f64]>),
}

impl Program {
    /// Resolves every name; the first unknown one is the error.
    pub(super) fn new(
        formula: &Formula,
        resolve: &dyn Fn(&str) -> Option<Self>,
    ) -> Result<Self, String> {
        let known = |name: &String| resolve(name).ok_or_else(|| name.clone());
        let part = |formula: &Formula| Self::new(formula, resolve);
        let list = |parts: &[Formula]| parts.iter().map(part).collect::<Result<Vec<_>, _>>();
        let unary = |f, a: &Formula| Ok(Self::Unary(f, Box::new(part(a)?)));
        let binary = |f, a: &Formula, b: &Formula| {
            Ok(Self::Binary(f, Box::new(part(a)?), Box::new(part(b)?)))
        };
        match formula {
            Formula::Constant(c) => Ok(Self::Constant(*c)),
            Formula::Feature(name) => known(name),
            Formula::Linear { intercept, terms } => {
                let mut parts = vec![Self::Constant(*intercept)];
                for (coefficient, name) in terms.iter().filter(|term| term.0 != 0.0) {
                    parts.push(Self::Product(vec![
                        Self::Constant(*coefficient),
                        known(name)?,
                    ]));
                }
                Ok(Self::Sum(parts))
            }
            Formula::Sum(parts) => Ok(Self::Sum(list(parts)?)),
            Formula::Product(parts) => Ok(Self::Product(list(parts)?)),
            Formula::Quotient(a, b) => binary(|a, b| a / b, a, b),
            Formula::Power(a, b) => binary(f64::powf, a, b),
            Formula::Log(a) => unary(f64::ln, a),
            Formula::Exp(a) => unary(f64::exp, a),
            Formula::Min(a, b) => binary(f64::min, a, b),
            Formula::Max(a, b) => binary(f64::max, a, b),
            Formula::Sin(a) => unary(f64::sin, a),
            Formula::Arctan(a) => unary(f64::atan, a),
            Formula::Compare(how, a, b) => binary(comparison(*how), a, b),
            Formula::If {
                condition,
                then,
                otherwise,
            } => Ok(Self::If(Box::new([
                part(condition)?,
                part(then)?,
                part(otherwise)?,
            ]))),
        }
    }

    /// The value of every row.
    pub(super) fn values(&self, columns: &[Vec<f64>], parameters: &[f64], rows: usize) -> Vec<f64> {
        match self.value(columns, parameters) {
            Value::Scalar(x) => vec![x; rows],
            Value::Rows(values) => values.into_owned(),
        }
    }

    fn value<'a>(&self, columns: &'a [Vec<f64>], parameters: &[f64]) -> Value<'a> {
        match self {
            Self::Constant(c) => Value::Scalar(*c),
            Self::Parameter(i) => Value::Scalar(parameters[*i]),
            Self::Column(i) => Value::Rows(Cow::Borrowed(&columns[*i])),
            Self::Sum(parts) => parts.iter().fold(Value::Scalar(0.0), |sum, part| {
                joined(sum, part.value(columns, parameters), |a, b| a + b)
            }),
            Self::Product(parts) => parts.iter().fold(Value::Scalar(1.0), |product, part| {
                joined(product, part.value(columns, parameters), |a, b| a * b)
            }),
            Self::Unary(function, a) => match a.value(columns, parameters) {
                Value::Scalar(x) => Value::Scalar(function(x)),
                Value::Rows(mut values) => {
                    values.to_mut().iter_mut().for_each(|x| *x = function(*x));
                    Value::Rows(values)
                }
            },
            Self::Binary(function, a, b) => joined(
                a.value(columns, parameters),
                b.value(columns, parameters),
                *function,
            ),
            Self::If(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                let holds = |x: f64| !(x == 0.0 || x.is_nan());
                match condition.value(columns, parameters) {
                    Value::Scalar(x) if holds(x) => then.value(columns, parameters),
                    Value::Scalar(_) => otherwise.value(columns, parameters),
                    Value::Rows(conditions) => {
                        let then = then.value(columns, parameters);
                        let otherwise = otherwise.value(columns, parameters);
                        let chosen = conditions.iter().enumerate().map(|(row, &x)| {
                            let branch = if holds(x) { &then } else { &otherwise };
                            branch.at(row)
                        });
                        Value::Rows(chosen.collect())
                    }
                }
            }
        }
    }
}

impl Value<'_> {
    fn at(&self, row: usize) -> f64 {
        match self {
            Self::Scalar(x) => *x,
            Self::Rows(values) => values[row],
        }
    }
}

fn joined<'a>(a: Value<'a>, b: Value<'a>, function: impl Fn(f64, f64) -> f64) -> Value<'a> {
    match (a, b) {
        (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(function(x, y)),
        (Value::Scalar(x), Value::Rows(mut values)) => {
            values
                .to_mut()
                .iter_mut()
                .for_each(|y| *y = function(x, *y));
            Value::Rows(values)
        }
        (Value::Rows(mut values), Value::Scalar(y)) => {
            values
                .to_mut()
                .iter_mut()
                .for_each(|x| *x = function(*x, y));
            Value::Rows(values)
        }
        (Value::Rows(mut left), Value::Rows(right)) => {
            for (x, y) in left.to_mut().iter_mut().zip(right.iter()) {
                *x = function(*x, *y);
            }
            Value::Rows(left)
        }
    }
}

fn comparison(how: Comparison) -> fn(f64, f64) -> f64 {
    match how {
        Comparison::Less => |a, b| f64::from(a < b),
        Comparison::LessOrEqual => |a, b| f64::from(a <= b),
        Comparison::Greater => |a, b| f64::from(a > b),
        Comparison::GreaterOrEqual => |a, b| f64::from(a >= b),
        Comparison::Equal => |a, b| f64::from(a == b),
        Comparison::NotEqual => |a, b| f64::from(a != b),
    }
}
