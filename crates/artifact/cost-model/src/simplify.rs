//! Simpler formulas of the same value, for people.
//!
//! Bottom up: constants are folded, sums and products flattened, like terms and equal bases collected, neutral and
//! absorbing elements removed, `if`s decided where they can be. A product is held as coefficient · Π base^exponent, a sum
//! as Σ coefficient · product, which are the usual normal forms of computer algebra without expansion of products of sums.
//!
//! Guarantee: wherever the given formula has a finite value the new one has the same up to rounding; it may have a value
//! where the given one has none (`a/a` becomes 1). Terms keep their order of first appearance, a constant comes last.

use crate::{Comparison, Formula};

/// Rounds after which simplification stops even if something changes still.
const ROUNDS: usize = 12;

/// Terms whose coefficients cancel to less than this part of what they were are rounding alone.
const CANCELLED: f64 = 8.0 * f64::EPSILON;

impl Formula {
    /// A simpler formula of the same value up to rounding.
    #[must_use]
    pub fn simplified(&self) -> Self {
        let mut formula = self.clone();
        for _ in 0..ROUNDS {
            let next = step(&formula);
            if next == formula {
                break;
            }
            formula = next;
        }
        formula
    }

    /// The same formula with every constant rounded to so many significant digits; integers of at most nine digits stay.
    #[must_use]
    pub fn rounded(&self, digits: usize) -> Self {
        let round = |x: f64| {
            if x.fract() == 0.0 && x.abs() < 1e9 {
                x
            } else {
                let places = digits.clamp(1, 17) - 1;
                format!("{x:.places$e}").parse().unwrap_or(x)
            }
        };
        match self {
            Self::Constant(c) => Self::Constant(round(*c)),
            Self::Linear { intercept, terms } => Self::Linear {
                intercept: round(*intercept),
                terms: terms.iter().map(|(c, n)| (round(*c), n.clone())).collect(),
            },
            _ => self.map_parts(&mut |part| part.rounded(digits)),
        }
    }

    /// The same sum with its linear part as [`Formula::Linear`], in which explanations find prices.
    #[must_use]
    pub fn with_linear_part(&self) -> Self {
        let mut intercept = 0.0;
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        for (coefficient, part) in summands(self) {
            match part {
                Self::Constant(c) => intercept += coefficient * c,
                Self::Feature(name) => terms.push((coefficient, name)),
                part => others.push(scaled(coefficient, &part)),
            }
        }
        if terms.is_empty() {
            return self.clone();
        }
        let linear = Self::Linear { intercept, terms };
        if others.is_empty() {
            return linear;
        }
        others.insert(0, linear);
        Self::Sum(others)
    }
}

fn step(formula: &Formula) -> Formula {
    let inner = formula.map_parts(&mut step);
    let simpler = match &inner {
        Formula::Linear { .. } | Formula::Sum(_) => sum(&inner),
        Formula::Product(_) | Formula::Quotient(..) | Formula::Power(..) => product(&inner),
        Formula::Log(a) => match &**a {
            Formula::Exp(b) => (**b).clone(),
            Formula::Constant(c) => Formula::Constant(c.ln()),
            _ => inner.clone(),
        },
        Formula::Exp(a) => match &**a {
            Formula::Log(b) => (**b).clone(),
            Formula::Constant(c) => Formula::Constant(c.exp()),
            _ => inner.clone(),
        },
        Formula::Sin(a) => folded(a, f64::sin).unwrap_or_else(|| inner.clone()),
        Formula::Arctan(a) => folded(a, f64::atan).unwrap_or_else(|| inner.clone()),
        Formula::Min(a, b) => extreme(a, b, f64::min).unwrap_or_else(|| inner.clone()),
        Formula::Max(a, b) => extreme(a, b, f64::max).unwrap_or_else(|| inner.clone()),
        Formula::Compare(how, a, b) => compared(*how, a, b),
        Formula::If {
            condition,
            then,
            otherwise,
        } => decided(condition, then, otherwise).unwrap_or_else(|| inner.clone()),
        Formula::Constant(_) | Formula::Feature(_) => inner.clone(),
    };
    // Folding must not turn a formula without a value somewhere into one without a value anywhere in JSON.
    if simpler.is_finite() || !inner.is_finite() {
        simpler
    } else {
        inner
    }
}

fn folded(a: &Formula, function: fn(f64) -> f64) -> Option<Formula> {
    match a {
        Formula::Constant(c) => Some(Formula::Constant(function(*c))),
        _ => None,
    }
}

fn extreme(a: &Formula, b: &Formula, function: fn(f64, f64) -> f64) -> Option<Formula> {
    match (a, b) {
        (Formula::Constant(x), Formula::Constant(y)) => Some(Formula::Constant(function(*x, *y))),
        _ => (a == b).then(|| a.clone()),
    }
}

/// coefficient · Π base^exponent.
struct Monomial {
    coefficient: f64,
    powers: Vec<(Formula, f64)>,
}

