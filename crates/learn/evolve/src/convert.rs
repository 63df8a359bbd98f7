//! From a candidate to the formula people read.
//!
//! Terms that are cases of the same condition become one `if` with a sum in each branch; where a single condition
//! remains, what is outside may be moved into both branches: 1000 + if(n > c, 3·n − 950, 0) is shorter as
//! if(n > c, 3·n + 50, 1000). The shorter form is taken. Like terms are added up on the way.

use pricetag_cost_model::{Comparison, Formula};

use crate::individual::Individual;
use crate::problem::Problem;
use crate::tree::{Op, Tree};

/// A remainder below this share of what was added up is rounding.
const ROUNDING: f64 = 1e-11;

/// constant + Σ coefficient · tree.
#[derive(Clone, Debug, Default)]
struct Combination {
    constant: f64,
    terms: Vec<(f64, Tree)>,
}

/// a + b, or 0 where that is nothing but rounding.
fn add(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.abs() <= ROUNDING * a.abs().max(b.abs()) {
        0.0
    } else {
        sum
    }
}

impl Combination {
    /// Adds `factor · tree`, split at sums and constant factors.
    fn add(&mut self, factor: f64, tree: &Tree, given: &[f64]) {
        if tree.is_constant() {
            self.constant = add(self.constant, factor * tree.value(&|_| f64::NAN, given));
            return;
        }
        let sides = tree.children();
        match (tree.root(), sides.as_slice()) {
            (Op::Add, [a, b]) => {
                self.add(factor, a, given);
                self.add(factor, b, given);
            }
            (Op::Sub, [a, b]) => {
                self.add(factor, a, given);
                self.add(-factor, b, given);
            }
            (Op::Mul, [c, x] | [x, c]) if c.is_constant() => {
                self.add(factor * c.value(&|_| f64::NAN, given), x, given);
            }
            (Op::Div, [x, c]) if c.is_constant() => {
                self.add(factor / c.value(&|_| f64::NAN, given), x, given);
            }
            _ => match self.terms.iter_mut().find(|(_, t)| t == tree) {
                Some((sum, _)) => *sum = add(*sum, factor),
                None => self.terms.push((factor, tree.clone())),
            },
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant = add(sum.constant, other.constant);
        for (factor, tree) in &other.terms {
            sum.add(*factor, tree, &[]);
        }
        sum
    }

    fn formula(&self, extra: Vec<Formula>, names: &[String], given: &[f64]) -> Formula {
        let mut linear = Vec::new();
        let mut parts = Vec::new();
        for (factor, tree) in self.terms.iter().filter(|t| t.0 != 0.0) {
            if let [Op::Var(column)] = tree.ops() {
                linear.push((*factor, names[usize::from(*column)].clone()));
            } else if *factor == 1.0 {
                parts.push(of_tree(tree, names, given));
            } else {
                let mut factors = vec![Formula::Constant(*factor)];
                match of_tree(tree, names, given) {
                    Formula::Product(more) => factors.extend(more),
                    Formula::Quotient(top, bottom) if *top == Formula::Constant(1.0) => {
                        parts.push(Formula::Quotient(Box::new(factors.remove(0)), bottom));
                        continue;
                    }
                    one => factors.push(one),
                }
                parts.push(Formula::Product(factors));
            }
        }
        parts.extend(extra);
        let constant = self.constant;
        if !linear.is_empty() {
            let plain = constant == 0.0 && linear.len() == 1 && linear[0].0 == 1.0;
            parts.insert(
                0,
                if plain {
                    Formula::Feature(linear.remove(0).1)
                } else {
                    Formula::Linear {
                        intercept: constant,
                        terms: linear,
                    }
                },
            );
        } else if constant != 0.0 || parts.is_empty() {
            parts.insert(0, Formula::Constant(constant));
        }
        if parts.len() == 1 {
            parts.remove(0)
        } else {
            Formula::Sum(parts)
        }
    }
}

/// Cases of one condition.
struct Case {
    condition: Tree,
    yes: Combination,
    no: Combination,
}

/// The formula over the names of the columns and the unscaled target.
pub fn formula(individual: &Individual, problem: &Problem) -> Formula {
    let parts: Vec<(f64, &Tree)> = individual
        .coefficients
        .iter()
        .map(|c| c * problem.scale)
        .zip(&individual.terms)
        .collect();
    let constant = if individual.intercept {
        individual.constant * problem.scale
    } else {
        0.0
    };
    combine(constant, &parts, &problem.names, &problem.given)
}

/// constant + Σ coefficient · tree as a formula.
pub(crate) fn combine(
    constant: f64,
    parts: &[(f64, &Tree)],
    names: &[String],
    given: &[f64],
) -> Formula {
    let mut rest = Combination {
        constant,
        ..Combination::default()
    };
    let mut cases: Vec<Case> = Vec::new();
    for &(factor, tree) in parts {
        if tree.root() != Op::If {
            rest.add(factor, tree, given);
            continue;
        }
        let sides = tree.children();
        let index = cases
            .iter()
            .position(|c| c.condition == sides[0])
            .unwrap_or_else(|| {
                cases.push(Case {
                    condition: sides[0].clone(),
                    yes: Combination::default(),
                    no: Combination::default(),
                });
                cases.len() - 1
            });
        cases[index].yes.add(factor, &sides[1], given);
        cases[index].no.add(factor, &sides[2], given);
    }
    let branch = |case: &Case, outside: &Combination| Formula::If {
        condition: Box::new(of_tree(&case.condition, names, given)),
        then: Box::new(case.yes.plus(outside).formula(Vec::new(), names, given)),
        otherwise: Box::new(case.no.plus(outside).formula(Vec::new(), names, given)),
    };
    let none = Combination::default();
    let apart = rest.formula(
        cases.iter().map(|case| branch(case, &none)).collect(),
        names,
        given,
    );
    match cases.as_slice() {
        [only] => {
            let inside = branch(only, &rest);
            if weight(&inside) <= weight(&apart) {
                inside
            } else {
                apart
            }
        }
        _ => apart,
    }
}

/// Length of a formula as a reader sees it.
fn weight(formula: &Formula) -> usize {
    formula
        .text()
        .split([' ', '·', '(', ','])
        .filter(|w| !w.is_empty())
        .count()
}

/// One tree as a formula. Sums and constant factors are collected within it as they are outside: x − 5, not x + −1·5.
pub fn of_tree(tree: &Tree, names: &[String], given: &[f64]) -> Formula {
    let children = tree.children();
    if collects(tree.root(), &children) {
        let mut combination = Combination::default();
        combination.add(1.0, tree, given);
        return combination.formula(Vec::new(), names, given);
    }
    let operands = children.iter().map(|part| of_tree(part, names, given));
    node(tree.root(), operands.collect(), names, given)
}

/// Whether [`Combination::add`] takes the node apart, so that what it keeps is smaller.
fn collects(op: Op, operands: &[Tree]) -> bool {
    match (op, operands) {
        (Op::Add | Op::Sub, _) => true,
        (Op::Mul, [a, b]) => a.is_constant() || b.is_constant(),
        (Op::Div, [_, b]) => b.is_constant(),
        _ => false,
    }
}

fn node(op: Op, operands: Vec<Formula>, names: &[String], given: &[f64]) -> Formula {
    let mut operands = operands.into_iter();
    let mut plain = || operands.next().unwrap_or(Formula::Constant(0.0));
    let mut next = || Box::new(plain());
    let compare = |sign, a, b| Formula::Compare(sign, a, b);
    match op {
        Op::Const(value) => Formula::Constant(value),
        Op::Given(index) => Formula::Constant(given[usize::from(index)]),
        Op::Var(index) => Formula::Feature(names[usize::from(index)].clone()),
        Op::Add => Formula::Sum(vec![plain(), plain()]),
        Op::Sub => {
            let (a, b) = (plain(), plain());
            Formula::Sum(vec![a, Formula::Product(vec![Formula::Constant(-1.0), b])])
        }
        Op::Mul => product(plain(), plain()),
        Op::Div => Formula::Quotient(next(), next()),
        Op::Pow => Formula::Power(next(), next()),
        Op::Log => Formula::Log(next()),
        Op::Exp => Formula::Exp(next()),
        Op::Sin => Formula::Sin(next()),
        Op::Min => Formula::Min(next(), next()),
        Op::Max => Formula::Max(next(), next()),
        Op::Greater => compare(Comparison::Greater, next(), next()),
        Op::GreaterEqual => compare(Comparison::GreaterOrEqual, next(), next()),
        Op::Less => compare(Comparison::Less, next(), next()),
        Op::LessEqual => compare(Comparison::LessOrEqual, next(), next()),
        Op::If => Formula::If {
            condition: next(),
            then: next(),
            otherwise: next(),
        },
    }
}

/// Products are flat; x·x is x².
fn product(a: Formula, b: Formula) -> Formula {
    let flat = |f: Formula| match f {
        Formula::Product(parts) => parts,
        one => vec![one],
    };
    let mut factors: Vec<Formula> = flat(a);
    for factor in flat(b) {
        let square = factors.iter_mut().find_map(|f| match f {
            Formula::Power(base, exponent) if **base == factor => match exponent.as_mut() {
                Formula::Constant(n) => Some(n),
                _ => None,
            },
            _ => None,
        });
        if let Some(exponent) = square {
            *exponent += 1.0;
        } else if let Some(same) = factors.iter_mut().find(|f| **f == factor) {
            *same = Formula::Power(Box::new(factor), Box::new(Formula::Constant(2.0)));
        } else {
            factors.push(factor);
        }
    }
    if factors.len() == 1 {
        factors.remove(0)
    } else {
        Formula::Product(factors)
    }
}

#[cfg(test)]
mod tests {
    use super::combine;
    use crate::tree::{Op, Tree};

