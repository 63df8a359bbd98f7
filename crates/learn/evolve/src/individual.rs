//! One candidate: a weighted sum of trees, and how good it is.
//!
//! A candidate is y = c + Σ bⱼ·tⱼ with trees tⱼ. The coefficients are not evolved but solved for by least squares, which
//! is linear scaling (Keijzer 2003) for every term of the sum (multi-gene programming: Searson 2010); evolution looks for
//! structure only. Errors are relative: Σw(y − ŷ)²/Σw y², with the weights of the design.

use serde::{Deserialize, Serialize};

use crate::evaluate::{Program, Scratch};
use crate::linear::{self, Solution};
use crate::problem::{EXACT, Problem};
use crate::simplify;
use crate::tree::{Op, Tree};

/// A candidate. `error` is infinite until it is fitted, and for candidates that are not finite on some row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// The terms, in canonical form.
    pub terms: Vec<Tree>,
    /// Whether a constant is added.
    pub intercept: bool,
    /// Coefficient of each term, for the scaled target.
    pub coefficients: Vec<f64>,
    /// The added constant, for the scaled target.
    pub constant: f64,
    /// Σw(y − ŷ)²/Σw y².
    pub error: f64,
    /// Sum of the weights of all operations of the whole formula.
    pub complexity: u32,
    /// Whether local optimisation has been at it.
    pub polished: bool,
}

impl Individual {
    /// A candidate in canonical form, not fitted yet.
    pub fn new(terms: Vec<Tree>, intercept: bool) -> Self {
        let mut made = Self {
            terms: Vec::with_capacity(terms.len()),
            intercept,
            coefficients: Vec::new(),
            constant: 0.0,
            error: f64::INFINITY,
            complexity: 0,
            polished: false,
        };
        for term in terms {
            made.split(&simplify::tree(&term));
        }
        made.measure();
        made
    }

    /// Sums at the root become terms, factors and constants at the root become coefficients.
    fn split(&mut self, term: &Tree) {
        match term.root() {
            Op::Add | Op::Sub => term.children().iter().for_each(|t| self.split(t)),
            Op::Mul | Op::Div => {
                let sides = term.children();
                if sides[1].is_constant() {
                    self.split(&sides[0]);
                } else if sides[0].is_constant() && term.root() == Op::Mul {
                    self.split(&sides[1]);
                } else {
                    self.push(term.clone());
                }
            }
            Op::If => self.split_case(term),
            _ => self.push(term.clone()),
        }
    }

    /// A case with 0 in one branch is split like a term: each summand of the other branch gets a coefficient.
    fn split_case(&mut self, term: &Tree) {
        let sides = term.children();
        let zero = |t: &Tree| t.ops() == [Op::Const(0.0)];
        let branch = match (zero(&sides[1]), zero(&sides[2])) {
            (false, true) => 1,
            (true, false) => 2,
            _ => return self.push(term.clone()),
        };
        let with = |value: &Tree| {
            let mut sides = sides.clone();
            sides[branch] = value.clone();
            Tree::node(Op::If, &[&sides[0], &sides[1], &sides[2]])
        };
        let value = &sides[branch];
        let one = Tree::constant(1.0);
        if value.is_constant() {
            return self.push(with(&one));
        }
        let parts = value.children();
        match value.root() {
            Op::Add | Op::Sub => parts.iter().for_each(|p| self.split_case(&with(p))),
            Op::Mul | Op::Div if parts[1].is_constant() => self.split_case(&with(&parts[0])),
            Op::Mul if parts[0].is_constant() => self.split_case(&with(&parts[1])),
            _ => self.push(term.clone()),
        }
    }

