//! The last touches to the formula that is delivered.
//!
//! Thorough local optimisation, pruning, and numbers as people write them: a coefficient that may as well be an offered
//! constant becomes it (when the likelihood loses less than the number costs to write down), and an exact fit gets
//! coefficients without rounding noise, 3 instead of 2.9999999999996.

use crate::evaluate::Scratch;
use crate::individual::{Individual, weighted_column};
use crate::linear;
use crate::problem::Problem;
use crate::select::Selection;
use crate::{shapes, tune};

/// The finished candidate; its error is never larger than what the description makes up for. Where the time is up what is
/// left of the touches is left out.
pub fn finish(
    individual: &Individual,
    selection: Selection,
    problem: &Problem,
    scratch: &mut Scratch,
) -> Individual {
    let mut best = individual.clone();
    if !best.is_exact() {
        tune::thresholds(&mut best, problem, scratch);
        tune::constants(&mut best, problem, scratch, 50);
    }
    if selection == Selection::Pareto || best.is_exact() {
        best = shapes::prune(&best, problem, scratch);
    }
    best = inner(best, problem, scratch);
    offered(&mut best, problem, scratch);
    if best.is_exact() {
        round_off(&mut best, problem, scratch);
    }
    best
}

/// Constants inside terms become 0 or 1 where that shortens the description, and lose their rounding noise where the fit
/// stays exact; a changed term may fall apart or disappear, so the search for more starts again.
fn inner(mut best: Individual, problem: &Problem, scratch: &mut Scratch) -> Individual {
    const ROUNDS: usize = 50;
    for _ in 0..ROUNDS {
        match simpler_constant(&best, problem, scratch) {
            Some(simpler) => best = simpler,
            None => break,
        }
    }
    best
}

fn simpler_constant(
    best: &Individual,
    problem: &Problem,
    scratch: &mut Scratch,
) -> Option<Individual> {
    let length = best.description_length(problem);
    for (index, term) in best.terms.iter().enumerate() {
        let constants = term.constants();
        for (place, &old) in constants.iter().enumerate() {
            let rounded = (0..12).map(|digits| format!("{old:.digits$e}").parse().unwrap_or(old));
            let near = |new: &f64| best.is_exact() && (new - old).abs() <= 1e-7 * old.abs();
            let candidates = [0.0, 1.0].into_iter().chain(rounded.filter(near));
            // 0 and 1 stay; any other number is rounded to fewer digits only.
            for new in candidates.take_while(|new| *new != old && old != 0.0 && old != 1.0) {
                if scratch.is_over() {
                    return None;
                }
                let mut terms = best.terms.clone();
                let mut values = constants.clone();
                values[place] = new;
                terms[index].set_constants(&values);
                let mut next = Individual::new(terms, best.intercept);
                if next.fit(problem, scratch).is_none() {
                    continue;
                }
                let structural = new == 0.0 || new == 1.0;
                let kept_exact = best.is_exact() && next.is_exact() && (structural || near(&new));
                if kept_exact || next.description_length(problem) < length - 1e-6 {
                    return Some(shapes::prune(&next, problem, scratch));
                }
            }
        }
    }
    None
}

/// Constant first if there is one, then the terms: weighted columns and current numbers.
struct Parts {
    columns: Vec<Vec<f64>>,
    numbers: Vec<f64>,
}

impl Parts {
    fn of(individual: &Individual, problem: &Problem, scratch: &mut Scratch) -> Option<Self> {
        let mut columns = Vec::new();
        let mut numbers = Vec::new();
        if individual.intercept {
            columns.push(problem.roots.clone());
            numbers.push(individual.constant);
        }
        for (term, coefficient) in individual.terms.iter().zip(&individual.coefficients) {
            columns.push(weighted_column(term, problem, scratch)?);
            numbers.push(*coefficient);
        }
        Some(Self { columns, numbers })
    }

    /// Error with the numbers as they are.
    fn error(&self, numbers: &[f64], problem: &Problem) -> f64 {
        let mut residual = problem.weighted.clone();
        for (column, number) in self.columns.iter().zip(numbers) {
            linear::add_to(&mut residual, -number, column);
        }
        linear::dot(&residual, &residual)
    }

    /// Numbers with some held fixed and the others solved for.
    fn solve(&self, fixed: &[Option<f64>], problem: &Problem) -> Option<Vec<f64>> {
        let mut target = problem.weighted.clone();
        let mut free = Vec::new();
        for (column, number) in self.columns.iter().zip(fixed) {
            match number {
                Some(number) => linear::add_to(&mut target, -number, column),
                None => free.push(column.clone()),
            }
        }
        let mut solved = linear::solve(free, &target)?.coefficients.into_iter();
        let numbers = fixed
            .iter()
            .map(|f| f.or_else(|| solved.next()).unwrap_or(0.0));
        Some(numbers.collect())
    }

    fn store(&self, numbers: &[f64], individual: &mut Individual, problem: &Problem) {
        let first = usize::from(individual.intercept);
        if individual.intercept {
            individual.constant = numbers[0];
        }
        individual.coefficients = numbers[first..].to_vec();
        individual.error = self.error(numbers, problem);
    }
}

/// Replaces numbers by offered constants where that shortens the description.
fn offered(individual: &mut Individual, problem: &Problem, scratch: &mut Scratch) {
    let Some(parts) = Parts::of(individual, problem, scratch) else {
        return;
    };
    let n = problem.effective.max(1) as f64;
    let saved = 0.5 * n.ln();
    let length = |error: f64| 0.5 * n * (error + 1e-20).ln();
    let mut fixed: Vec<Option<f64>> = vec![None; parts.numbers.len()];
    let mut numbers = parts.numbers.clone();
    for index in 0..fixed.len() {
        if scratch.is_over() {
            break;
        }
        let near = |a: &f64, b: &f64| {
            let off = |c: f64| (c / problem.scale - numbers[index]).abs();
            off(*a).total_cmp(&off(*b))
        };
        let Some(nearest) = problem
            .given
            .iter()
            .copied()
            .filter(|c| *c != 0.0)
            .min_by(near)
        else {
            return;
        };
        let candidate = nearest / problem.scale;
        if (candidate - numbers[index]).abs() > 0.05 * candidate.abs() {
            continue;
        }
        let mut held = fixed.clone();
        held[index] = Some(candidate);
        let Some(next) = parts.solve(&held, problem) else {
            continue;
        };
        let (before, after) = (parts.error(&numbers, problem), parts.error(&next, problem));
        if length(after) - length(before) < saved {
            (fixed, numbers) = (held, next);
        }
    }
    if fixed.iter().any(Option::is_some) {
        parts.store(&numbers, individual, problem);
    }
}

/// Rounds each number to the fewest digits with which the fit stays exact.
fn round_off(individual: &mut Individual, problem: &Problem, scratch: &mut Scratch) {
    let Some(parts) = Parts::of(individual, problem, scratch) else {
        return;
    };
    let mut numbers = parts.numbers.clone();
    for index in 0..numbers.len() {
        if scratch.is_over() {
            break;
        }
        let value = numbers[index] * problem.scale;
        for digits in 0..12 {
            let rounded: f64 = format!("{value:.digits$e}").parse().unwrap_or(value);
            let mut next = numbers.clone();
            next[index] = rounded / problem.scale;
            let close = (rounded - value).abs() <= 1e-7 * value.abs();
            if close && parts.error(&next, problem) <= crate::problem::EXACT.powi(2) {
                numbers = next;
                break;
            }
        }
    }
    parts.store(&numbers, individual, problem);
}
