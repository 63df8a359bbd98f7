//! Formulas as text: rounded for people, exact for [`Formula::parse`](crate::Formula::parse).
//!
//! A difference is a sum with a negative factor and is printed as a difference; `x^0.5` is printed as `sqrt(x)`.

use std::fmt::Write as _;

use crate::Formula;

/// Terms of a linear sum that [`Formula::text`] spells out.
const TEXT_TERMS: usize = 12;

/// Names that mean a function when a parenthesis follows.
pub(crate) const FUNCTIONS: [&str; 13] = [
    "if", "min", "max", "log", "ln", "log2", "log10", "exp", "sqrt", "sin", "cos", "arctan", "pow",
];

/// How tightly the surroundings bind; what binds less is put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Top,
    /// An operand of a comparison.
    Compared,
    /// A part of a sum after the first.
    Summand,
    /// The first factor or the dividend.
    Factor,
    /// A later factor, or the divisor.
    Right,
    /// Either operand of a power.
    Operand,
}

impl Formula {
    /// The formula in one line, numbers rounded to six digits; of a long linear sum the largest coefficients are shown and
    /// the others counted.
    pub fn text(&self) -> String {
        self.written(false)
    }

    /// The formula in one line with all digits of every number: [`Formula::parse`](crate::Formula::parse) gives back a
    /// formula of the same value. Numbers must be finite.
    pub fn source(&self) -> String {
        self.written(true)
    }

    fn written(&self, exact: bool) -> String {
        let mut writer = Writer {
            out: String::new(),
            exact,
        };
        writer.write(&plain(self), Level::Top);
        writer.out
    }
}

struct Writer {
    out: String,
    exact: bool,
}

impl Writer {
    fn write(&mut self, formula: &Formula, level: Level) {
        if level > own_level(formula) {
            self.out.push('(');
            self.write(formula, Level::Top);
            self.out.push(')');
            return;
        }
        match formula {
            Formula::Constant(c) => self.number(*c),
            Formula::Feature(name) => self.out.push_str(&quoted(name)),
            Formula::Linear { intercept, terms } => self.linear(*intercept, terms),
            Formula::Sum(parts) => self.sum(parts),
            Formula::Product(parts) => self.product(parts),
            Formula::Quotient(a, b) => {
                // Reading `-2·a/b` negates the whole quotient.
                let dividend = if self.exact && is_negative(a) {
                    Level::Operand
                } else {
                    Level::Factor
                };
                self.infix(a, dividend, "/", b, Level::Right);
            }
            Formula::Power(a, b) if is_half(b) => self.call("sqrt", &[a]),
            Formula::Power(a, b) => self.infix(a, Level::Operand, "^", b, Level::Operand),
            Formula::Compare(how, a, b) => {
                let sign = format!(" {} ", how.sign());
                self.infix(a, Level::Compared, &sign, b, Level::Compared);
            }
            Formula::Log(a) => self.call("log", &[a]),
            Formula::Exp(a) => self.call("exp", &[a]),
            Formula::Sin(a) => self.call("sin", &[a]),
            Formula::Arctan(a) => self.call("arctan", &[a]),
            Formula::Min(a, b) => self.call("min", &[a, b]),
            Formula::Max(a, b) => self.call("max", &[a, b]),
            Formula::If {
                condition,
                then,
                otherwise,
            } => self.call("if", &[condition, then, otherwise]),
        }
    }

    fn infix(&mut self, a: &Formula, left: Level, sign: &str, b: &Formula, right: Level) {
        self.write(a, left);
        self.out.push_str(sign);
        self.write(b, right);
    }