    fn push(&mut self, term: Tree) {
        if term.is_constant() {
            self.intercept = true;
        } else if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    fn measure(&mut self) {
        let parts = self.terms.len() as u32 + u32::from(self.intercept);
        let terms: u32 = self.terms.iter().map(Tree::complexity).sum();
        // Each term is multiplied by a coefficient, the parts are added up.
        self.complexity = terms
            + 2 * self.terms.len() as u32
            + u32::from(self.intercept)
            + parts.saturating_sub(1);
        self.coefficients.resize(self.terms.len(), 0.0);
    }

    /// Solves for the coefficients and sets the error; terms that depend on others are dropped.
    pub fn fit(&mut self, problem: &Problem, scratch: &mut Scratch) -> Option<Solution> {
        self.error = f64::INFINITY;
        let mut columns = Vec::with_capacity(self.terms.len() + 1);
        if self.intercept {
            columns.push(problem.roots.clone());
        }
        for term in &self.terms {
            columns.push(weighted_column(term, problem, scratch)?);
        }
        let solution = linear::solve(columns, &problem.weighted)?;
        let first = usize::from(self.intercept);
        self.constant = if self.intercept {
            solution.coefficients[0]
        } else {
            0.0
        };
        self.coefficients = solution.coefficients[first..].to_vec();
        if solution.kept.iter().any(|kept| !kept) {
            if self.intercept && !solution.kept[0] {
                self.intercept = false;
            }
            let mut kept = solution.kept[first..].iter();
            self.terms.retain(|_| *kept.next().unwrap_or(&true));
            let mut kept = solution.kept[first..].iter();
            self.coefficients.retain(|_| *kept.next().unwrap_or(&true));
        }
        self.measure();
        self.error = solution.rss;
        Some(solution)
    }

    /// Whether the fit is exact up to rounding.
    pub fn is_exact(&self) -> bool {
        self.error <= EXACT * EXACT
    }

    /// Columns that occur, each once.
    pub fn variables(&self) -> Vec<u16> {
        let mut all: Vec<u16> = self.terms.iter().flat_map(Tree::variables).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Nats to write down the formula and, given the formula, the target (two-part code, Rissanen 1978): a fitted number
    /// costs ½ log n, an offered constant the choice among them, an operation the choice among operations.
    pub fn description_length(&self, problem: &Problem) -> f64 {
        const OPERATION: f64 = 2.0;
        let n = problem.effective.max(1) as f64;
        let number = 0.5 * n.ln();
        let mut formula = OPERATION * f64::from(self.complexity);
        formula += number * (self.terms.len() + usize::from(self.intercept)) as f64;
        for term in &self.terms {
            for (at, op) in term.ops().iter().enumerate() {
                let limit = term.ops().get(at + 1).is_some_and(|op| op.is_comparison());
                formula += match op {
                    // The place of a jump is known to 1/n, not to 1/√n (Yao 1988), so it takes twice the digits.
                    Op::Const(_) if limit => 2.0 * number,
                    Op::Const(0.0 | 1.0) => 0.0, // part of the structure
                    Op::Const(_) => number,
                    Op::Given(_) => (problem.given.len() as f64).ln().min(number),
                    Op::Var(_) => (problem.columns.len() as f64).ln(),
                    _ => 0.0,
                };
            }
        }
        formula + 0.5 * n * (self.error + EXACT * EXACT).ln()
    }

    /// The whole formula as one tree over the unscaled target.
    pub fn assembled(&self, problem: &Problem) -> Tree {
        let mut sum = self
            .intercept
            .then(|| Tree::constant(self.constant * problem.scale));
        for (coefficient, term) in self.coefficients.iter().zip(&self.terms) {
            let factor = coefficient * problem.scale;
            let part = if (factor - 1.0).abs() < EXACT {
                term.clone()
            } else {
                Tree::node(Op::Mul, &[&Tree::constant(factor), term])
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => Tree::node(Op::Add, &[&sum, &part]),
            });
        }
        sum.unwrap_or_else(|| Tree::constant(0.0))
    }
}

/// A term's value on every row times the root of the row's weight; none when one is not finite.
pub(crate) fn weighted_column(
    term: &Tree,
    problem: &Problem,
    scratch: &mut Scratch,
) -> Option<Vec<f64>> {
    let mut column = vec![0.0; problem.rows()];
    Program::new(term, &problem.given).run(&problem.columns, scratch, &mut column);
    // NaN and infinity survive multiplication by 0 as NaN, and summation.
    let check: f64 = column.iter().map(|v| v * 0.0).sum();
    for (value, root) in column.iter_mut().zip(&problem.roots) {
        *value *= root;
    }
    (check == 0.0).then_some(column)
}
