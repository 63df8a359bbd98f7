//! The linear program of a derivation, its floating-point solution (microlp's simplex), and how that becomes exact.
//!
//! A vertex is where as many constraints are tight as there are unknowns that are not zero. Which ones are, the floating-point solution
//! tells; their equations are then solved in rationals. What a guess got wrong shows when all constraints are checked.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::potential::Linear;

/// Unknowns, all at least zero, and what must be at least zero.
#[derive(Debug, Default)]
pub(crate) struct LinearProgram {
    pub unknowns: usize,
    pub constraints: Vec<Linear>,
}

/// Why there is no solution.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unsolved {
    Infeasible,
    Unbounded,
    /// The solver gave up, or its solution did not hold exactly.
    Inexact(String),
}

impl LinearProgram {
    pub fn unknown(&mut self) -> usize {
        self.unknowns += 1;
        self.unknowns - 1
    }

    /// Requires `linear >= 0`.
    pub fn require(&mut self, mut linear: Linear) {
        linear.terms.retain(|_, n| *n != 0);
        let trivial = linear.constant >= 0 && linear.terms.values().all(|n| *n >= 0);
        if !trivial {
            self.constraints.push(linear);
        }
    }

    /// The exact minimum (or maximum) of a weighted sum of unknowns.
    pub fn solve(
        &self,
        objective: &BTreeMap<usize, f64>,
        minimise: bool,
    ) -> Result<Vec<BigRational>, Unsolved> {
        let scale = self.constraints.iter().map(|c| c.constant.abs()).max();
        let scale = scale.unwrap_or(0).max(1) as f64;
        let solution = self.approximate(objective, minimise, scale)?;
        let mut why = String::new();
        for tolerance in [1e-7, 1e-9, 1e-5] {
            match self.exactly(&solution, tolerance, scale) {
                Ok(exact) => return Ok(exact),
                Err(reason) => why = reason,
            }
        }
        Err(Unsolved::Inexact(why))
    }

    /// In units of `scale`.
    fn approximate(
        &self,
        objective: &BTreeMap<usize, f64>,
        minimise: bool,
        scale: f64,
    ) -> Result<Vec<f64>, Unsolved> {
        use microlp::{ComparisonOp, OptimizationDirection, Problem};
        let direction = if minimise {
            OptimizationDirection::Minimize
        } else {
            OptimizationDirection::Maximize
        };
        let mut problem = Problem::new(direction);
        let variables: Vec<_> = (0..self.unknowns)
            .map(|i| {
                let weight = objective.get(&i).copied().unwrap_or(0.0);
                problem.add_var(weight, (0.0, f64::INFINITY))
            })
            .collect();
        for constraint in &self.constraints {
            let terms: Vec<_> = constraint
                .terms
                .iter()
                .map(|(unknown, n)| (variables[*unknown], *n as f64))
                .collect();
            if terms.is_empty() {
                return Err(Unsolved::Infeasible);
            }
            let least = -(constraint.constant as f64) / scale;
            problem.add_constraint(&terms[..], ComparisonOp::Ge, least);
        }
        match problem.solve() {
            Ok(microlp::SolveOutcome::Solution(solution)) => {
                Ok(variables.iter().map(|v| solution[*v]).collect())
            }
            Ok(_) => Err(Unsolved::Inexact("the solver was interrupted".into())),
            Err(microlp::Error::Infeasible) => Err(Unsolved::Infeasible),
            Err(microlp::Error::Unbounded) => Err(Unsolved::Unbounded),
            Err(error) => Err(Unsolved::Inexact(error.to_string())),
        }
    }

