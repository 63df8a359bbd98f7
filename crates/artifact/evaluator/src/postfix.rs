//! Formulas in postfix notation, which a few lines of Java evaluate without a parser.

use pricetag_cost_model::{Comparison, Formula};

/// A formula as words separated by blanks: operands before their operator, features as `f0`, numbered by `number`.
pub fn postfix(formula: &Formula, number: &dyn Fn(&str) -> usize) -> String {
    let mut words = Vec::new();
    append(formula, number, &mut words);
    words.join(" ")
}

fn append(formula: &Formula, number: &dyn Fn(&str) -> usize, words: &mut Vec<String>) {
    match formula {
        Formula::Constant(c) => words.push(c.to_string()),
        Formula::Feature(name) => words.push(format!("f{}", number(name))),
        Formula::Linear { intercept, terms } => {
            words.push(intercept.to_string());
            for (coefficient, name) in terms.iter().filter(|(c, _)| *c != 0.0) {
                words.push(coefficient.to_string());
                words.push(format!("f{}", number(name)));
                words.extend(["*", "+"].map(str::to_owned));
            }
        }
        Formula::Sum(parts) => fold(parts, (0.0, "+"), number, words),
        Formula::Product(parts) => fold(parts, (1.0, "*"), number, words),
        _ => {
            for part in formula.parts() {
                append(part, number, words);
            }
            words.push(operator(formula).to_owned());
        }
    }
}

fn fold(
    parts: &[Formula],
    (neutral, operator): (f64, &str),
    number: &dyn Fn(&str) -> usize,
    words: &mut Vec<String>,
) {
    words.push(neutral.to_string());
    for part in parts {
        append(part, number, words);
        words.push(operator.to_owned());
    }
}

fn operator(formula: &Formula) -> &'static str {
    match formula {
        Formula::Quotient(..) => "/",
        Formula::Power(..) => "^",
        Formula::Log(_) => "ln",
        Formula::Exp(_) => "exp",
        Formula::Min(..) => "min",
        Formula::Max(..) => "max",
        Formula::Sin(_) => "sin",
        Formula::Arctan(_) => "arctan",
        Formula::Compare(how, ..) => Comparison::sign(*how),
        Formula::If { .. } => "if",
        _ => unreachable!("constants, features, sums and products are written elsewhere"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_stand_before_their_operator() {
        let feature = |name: &str| Formula::Feature(name.to_owned());
        let formula = Formula::Sum(vec![
            Formula::Linear {
                intercept: 2.5,
                terms: vec![(0.0, "a".into()), (-3.0, "b".into())],
            },
            Formula::If {
                condition: Box::new(Formula::Compare(
                    Comparison::Greater,
                    Box::new(feature("a")),
                    Box::new(Formula::Constant(7.0)),
                )),
                then: Box::new(Formula::Log(Box::new(feature("b")))),
                otherwise: Box::new(Formula::Product(vec![feature("a"), feature("a")])),
            },
        ]);
        let number = |name: &str| usize::from(name == "b");
        assert_eq!(
            postfix(&formula, &number),
            "0 2.5 -3 f1 * + + f0 7 > f1 ln 1 f0 * f0 * if +"
        );
    }
}
