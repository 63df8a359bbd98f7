//! Local optimisation of the constants inside the terms of a candidate.
//!
//! Constants that enter smoothly are moved by Levenberg–Marquardt on the variable projection: the coefficients of the
//! terms are always the least squares ones, and the derivatives by the inner constants are projected on what the terms
//! leave over (Golub & Pereyra 1973 with the simplification of Kaufman 1975). Thresholds have no derivative; they are
//! tried one after another, the offered constants first, then the roundest number of each gap between the column's
//! values, compared by description length so that an offered constant wins unless the data speak clearly against it.

use crate::evaluate::{Program, Scratch};
use crate::individual::Individual;
use crate::linear;
use crate::problem::Problem;
use crate::tree::Op;
#[cfg(test)]
use crate::tree::Tree;

/// Thresholds tried per comparison in the first pass, and again around the best one.
const THRESHOLDS: usize = 48;

/// Improves the smooth constants by at most `steps` accepted or rejected steps; never makes the candidate worse.
pub fn constants(
    individual: &mut Individual,
    problem: &Problem,
    scratch: &mut Scratch,
    steps: usize,
) {
    if individual.terms.iter().all(|t| t.constants().is_empty()) || !individual.error.is_finite() {
        return;
    }
    let mut damping = 1e-3;
    let mut current = individual.clone();
    let Some(mut derivatives) = Derivatives::at(&mut current, problem, scratch) else {
        return;
    };
    for _ in 0..steps {
        if scratch.is_over() {
            break;
        }
        let Some(step) = derivatives.step(damping) else {
            break;
        };
        let mut next = current.clone();
        derivatives.apply(&step, &mut next);
        let before = current.error;
        let improved = next.terms.len() == current.terms.len()
            && next.fit(problem, scratch).is_some()
            && next.terms.len() == current.terms.len()
            && next.error < before;
        if improved {
            damping = f64::max(damping * 0.1, 1e-12);
            current = next;
            if current.is_exact() || before - current.error <= 1e-9 * before {
                break;
            }
            match Derivatives::at(&mut current, problem, scratch) {
                Some(new) => derivatives = new,
                None => break,
            }
        } else {
            damping *= 10.0;
            if damping > 1e6 {
                break;
            }
        }
    }
    if current.error < individual.error {
        *individual = current;
    }
}

/// Derivatives of the residual by the constants that matter, at one candidate.
struct Derivatives {
    /// `(term, constant within the term)` of each column.
    places: Vec<(usize, usize)>,
    columns: Vec<Vec<f64>>,
    residual: Vec<f64>,
}

impl Derivatives {
    fn at(individual: &mut Individual, problem: &Problem, scratch: &mut Scratch) -> Option<Self> {
        let terms = individual.terms.len();
        let solution = individual.fit(problem, scratch)?;
        if individual.terms.len() != terms {
            return None;
        }
        let (mut places, mut columns) = (Vec::new(), Vec::new());
        let mut value = vec![0.0; problem.rows()];
        for (index, term) in individual.terms.iter().enumerate() {
            let program = Program::new(term, &problem.given);
            let mut by = vec![vec![0.0; problem.rows()]; program.parameters.len()];
            if by.is_empty() {
                continue;
            }
            program.run_with_derivatives(&problem.columns, scratch, &mut value, &mut by);
            for (constant, mut column) in by.into_iter().enumerate() {
                for (d, root) in column.iter_mut().zip(&problem.roots) {
                    *d *= root * individual.coefficients[index];
                }
                let length = linear::dot(&column, &column).sqrt();
                linear::project_out(&mut column, &solution.basis);
                let rest = linear::dot(&column, &column).sqrt();
                if rest.is_finite() && rest > 1e-9 * length {
                    places.push((index, constant));
                    columns.push(column);
                }
            }
        }
        (!places.is_empty()).then_some(Self {
            places,
            columns,
            residual: solution.residual,
        })
    }

    /// The damped Gauss–Newton step; damping is relative to each derivative's size (Marquardt 1963).
    fn step(&self, damping: f64) -> Option<Vec<f64>> {
        let mut gram: Vec<Vec<f64>> = self
            .columns
            .iter()
            .map(|a| self.columns.iter().map(|b| linear::dot(a, b)).collect())
            .collect();
        for (i, row) in gram.iter_mut().enumerate() {
            row[i] *= 1.0 + damping;
        }
        let right: Vec<f64> = self
            .columns
            .iter()
            .map(|c| linear::dot(c, &self.residual))
            .collect();
        linear::solve_positive(&gram, &right)
    }