    fn case(value: &Tree) -> Tree {
        let condition = Tree::node(Op::Greater, &[&Tree::var(0), &Tree::leaf(Op::Given(0))]);
        Tree::node(Op::If, &[&condition, value, &Tree::constant(0.0)])
    }

    #[test]
    fn cases_are_gathered_and_moved_inside() {
        let names = ["n".to_owned()];
        let (n, one) = (case(&Tree::var(0)), case(&Tree::constant(1.0)));
        let formula = combine(1000.0, &[(3.0, &n), (-950.0, &one)], &names, &[200_000.0]);
        assert_eq!(formula.text(), "if(n > 200000, 50 + 3·n, 1000)");
    }

    #[test]
    fn an_addition_for_some_rows_stays_outside() {
        let names: Vec<String> = ["x1", "x2", "x3"].map(String::from).to_vec();
        let condition = Tree::node(Op::Greater, &[&Tree::var(2), &Tree::constant(500.0)]);
        let extra = Tree::node(Op::If, &[&condition, &Tree::var(0), &Tree::constant(0.0)]);
        let (x1, x2) = (Tree::var(0), Tree::var(1));
        let parts = [(20.0, &x1), (5.0, &x2), (12.0, &extra)];
        let text = combine(30285.9, &parts, &names, &[]).text();
        assert_eq!(text, "30285.9 + 20·x1 + 5·x2 + if(x3 > 500, 12·x1, 0)");
    }

    #[test]
    fn sums_within_a_term_are_added_up() {
        let x = Tree::var(0);
        let shifted = Tree::node(Op::Sub, &[&x, &Tree::constant(170.5)]);
        let twice = Tree::node(Op::Mul, &[&Tree::constant(2.0), &shifted]);
        let again = Tree::node(Op::Sub, &[&twice, &Tree::constant(-1.0)]);
        let bent = Tree::node(Op::Max, &[&again, &Tree::constant(14.0)]);
        let text = combine(1.0, &[(3.0, &bent)], &["x".into()], &[]).text();
        assert_eq!(text, "1 + 3·max(2·x - 340, 14)");
    }

    #[test]
    fn powers_are_gathered() {
        let x = Tree::var(0);
        let square = Tree::node(Op::Mul, &[&x, &x]);
        let cube = Tree::node(Op::Mul, &[&square, &x]);
        let ratio = Tree::node(Op::Div, &[&Tree::constant(1.0), &x]);
        let text = combine(0.0, &[(2.0, &cube), (5.0, &ratio)], &["n".into()], &[]).text();
        assert_eq!(text, "2·n^3 + 5/n");
    }
}
