//! Evaluation and text of formulas.

use std::fmt::Write as _;

use crate::Formula;

/// Why a formula has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// The formula needs a feature that was not given.
    #[error("the formula needs the feature `{0}`, which has no value")]
    MissingFeature(String),
}

/// Terms of a sum that [`Formula::text`] spells out.
const TEXT_TERMS: usize = 12;

impl Formula {
    /// Value of the formula, given the value of every feature it names.
    ///
    /// Features with a zero coefficient are not asked for. The result may be NaN or infinite, as arithmetic has it.
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
        })
    }

    /// The formula in one line; of a long linear sum the largest coefficients are shown and the others counted.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out
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
            Self::Feature(_) => true,
            Self::Linear { intercept, terms } => {
                intercept.is_finite() && terms.iter().all(|(c, _)| c.is_finite())
            }
            Self::Sum(parts) | Self::Product(parts) => parts.iter().all(Self::is_finite),
            Self::Quotient(a, b) | Self::Power(a, b) | Self::Min(a, b) | Self::Max(a, b) => {
                a.is_finite() && b.is_finite()
            }
            Self::Log(a) | Self::Exp(a) => a.is_finite(),
        }
    }

    fn visit_features<'a>(&'a self, see: &mut dyn FnMut(&'a str)) {
        match self {
            Self::Constant(_) => {}
            Self::Feature(name) => see(name),
            Self::Linear { terms, .. } => {
                for (_, name) in terms {
                    see(name);
                }
            }
            Self::Sum(parts) | Self::Product(parts) => {
                for part in parts {
                    part.visit_features(see);
                }
            }
            Self::Quotient(a, b) | Self::Power(a, b) | Self::Min(a, b) | Self::Max(a, b) => {
                a.visit_features(see);
                b.visit_features(see);
            }
            Self::Log(a) | Self::Exp(a) => a.visit_features(see),
        }
    }

    /// `level`: 0 in a sum, 1 in a product, 2 as an operand of a power or quotient.
    fn write(&self, out: &mut String, level: u8) {
        let open = |out: &mut String, at: u8| {
            if level > at {
                out.push('(');
            }
        };
        let close = |out: &mut String, at: u8| {
            if level > at {
                out.push(')');
            }
        };
        match self {
            Self::Constant(c) => {
                let _ = write!(out, "{}", number(*c));
            }
            Self::Feature(name) => out.push_str(&quoted(name)),
            Self::Linear { intercept, terms } => {
                open(out, 0);
                write_linear(out, *intercept, terms);
                close(out, 0);
            }
            Self::Sum(parts) => {
                open(out, 0);
                join(out, parts, " + ", 0);
                close(out, 0);
            }
            Self::Product(parts) => {
                open(out, 1);
                join(out, parts, "·", 1);
                close(out, 1);
            }
            Self::Quotient(a, b) => {
                open(out, 1);
                a.write(out, 1);
                out.push('/');
                b.write(out, 2);
                close(out, 1);
            }
            Self::Power(a, b) => {
                a.write(out, 2);
                out.push('^');
                b.write(out, 2);
            }
            Self::Log(a) => call(out, "log", &[a]),
            Self::Exp(a) => call(out, "exp", &[a]),
            Self::Min(a, b) => call(out, "min", &[a, b]),
            Self::Max(a, b) => call(out, "max", &[a, b]),
        }
    }
}

fn call(out: &mut String, name: &str, arguments: &[&Formula]) {
    out.push_str(name);
    out.push('(');
    for (i, argument) in arguments.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        argument.write(out, 0);
    }
    out.push(')');
}

fn join(out: &mut String, parts: &[Formula], between: &str, level: u8) {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        part.write(out, level);
    }
}

fn write_linear(out: &mut String, intercept: f64, terms: &[(f64, String)]) {
    let mut shown: Vec<usize> = (0..terms.len()).filter(|&i| terms[i].0 != 0.0).collect();
    let count = shown.len();
    if count > TEXT_TERMS {
        shown.sort_by(|&a, &b| {
            terms[b]
                .0
                .abs()
                .total_cmp(&terms[a].0.abs())
                .then(a.cmp(&b))
        });
        shown.truncate(TEXT_TERMS);
        shown.sort_unstable();
    }
    let mut first = true;
    if intercept != 0.0 || count == 0 {
        out.push_str(&number(intercept));
        first = false;
    }
    for &i in &shown {
        let (coefficient, name) = &terms[i];
        let sign = match (first, *coefficient < 0.0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let _ = write!(out, "{sign}{}·{}", number(coefficient.abs()), quoted(name));
        first = false;
    }
    if count > shown.len() {
        let _ = write!(out, " + … ({} more)", count - shown.len());
    }
}

/// Six significant digits without trailing zeros.
fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    if (1e-4..1e15).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

fn quoted(name: &str) -> String {
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || "_.$#".contains(c));
    if plain && !name.is_empty() {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}