    fn call(&mut self, name: &str, arguments: &[&Formula]) {
        self.out.push_str(name);
        self.out.push('(');
        for (i, argument) in arguments.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.write(argument, Level::Top);
        }
        self.out.push(')');
    }

    fn sum(&mut self, parts: &[Formula]) {
        // Adding in another order rounds differently, so an exact text keeps a sum within a sum.
        let level = if self.exact {
            Level::Summand
        } else {
            Level::Compared
        };
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                let minus = is_negative(part);
                self.out.push_str(if minus { " - " } else { " + " });
                if minus {
                    self.magnitude(part);
                    continue;
                }
            }
            self.write(part, level);
        }
    }

    /// What [`is_negative`] found negative, without its sign.
    fn magnitude(&mut self, part: &Formula) {
        match part {
            Formula::Constant(c) => self.number(-c),
            Formula::Product(factors) => {
                if let [Formula::Constant(c), rest @ ..] = factors.as_slice() {
                    if *c != -1.0 || matches!(rest, [Formula::Constant(_), ..]) {
                        self.number(-c);
                        self.out.push('·');
                        self.factors(rest, false);
                    } else {
                        self.factors(rest, true);
                    }
                }
            }
            _ => {}
        }
    }

    fn product(&mut self, factors: &[Formula]) {
        match factors {
            // A number must keep its -1: reading `-3` gives a number, not a product.
            [Formula::Constant(c), first, ..]
                if *c == -1.0 && !matches!(first, Formula::Constant(_)) =>
            {
                self.out.push('-');
                self.factors(&factors[1..], true);
            }
            _ => self.factors(factors, true),
        }
    }

    /// `first`: whether nothing stands before them in their product.
    fn factors(&mut self, factors: &[Formula], first: bool) {
        for (i, factor) in factors.iter().enumerate() {
            if i > 0 {
                self.out.push('·');
            }
            let within = matches!(factor, Formula::Product(_)) || !(first && i == 0);
            let level = if within && self.exact {
                Level::Right
            } else {
                Level::Factor
            };
            self.write(factor, level);
        }
    }

    fn linear(&mut self, intercept: f64, terms: &[(f64, String)]) {
        let mut shown: Vec<usize> = (0..terms.len()).filter(|&i| terms[i].0 != 0.0).collect();
        let count = shown.len();
        if count > TEXT_TERMS && !self.exact {
            let size = |i: usize| terms[i].0.abs();
            shown.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
            shown.truncate(TEXT_TERMS);
            shown.sort_unstable();
        }
        let mut first = true;
        // People write `n - 5`; an exact text keeps the order in which the sum is rounded.
        let subtracted = !self.exact
            && intercept < 0.0
            && count == shown.len()
            && shown.first().is_some_and(|&i| terms[i].0 > 0.0);
        if !subtracted && (intercept != 0.0 || count == 0) {
            self.number(intercept);
            first = false;
        }
        for &i in &shown {
            let (coefficient, name) = &terms[i];
            self.out.push_str(match (first, *coefficient < 0.0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            if coefficient.abs() != 1.0 {
                self.number(coefficient.abs());
                self.out.push('·');
            }
            self.out.push_str(&quoted(name));
            first = false;
        }
        if count > shown.len() {
            let _ = write!(self.out, " + … ({} more)", count - shown.len());
        }
        if subtracted {
            self.out.push_str(" - ");
            self.number(-intercept);
        }
    }

    fn number(&mut self, x: f64) {
        let text = if self.exact { exact(x) } else { rounded(x) };
        self.out.push_str(&text);
    }
}

/// The same formula without lists of no or one part.
fn plain(formula: &Formula) -> Formula {
    let mut formula = formula.map_parts(&mut plain);
    match &mut formula {
        Formula::Sum(parts) if parts.is_empty() => Formula::Constant(0.0),
        Formula::Product(parts) if parts.is_empty() => Formula::Constant(1.0),
        Formula::Sum(parts) | Formula::Product(parts) if parts.len() == 1 => parts.remove(0),
        Formula::Linear { intercept, terms } => {
            let mut priced = terms.iter().filter(|term| term.0 != 0.0);
            match (priced.next(), priced.next()) {
                (None, _) => Formula::Constant(*intercept),
                (Some((coefficient, name)), None) if *intercept == 0.0 => {
                    let feature = Formula::Feature(name.clone());
                    match *coefficient {
                        1.0 => feature,
                        c => Formula::Product(vec![Formula::Constant(c), feature]),
                    }
                }
                _ => formula,
            }
        }
        _ => formula,
    }
}

/// The tightest surroundings in which the formula needs no parentheses.
fn own_level(formula: &Formula) -> Level {
    match formula {
        Formula::Constant(c) if c.is_sign_negative() => Level::Right,
        Formula::Compare(..) => Level::Top,
        Formula::Sum(_) | Formula::Linear { .. } => Level::Compared,
        Formula::Product(_) | Formula::Quotient(..) => Level::Factor,
        Formula::Power(_, b) if !is_half(b) => Level::Right,
        _ => Level::Operand,
    }
}

/// Whether a part of a sum is better subtracted.
fn is_negative(part: &Formula) -> bool {
    match part {
        Formula::Constant(c) => c.is_sign_negative(),
        Formula::Product(factors) => match factors.as_slice() {
            [Formula::Constant(c), _, ..] => c.is_sign_negative(),
            _ => false,
        },
        _ => false,
    }
}

fn is_half(formula: &Formula) -> bool {
    matches!(formula, Formula::Constant(0.5))
}

/// Six significant digits without trailing zeros; integers up to nine digits in full.
fn rounded(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (x.fract() == 0.0 && x.abs() < 1e9) {
        return x.to_string();
    }
    exact(format!("{x:.5e}").parse().unwrap_or(x))
}

fn exact(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-4..1e15).contains(&x.abs()) {
        x.to_string()
    } else {
        format!("{x:e}")
    }
}

/// Whether a name may stand without backquotes.
pub(crate) fn is_plain(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(is_name_part) && !FUNCTIONS.contains(&name)
}

/// Whether a name without backquotes may begin with the character.
pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || "_$#".contains(c)
}

/// Whether a name without backquotes may contain the character.
pub(crate) fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || "_.$#".contains(c)
}

fn quoted(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}