    fn exactly(
        &self,
        solution: &[f64],
        tolerance: f64,
        scale: f64,
    ) -> Result<Vec<BigRational>, String> {
        let largest = solution.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
        let nearly_zero = |x: f64| x.abs() <= tolerance * largest;
        let used: BTreeSet<usize> = (0..self.unknowns)
            .filter(|i| !nearly_zero(solution[*i]))
            .collect();
        let mut equations = Vec::new();
        for constraint in &self.constraints {
            let at: f64 = constraint
                .terms
                .iter()
                .map(|(i, n)| solution[*i] * *n as f64)
                .sum();
            let slack = at + constraint.constant as f64 / scale;
            if nearly_zero(slack) {
                let terms = constraint.terms.iter().filter(|(i, _)| used.contains(i));
                let terms = terms.map(|(i, n)| (*i, rational(*n))).collect();
                equations.push(Equation {
                    terms,
                    constant: rational(constraint.constant),
                });
            }
        }
        let mut values = vec![BigRational::zero(); self.unknowns];
        let solved = eliminate(equations);
        let pivots: BTreeSet<usize> = solved.iter().map(|(p, _)| *p).collect();
        for i in used.difference(&pivots) {
            let near = (solution[*i] * scale).round();
            values[*i] = BigRational::from_float(near).unwrap_or_else(BigRational::zero);
        }
        for (pivot, equation) in solved.iter().rev() {
            let mut sum = equation.constant.clone();
            for (i, n) in &equation.terms {
                if i != pivot {
                    sum += n * &values[*i];
                }
            }
            values[*pivot] = -sum / &equation.terms[pivot];
        }
        self.check(&values).map(|()| values)
    }

    /// Whether all constraints hold exactly.
    fn check(&self, values: &[BigRational]) -> Result<(), String> {
        if let Some(i) = values.iter().position(Signed::is_negative) {
            return Err(format!("unknown {i} is negative"));
        }
        for (i, constraint) in self.constraints.iter().enumerate() {
            let mut sum = rational(constraint.constant);
            for (unknown, n) in &constraint.terms {
                sum += rational(*n) * &values[*unknown];
            }
            if sum.is_negative() {
                return Err(format!("constraint {i} is missed by {sum}"));
            }
        }
        Ok(())
    }
}

/// A sum that is zero.
#[derive(Clone)]
struct Equation {
    terms: BTreeMap<usize, BigRational>,
    constant: BigRational,
}

fn rational(n: i64) -> BigRational {
    BigRational::from_integer(BigInt::from(n))
}

/// Equations, each with the unknown that it gives in terms of those given by later ones and of free ones.
fn eliminate(mut equations: Vec<Equation>) -> Vec<(usize, Equation)> {
    let mut columns: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (row, equation) in equations.iter().enumerate() {
        for unknown in equation.terms.keys() {
            columns.entry(*unknown).or_default().insert(row);
        }
    }
    let mut open: BTreeSet<(usize, usize)> = equations
        .iter()
        .enumerate()
        .map(|(row, e)| (e.terms.len(), row))
        .collect();
    let mut solved = Vec::new();
    while let Some((length, row)) = open.pop_first() {
        if length == 0 {
            continue;
        }
        let equation = equations[row].clone();
        let Some(pivot) = equation
            .terms
            .keys()
            .copied()
            .min_by_key(|u| columns[u].len())
        else {
            continue;
        };
        for unknown in equation.terms.keys() {
            if let Some(rows) = columns.get_mut(unknown) {
                rows.remove(&row);
            }
        }
        let others: Vec<usize> = columns.get(&pivot).into_iter().flatten().copied().collect();
        for other in others {
            let target = &mut equations[other];
            open.remove(&(target.terms.len(), other));
            let factor = &target.terms[&pivot] / &equation.terms[&pivot];
            target.constant -= &factor * &equation.constant;
            for (unknown, n) in &equation.terms {
                let entry = target
                    .terms
                    .entry(*unknown)
                    .or_insert_with(BigRational::zero);
                *entry -= &factor * n;
                let rows = columns.entry(*unknown).or_default();
                if entry.is_zero() {
                    target.terms.remove(unknown);
                    rows.remove(&other);
                } else {
                    rows.insert(other);
                }
            }
            open.insert((target.terms.len(), other));
        }
        solved.push((pivot, equation));
    }
    solved
}