impl Monomial {
    fn of(formula: &Formula) -> Self {
        let opaque = || Self {
            coefficient: 1.0,
            powers: vec![(formula.clone(), 1.0)],
        };
        match formula {
            Formula::Constant(c) => Self {
                coefficient: *c,
                powers: Vec::new(),
            },
            Formula::Product(factors) => {
                let mut out = Self::of(&Formula::Constant(1.0));
                for factor in factors {
                    out.multiply(Self::of(factor));
                }
                out
            }
            Formula::Quotient(a, b) => {
                let mut out = Self::of(a);
                match Self::of(b).raised(-1.0) {
                    Some(inverse) => out.multiply(inverse),
                    None => return opaque(),
                }
                out
            }
            Formula::Power(a, b) => match &**b {
                Formula::Constant(n) => Self::of(a).raised(*n).unwrap_or_else(opaque),
                _ => opaque(),
            },
            Formula::Linear { intercept, terms } if *intercept == 0.0 && terms.len() == 1 => Self {
                coefficient: terms[0].0,
                powers: vec![(Formula::Feature(terms[0].1.clone()), 1.0)],
            },
            _ => opaque(),
        }
    }

    fn multiply(&mut self, other: Self) {
        self.coefficient *= other.coefficient;
        for (base, exponent) in other.powers {
            match self.powers.iter_mut().find(|own| own.0 == base) {
                Some(own) => own.1 += exponent,
                None => self.powers.push((base, exponent)),
            }
        }
    }

    /// Its n-th power, if the powers may be taken apart without losing values: (x²)^½ is not x.
    fn raised(self, n: f64) -> Option<Self> {
        // A base under a fractional exponent cannot be negative where the formula has a value.
        let rooted = |e: f64| e == 1.0 || e.fract() != 0.0;
        let lone = match self.powers.as_slice() {
            [] => true,
            [(_, e)] => rooted(*e),
            _ => false,
        };
        let whole = n.fract() == 0.0;
        if !(whole || lone && self.coefficient > 0.0) {
            return None;
        }
        let coefficient = self.coefficient.powf(n);
        if !coefficient.is_finite() || (coefficient == 0.0) != (self.coefficient == 0.0) {
            return None;
        }
        let powers = self.powers.into_iter().map(|(b, e)| (b, e * n)).collect();
        Some(Self {
            coefficient,
            powers,
        })
    }

    fn formula(self) -> Formula {
        if self.coefficient == 0.0 {
            return Formula::Constant(0.0);
        }
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (base, exponent) in self.powers {
            if exponent == 0.0 {
                continue;
            }
            let side = if exponent > 0.0 {
                &mut above
            } else {
                &mut below
            };
            side.push(match exponent.abs() {
                1.0 => base,
                e => Formula::Power(Box::new(base), Box::new(Formula::Constant(e))),
            });
        }
        if self.coefficient != 1.0 || above.is_empty() {
            above.insert(0, Formula::Constant(self.coefficient));
        }
        let above = listed(above, Formula::Product);
        if below.is_empty() {
            above
        } else {
            Formula::Quotient(Box::new(above), Box::new(listed(below, Formula::Product)))
        }
    }
}

fn listed(mut parts: Vec<Formula>, list: fn(Vec<Formula>) -> Formula) -> Formula {
    if parts.len() == 1 {
        parts.remove(0)
    } else {
        list(parts)
    }
}

fn product(formula: &Formula) -> Formula {
    let monomial = Monomial::of(formula);
    // A number times a sum: into the sum, where it may meet like terms.
    if let [(Formula::Sum(parts), 1.0)] = monomial.powers.as_slice()
        && monomial.coefficient != 1.0
    {
        let c = monomial.coefficient;
        return sum(&Formula::Sum(parts.iter().map(|p| scaled(c, p)).collect()));
    }
    let simpler = monomial.formula();
    match &simpler {
        Formula::Power(a, b) => match (&**a, &**b) {
            (Formula::Constant(x), Formula::Constant(y)) => Formula::Constant(x.powf(*y)),
            (Formula::Constant(1.0), _) => Formula::Constant(1.0),
            _ => simpler,
        },
        _ => simpler,
    }
}

/// `coefficient` times a formula.
fn scaled(coefficient: f64, formula: &Formula) -> Formula {
    let mut monomial = Monomial::of(formula);
    monomial.coefficient *= coefficient;
    monomial.formula()
}

/// The terms of a sum, nested sums taken apart, each with its coefficient; of a constant the coefficient is 1.
fn summands(formula: &Formula) -> Vec<(f64, Formula)> {
    match formula {
        Formula::Sum(parts) => parts.iter().flat_map(summands).collect(),
        Formula::Linear { intercept, terms } => {
            let features = terms
                .iter()
                .map(|(c, name)| (*c, Formula::Feature(name.clone())));
            let mut out: Vec<_> = features.collect();
            out.push((1.0, Formula::Constant(*intercept)));
            out
        }
        Formula::Constant(_) => vec![(1.0, formula.clone())],
        _ => {
            let mut monomial = Monomial::of(formula);
            let coefficient = std::mem::replace(&mut monomial.coefficient, 1.0);
            vec![(coefficient, monomial.formula())]
        }
    }
}

