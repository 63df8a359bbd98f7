//! Evaluation of formulas, and what is in them.

use crate::Formula;

/// Why a formula has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// The formula needs a feature that was not given.
    #[error("the formula needs the feature `{0}`, which has no value")]
    MissingFeature(String),
}

impl Formula {
    /// Value of the formula, given the value of every feature it names.
    ///
    /// Features with a zero coefficient, and those of the branch of an `if` that is not taken, are not asked for. The
    /// result may be NaN or infinite, as arithmetic has it.
    pub fn evaluate(&self, feature: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaError> {
        let value =
            |name: &String| feature(name).ok_or_else(|| FormulaError::MissingFeature(name.clone()));
        Ok(match self {
            Self::Constant(c) => *c,
            Self::Feature(name) => value(name)?,
            Self::Linear { intercept, terms } => {
                let mut sum = *intercept;
                for (coefficient, name) in terms {
                    if *coefficient != 0.0 {
                        sum += coefficient * value(name)?;
                    }
                }
                sum
            }
            Self::Sum(parts) => {
                let mut sum = 0.0;
                for part in parts {
                    sum += part.evaluate(feature)?;
                }
                sum
            }
            Self::Product(parts) => {
                let mut product = 1.0;
                for part in parts {
                    product *= part.evaluate(feature)?;
                }
                product
            }
            Self::Quotient(a, b) => a.evaluate(feature)? / b.evaluate(feature)?,
            Self::Power(a, b) => a.evaluate(feature)?.powf(b.evaluate(feature)?),
            Self::Log(a) => a.evaluate(feature)?.ln(),
            Self::Exp(a) => a.evaluate(feature)?.exp(),
            Self::Min(a, b) => a.evaluate(feature)?.min(b.evaluate(feature)?),
            Self::Max(a, b) => a.evaluate(feature)?.max(b.evaluate(feature)?),
            Self::Sin(a) => a.evaluate(feature)?.sin(),
            Self::Arctan(a) => a.evaluate(feature)?.atan(),
            Self::Compare(how, a, b) => {
                f64::from(how.holds(a.evaluate(feature)?, b.evaluate(feature)?))
            }
            Self::If {
                condition,
                then,
                otherwise,
            } => {
                let chosen = condition.evaluate(feature)?;
                if chosen == 0.0 || chosen.is_nan() {
                    otherwise.evaluate(feature)?
                } else {
                    then.evaluate(feature)?
                }
            }
        })
    }

    /// Names of all features in the formula, each once, in order of first appearance.
    pub fn features(&self) -> Vec<&str> {
        let mut seen = std::collections::BTreeSet::new();
        let mut out = Vec::new();
        self.visit_features(&mut |name| {
            if seen.insert(name) {
                out.push(name);
            }
        });
        out
    }

    /// Whether every constant and coefficient is finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Constant(c) => c.is_finite(),
            Self::Linear { intercept, terms } => {
                intercept.is_finite() && terms.iter().all(|(c, _)| c.is_finite())
            }
            _ => self.parts().iter().all(|part| part.is_finite()),
        }
    }

    /// The formulas this one is directly made of, in order.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Feature(_) | Self::Linear { .. } => Vec::new(),
            Self::Sum(parts) | Self::Product(parts) => parts.iter().collect(),
            Self::Quotient(a, b)
            | Self::Power(a, b)
            | Self::Min(a, b)
            | Self::Max(a, b)
            | Self::Compare(_, a, b) => vec![a, b],
            Self::Log(a) | Self::Exp(a) | Self::Sin(a) | Self::Arctan(a) => vec![a],
            Self::If {
                condition,
                then,
                otherwise,
            } => vec![condition, then, otherwise],
        }
    }

    /// The same formula with every direct part replaced.
    #[must_use]
    pub fn map_parts(&self, replace: &mut dyn FnMut(&Self) -> Self) -> Self {
        let mut boxed = |part: &Self| Box::new(replace(part));
        match self {
            Self::Constant(_) | Self::Feature(_) | Self::Linear { .. } => self.clone(),
            Self::Sum(parts) => Self::Sum(parts.iter().map(replace).collect()),
            Self::Product(parts) => Self::Product(parts.iter().map(replace).collect()),
            Self::Quotient(a, b) => Self::Quotient(boxed(a), boxed(b)),
            Self::Power(a, b) => Self::Power(boxed(a), boxed(b)),
            Self::Min(a, b) => Self::Min(boxed(a), boxed(b)),
            Self::Max(a, b) => Self::Max(boxed(a), boxed(b)),
            Self::Compare(how, a, b) => Self::Compare(*how, boxed(a), boxed(b)),
            Self::Log(a) => Self::Log(boxed(a)),
            Self::Exp(a) => Self::Exp(boxed(a)),
            Self::Sin(a) => Self::Sin(boxed(a)),
            Self::Arctan(a) => Self::Arctan(boxed(a)),
            Self::If {
                condition,
                then,
                otherwise,
            } => Self::If {
                condition: boxed(condition),
                then: boxed(then),
                otherwise: boxed(otherwise),
            },
        }
    }

    /// The same formula with some names replaced by numbers.
    #[must_use]
    pub fn substituted(&self, value: &dyn Fn(&str) -> Option<f64>) -> Self {
        match self {
            Self::Feature(name) => value(name).map_or_else(|| self.clone(), Self::Constant),
            Self::Linear { intercept, terms } => {
                let mut intercept = *intercept;
                let mut kept = Vec::new();
                for (coefficient, name) in terms {
                    match value(name) {
                        Some(known) => intercept += coefficient * known,
                        None => kept.push((*coefficient, name.clone())),
                    }
                }
                Self::Linear {
                    intercept,
                    terms: kept,
                }
            }
            _ => self.map_parts(&mut |part| part.substituted(value)),
        }
    }

    /// Number of operations, constants and feature occurrences; a coefficient with its feature counts as three.
    pub fn size(&self) -> usize {
        match self {
            Self::Linear { terms, .. } => 2 + 3 * terms.len(),
            _ => 1 + self.parts().iter().map(|part| part.size()).sum::<usize>(),
        }
    }

    fn visit_features<'a>(&'a self, see: &mut dyn FnMut(&'a str)) {
        match self {
            Self::Feature(name) => see(name),
            Self::Linear { terms, .. } => terms.iter().for_each(|(_, name)| see(name)),
            _ => {
                for part in self.parts() {
                    part.visit_features(see);
                }
            }
        }
    }
}
