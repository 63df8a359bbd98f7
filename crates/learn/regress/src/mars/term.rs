//! The terms of a MARS model as plain data, and as a formula.
//!
//! Notation of Friedman (1991), eq. 18: a term is a coefficient times a product of factors, each of one variable, and no
//! variable twice. Besides his hinges there is the variable itself (`earth`'s linear predictors) and the step, because
//! hinges cannot represent a jump.

use pricetag_cost_model::{Comparison, Formula};

/// What a factor does with the value x of its variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// x itself.
    Linear,
    /// max(0, x − knot).
    Above(f64),
    /// max(0, knot − x).
    Below(f64),
    /// 1 where x > knot, else 0.
    Step(f64),
}

impl Shape {
    /// Value of the factor.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Above(knot) => (x - knot).max(0.0),
            Self::Below(knot) => (knot - x).max(0.0),
            Self::Step(knot) => f64::from(u8::from(x > knot)),
        }
    }

    /// Where the factor changes its behaviour.
    pub fn knot(self) -> Option<f64> {
        match self {
            Self::Linear => None,
            Self::Above(knot) | Self::Below(knot) | Self::Step(knot) => Some(knot),
        }
    }

    /// The shape over `factor · x` instead of x.
    pub(super) fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Linear => self,
            Self::Above(knot) => Self::Above(knot * factor),
            Self::Below(knot) => Self::Below(knot * factor),
            Self::Step(knot) => Self::Step(knot * factor),
        }
    }
}

/// One factor of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// Index of the variable among the columns of the design.
    pub variable: usize,
    /// What is done with its value.
    pub shape: Shape,
}

/// A coefficient times a product of factors; the intercept has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The coefficient.
    pub coefficient: f64,
    /// The factors, in the order in which the forward pass found them.
    pub factors: Vec<Factor>,
}

impl Term {
    /// Value of the term, given the value of each variable.
    pub fn value(&self, variable: &dyn Fn(usize) -> f64) -> f64 {
        self.factors.iter().fold(self.coefficient, |product, f| {
            product * f.shape.value(variable(f.variable))
        })
    }
}

/// The sum of the terms as a formula over the columns' names.
pub(super) fn formula(terms: &[Term], names: &[&str]) -> Formula {
    let (mut intercept, mut linear, mut parts) = (0.0, Vec::new(), Vec::new());
    for term in terms {
        match term.factors.as_slice() {
            [] => intercept += term.coefficient,
            [
                Factor {
                    variable,
                    shape: Shape::Linear,
                },
            ] => linear.push((term.coefficient, names[*variable].to_owned())),
            factors => {
                let mut product = vec![Formula::Constant(term.coefficient)];
                product.extend(factors.iter().map(|f| factor(f.shape, names[f.variable])));
                parts.push(Formula::Product(product));
            }
        }
    }
    let first = if linear.is_empty() {
        Formula::Constant(intercept)
    } else {
        Formula::Linear {
            intercept,
            terms: linear,
        }
    };
    if parts.is_empty() {
        return first;
    }
    parts.insert(0, first);
    Formula::Sum(parts)
}

fn factor(shape: Shape, name: &str) -> Formula {
    let hinge = |intercept: f64, slope: f64| {
        Formula::Max(
            Box::new(Formula::Constant(0.0)),
            Box::new(Formula::Linear {
                intercept,
                terms: vec![(slope, name.to_owned())],
            }),
        )
    };
    match shape {
        Shape::Linear => Formula::Feature(name.to_owned()),
        Shape::Above(knot) => hinge(-knot, 1.0),
        Shape::Below(knot) => hinge(knot, -1.0),
        Shape::Step(knot) => Formula::Compare(
            Comparison::Greater,
            Box::new(Formula::Feature(name.to_owned())),
            Box::new(Formula::Constant(knot)),
        ),
    }
}