    fn apply(&self, step: &[f64], to: &mut Individual) {
        for (&(term, constant), delta) in self.places.iter().zip(step) {
            let mut values = to.terms[term].constants();
            values[constant] += delta;
            to.terms[term].set_constants(&values);
        }
    }
}

/// Largest relative deviation between the derivatives used here and central differences; for tests.
#[cfg(test)]
pub(crate) fn deviation_from_differences(tree: &Tree, problem: &Problem) -> f64 {
    let mut scratch = Scratch::default();
    let program = Program::new(tree, &problem.given);
    let rows = problem.rows();
    let (mut value, mut by) = (
        vec![0.0; rows],
        vec![vec![0.0; rows]; program.parameters.len()],
    );
    program.run_with_derivatives(&problem.columns, &mut scratch, &mut value, &mut by);
    let mut worst = 0.0_f64;
    for (k, column) in by.iter().enumerate() {
        let at = |shift: f64, scratch: &mut Scratch| {
            let mut moved = program.clone();
            moved.parameters[k] += shift;
            let mut out = vec![0.0; rows];
            moved.run(&problem.columns, scratch, &mut out);
            out
        };
        let h = 1e-6 * program.parameters[k].abs().max(1e-3);
        let (up, down) = (at(h, &mut scratch), at(-h, &mut scratch));
        for row in 0..rows {
            let difference = (up[row] - down[row]) / (2.0 * h);
            let noise = 1e-11 * value[row].abs() / h;
            let deviation = (difference - column[row]).abs() - noise;
            if deviation.is_finite() {
                worst = worst.max(deviation / (1.0 + column[row].abs()));
            }
        }
    }
    worst
}

/// A comparison of a column with a constant: where one can tune.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Threshold {
    column: u16,
    comparison: Op,
    limit: Op,
}

