//! Derivatives of formulas with respect to one name.
//!
//! The rules of calculus on the tree; zeros and ones are folded on the way, everything else is left to
//! [`Formula::simplified`]. Where a formula has no derivative (at the jump of an `if` or a comparison, at the kink of
//! `min` and `max`) the value is that of one side.
//!
//! Deviation: the derivative of a^b with respect to its exponent is taken as 0 at a ≤ 0, where the rule a^b·log(a) would
//! give NaN: at 0, for b > 0, that is the limit, and rows with an empty input are common; below 0 a power has a value at
//! whole exponents alone, which are constants.

use std::f64::consts::FRAC_PI_2;

use crate::{Comparison, Formula};

impl Formula {
    /// The derivative with respect to the feature or parameter of this name.
    #[must_use]
    pub fn derivative(&self, name: &str) -> Self {
        match self {
            Self::Constant(_) | Self::Compare(..) => ZERO,
            Self::Feature(own) => Self::Constant(f64::from(own == name)),
            Self::Linear { terms, .. } => {
                let own = terms.iter().filter(|(_, feature)| feature == name);
                // Not `sum`, whose empty value is -0.
                Self::Constant(own.fold(0.0, |sum, (coefficient, _)| sum + coefficient))
            }
            Self::Sum(parts) => sum(parts.iter().map(|part| part.derivative(name)).collect()),
            Self::Product(factors) => {
                let with = |i: usize| {
                    let mut term = factors.clone();
                    term[i] = factors[i].derivative(name);
                    product(term)
                };
                sum((0..factors.len()).map(with).collect())
            }
            Self::Quotient(a, b) => {
                let (da, db) = (a.derivative(name), b.derivative(name));
                let first = quotient(da, (**b).clone());
                let second = product(vec![Self::Constant(-1.0), (**a).clone(), db]);
                let second = quotient(
                    second,
                    Self::Power(b.clone(), Box::new(Self::Constant(2.0))),
                );
                sum(vec![first, second])
            }
            Self::Power(a, b) => power_rule(a, b, name),
            Self::Log(a) => quotient(a.derivative(name), (**a).clone()),
            Self::Exp(a) => product(vec![a.derivative(name), self.clone()]),
            Self::Sin(a) => {
                let turned = Self::Sum(vec![(**a).clone(), Self::Constant(FRAC_PI_2)]);
                product(vec![a.derivative(name), Self::Sin(Box::new(turned))])
            }
            Self::Arctan(a) => {
                let square = Self::Power(a.clone(), Box::new(Self::Constant(2.0)));
                quotient(a.derivative(name), Self::Sum(vec![ONE, square]))
            }
            Self::Min(a, b) => chosen(Comparison::LessOrEqual, a, b, name),
            Self::Max(a, b) => chosen(Comparison::GreaterOrEqual, a, b, name),
            Self::If {
                condition,
                then,
                otherwise,
            } => branch(
                (**condition).clone(),
                then.derivative(name),
                otherwise.derivative(name),
            ),
        }
    }
}

const ZERO: Formula = Formula::Constant(0.0);
const ONE: Formula = Formula::Constant(1.0);

fn power_rule(a: &Formula, b: &Formula, name: &str) -> Formula {
    let (da, db) = (a.derivative(name), b.derivative(name));
    let less = match b {
        Formula::Constant(c) => Formula::Constant(c - 1.0),
        _ => Formula::Sum(vec![b.clone(), Formula::Constant(-1.0)]),
    };
    let lowered = match less {
        Formula::Constant(0.0) => ONE,
        Formula::Constant(1.0) => a.clone(),
        less => Formula::Power(Box::new(a.clone()), Box::new(less)),
    };
    let by_base = product(vec![b.clone(), lowered, da]);
    let safe = match a {
        Formula::Constant(c) if *c > 0.0 => a.clone(),
        Formula::Exp(_) => a.clone(),
        _ => Formula::If {
            condition: Box::new(Formula::Compare(
                Comparison::LessOrEqual,
                Box::new(a.clone()),
                Box::new(ZERO),
            )),
            then: Box::new(ONE),
            otherwise: Box::new(a.clone()),
        },
    };
    let power = Formula::Power(Box::new(a.clone()), Box::new(b.clone()));
    let by_exponent = product(vec![power, Formula::Log(Box::new(safe)), db]);
    sum(vec![by_base, by_exponent])
}

fn chosen(how: Comparison, a: &Formula, b: &Formula, name: &str) -> Formula {
    let condition = Formula::Compare(how, Box::new(a.clone()), Box::new(b.clone()));
    branch(condition, a.derivative(name), b.derivative(name))
}

fn branch(condition: Formula, then: Formula, otherwise: Formula) -> Formula {
    if then == otherwise {
        return then;
    }
    Formula::If {
        condition: Box::new(condition),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    }
}

fn sum(mut terms: Vec<Formula>) -> Formula {
    terms.retain(|term| *term != ZERO);
    match terms.len() {
        0 => ZERO,
        1 => terms.remove(0),
        _ => Formula::Sum(terms),
    }
}

fn product(mut factors: Vec<Formula>) -> Formula {
    if factors.contains(&ZERO) {
        return ZERO;
    }
    factors.retain(|factor| *factor != ONE);
    match factors.len() {
        0 => ONE,
        1 => factors.remove(0),
        _ => Formula::Product(factors),
    }
}

fn quotient(a: Formula, b: Formula) -> Formula {
    if a == ZERO {
        ZERO
    } else {
        Formula::Quotient(Box::new(a), Box::new(b))
    }
}