fn sum(formula: &Formula) -> Formula {
    struct Collected {
        part: Formula,
        key: String,
        sum: f64,
        magnitude: f64,
    }
    let mut constant = (0.0, 0.0_f64);
    let mut collected: Vec<Collected> = Vec::new();
    for (coefficient, part) in summands(formula) {
        if let Formula::Constant(c) = part {
            let value = coefficient * c;
            constant = (constant.0 + value, constant.1.max(value.abs()));
            continue;
        }
        let key = key(&part);
        match collected.iter_mut().find(|own| own.key == key) {
            Some(own) => {
                own.sum += coefficient;
                own.magnitude = own.magnitude.max(coefficient.abs());
            }
            None => collected.push(Collected {
                part,
                key,
                sum: coefficient,
                magnitude: coefficient.abs(),
            }),
        }
    }
    let left = |sum: f64, magnitude: f64| sum.abs() > CANCELLED * magnitude || sum.is_nan();
    let mut terms: Vec<Formula> = collected
        .into_iter()
        .filter(|term| left(term.sum, term.magnitude))
        .map(|term| scaled(term.sum, &term.part))
        .collect();
    if left(constant.0, constant.1) || terms.is_empty() {
        let rest = if left(constant.0, constant.1) {
            constant.0
        } else {
            0.0
        };
        terms.push(Formula::Constant(rest));
    }
    listed(terms, Formula::Sum)
}

/// A text that is equal for products that differ in the order of their factors alone.
fn key(part: &Formula) -> String {
    let mut factors: Vec<String> = Monomial::of(part)
        .powers
        .iter()
        .map(|(base, exponent)| format!("({})^{exponent:e}", base.source()))
        .collect();
    factors.sort_unstable();
    factors.join("*")
}

/// The comparison with numbers on the right, decided if it can be.
fn compared(how: Comparison, a: &Formula, b: &Formula) -> Formula {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let turned = match how {
        Less => Greater,
        LessOrEqual => GreaterOrEqual,
        Greater => Less,
        GreaterOrEqual => LessOrEqual,
        Equal | NotEqual => how,
    };
    let build = |how, a: Formula, b: f64| {
        Formula::Compare(how, Box::new(a), Box::new(Formula::Constant(b)))
    };
    match (a, b) {
        (Formula::Constant(x), Formula::Constant(y)) => {
            Formula::Constant(f64::from(how.holds(*x, *y)))
        }
        (Formula::Constant(x), _) => build(turned, b.clone(), *x),
        (Formula::Product(factors), Formula::Constant(y)) => match factors.as_slice() {
            // 3·a > 600000: the threshold of a alone, where the division leaves no rest.
            [Formula::Constant(c), rest @ ..]
                if *c != 0.0 && y.is_finite() && (y / c) * c == *y && (y / c).fract() == 0.0 =>
            {
                let how = if *c < 0.0 { turned } else { how };
                build(how, listed(rest.to_vec(), Formula::Product), y / c)
            }
            _ => build(how, a.clone(), *y),
        },
        // a - 5 > 0: likewise.
        (Formula::Sum(parts), Formula::Constant(y)) => match parts.as_slice() {
            [rest @ .., Formula::Constant(c)] if (y - c) + c == *y && (y - c) - y == -c => {
                build(how, listed(rest.to_vec(), Formula::Sum), y - c)
            }
            _ => build(how, a.clone(), *y),
        },
        _ if a == b => Formula::Constant(f64::from(how.holds(0.0, 0.0))),
        _ => Formula::Compare(how, Box::new(a.clone()), Box::new(b.clone())),
    }
}

fn decided(condition: &Formula, then: &Formula, otherwise: &Formula) -> Option<Formula> {
    if let Formula::Constant(c) = condition {
        let no = *c == 0.0 || c.is_nan();
        return Some(if no { otherwise } else { then }.clone());
    }
    if then == otherwise {
        return Some(then.clone());
    }
    // The same question asked again within its own branch.
    let within = |branch: &Formula, answer: bool| match branch {
        Formula::If {
            condition: again,
            then,
            otherwise,
        } if **again == *condition => Some(if answer { then } else { otherwise }.clone()),
        _ => None,
    };
    match (within(then, true), within(otherwise, false)) {
        (None, None) => None,
        (yes, no) => Some(Formula::If {
            condition: Box::new(condition.clone()),
            then: yes.unwrap_or_else(|| Box::new(then.clone())),
            otherwise: no.unwrap_or_else(|| Box::new(otherwise.clone())),
        }),
    }
}