fn thresholds_of(individual: &Individual) -> Vec<Threshold> {
    let mut found: Vec<Threshold> = Vec::new();
    for term in &individual.terms {
        for window in term.ops().windows(3) {
            if let [
                Op::Var(column),
                limit @ (Op::Const(_) | Op::Given(_)),
                comparison,
            ] = *window
                && comparison.is_comparison()
            {
                let one = Threshold {
                    column,
                    comparison,
                    limit,
                };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
    }
    found
}

/// The candidate with every occurrence of one comparison moved to another limit, fitted.
fn moved(
    individual: &Individual,
    from: Threshold,
    limit: Op,
    problem: &Problem,
    scratch: &mut Scratch,
) -> Option<Individual> {
    let terms = individual.terms.iter().map(|term| {
        let mut term = term.clone();
        for i in 0..term.ops.len().saturating_sub(2) {
            let here = &term.ops[i..i + 3];
            if here == [Op::Var(from.column), from.limit, from.comparison] {
                term.ops[i + 1] = limit;
            }
        }
        term
    });
    let mut next = Individual::new(terms.collect(), individual.intercept);
    next.fit(problem, scratch)?;
    Some(next)
}

/// Moves each threshold to where the description length is smallest; never makes it larger.
pub fn thresholds(individual: &mut Individual, problem: &Problem, scratch: &mut Scratch) {
    if !individual.error.is_finite() {
        return;
    }
    let mut best_length = individual.description_length(problem);
    for threshold in thresholds_of(individual) {
        let column = usize::from(threshold.column);
        let gaps = problem.levels[column].len().saturating_sub(1);
        let stride = gaps.div_ceil(THRESHOLDS).max(1);
        let mut best: Option<(Individual, f64)> = None;
        let start = individual.clone();
        let mut attempt =
            |limit: Op, best: &mut Option<(Individual, f64)>, scratch: &mut Scratch| {
                if scratch.is_over() {
                    return false;
                }
                let Some(next) = moved(&start, threshold, limit, problem, scratch) else {
                    return false;
                };
                let length = next.description_length(problem);
                let better = length < best_length - 1e-6;
                if better {
                    best_length = length;
                    *best = Some((next, length));
                }
                better
            };
        for index in problem.given_within(column) {
            attempt(Op::Given(index), &mut best, scratch);
        }
        let gap = |i: usize| {
            let levels = &problem.levels[column];
            Op::Const(crate::problem::roundest(levels[i], levels[i + 1]))
        };
        let mut nearest = None;
        for i in (stride / 2..gaps).step_by(stride) {
            if attempt(gap(i), &mut best, scratch) {
                nearest = Some(i);
            }
        }
        // Refinement around the best of a coarse pass.
        let mut width = stride;
        while let Some(centre) = nearest.filter(|_| width > 1) {
            let fine = width.div_ceil(8).max(1);
            let range = centre.saturating_sub(width)..(centre + width + 1).min(gaps);
            for i in range.step_by(fine) {
                if attempt(gap(i), &mut best, scratch) {
                    nearest = Some(i);
                }
            }
            width = if fine == width { 1 } else { fine };
        }
        if let Some((better, _)) = best {
            *individual = better;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{constants, deviation_from_differences, thresholds};
    use crate::evaluate::Scratch;
    use crate::individual::Individual;
    use crate::problem::Problem;
    use crate::tree::{Op, Tree};
    use pricetag_estimator::{Column, Design, Values};

    fn problem(target: impl Fn(f64) -> f64, given: &[f64]) -> Problem {
        let x: Vec<f64> = (1..=60).map(|i| f64::from(i) * 7.3).collect();
        let y = x.iter().map(|x| target(*x)).collect();
        let column = Column {
            name: "x".into(),
            values: Values::Dense(x),
        };
        Problem::new(&Design::new(vec![column], y), given)
    }

    #[test]
    fn an_exponent_is_found() {
        let problem = problem(|x| 5.0 + 3.0 * x.powf(1.7), &[]);
        let power = Tree::node(Op::Pow, &[&Tree::var(0), &Tree::constant(1.0)]);
        let power = power.replaced(1, &Tree::constant(1.2));
        let mut scratch = Scratch::default();
        let mut individual = Individual::new(vec![power], true);
        individual.fit(&problem, &mut scratch).unwrap();
        assert!(!individual.is_exact());
        constants(&mut individual, &problem, &mut scratch, 30);
        assert!(individual.error < 1e-18, "{individual:?}");
        assert!((individual.terms[0].constants()[0] - 1.7).abs() < 1e-6);
    }

    #[test]
    fn a_threshold_is_found_and_an_offered_one_preferred() {
        let target = |x: f64| if x > 200.0 { 3.0 * x } else { 10.0 };
        for (given, expected) in [
            (vec![], Op::Const(200.0)),
            (vec![201.5, 900.0], Op::Given(0)),
        ] {
            let problem = problem(target, &given);
            let condition = Tree::node(Op::Greater, &[&Tree::var(0), &Tree::constant(50.0)]);
            let split = |yes: &Tree| Tree::node(Op::If, &[&condition, yes, &Tree::constant(0.0)]);
            let terms = vec![split(&Tree::var(0)), split(&Tree::constant(1.0))];
            let mut scratch = Scratch::default();
            let mut individual = Individual::new(terms, true);
            individual.fit(&problem, &mut scratch).unwrap();
            thresholds(&mut individual, &problem, &mut scratch);
            assert!(individual.is_exact(), "{individual:?}");
            assert_eq!(individual.terms[0].ops()[1], expected);
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let problem = problem(|x| x, &[]);
        let x = Tree::var(0);
        let c = Tree::constant;
        let ratio = Tree::node(Op::Div, &[&x, &Tree::node(Op::Add, &[&x, &c(3.0)])]);
        let trees = [
            Tree::node(Op::Pow, &[&x, &c(1.3)]),
            Tree::node(Op::Exp, &[&Tree::node(Op::Mul, &[&x, &c(0.01)])]),
            Tree::node(Op::Log, &[&Tree::node(Op::Add, &[&x, &c(2.0)])]),
            Tree::node(Op::Sin, &[&Tree::node(Op::Mul, &[&x, &c(0.2)])]),
            Tree::node(Op::Min, &[&ratio, &Tree::node(Op::Div, &[&x, &c(300.0)])]),
            Tree::node(Op::Pow, &[&c(1.01), &Tree::node(Op::Sub, &[&x, &c(5.0)])]),
        ];
        for tree in &trees {
            let worst = deviation_from_differences(tree, &problem);
            assert!(worst < 1e-5, "{tree:?}: {worst}");
        }
    }
}
