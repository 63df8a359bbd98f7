//! The part of the first generation that is not random: simple shapes of cost, and sums of them.
//!
//! Shapes are what programs do: n, n², n³, √n, log n, n·log n, products of two columns, and all of them behind a case
//! `x > c` with offered constants and round numbers between the column's values. Each shape alone is a candidate, with
//! and without a constant; sums are built by orthogonal matching pursuit (Pati, Rezaiifar & Krishnaprasad 1993) over all
//! shapes, pruned backwards, with thresholds moved to the best place after each step. Enumerating small structures
//! before searching randomly is what makes the usual targets a matter of milliseconds.

use crate::evaluate::Scratch;
use crate::individual::{Individual, weighted_column};
use crate::linear;
use crate::problem::Problem;
use crate::tree::{Op, Tree};
use crate::tune;

/// Columns of which pairs and cases are formed: those that explain most alone.
const PAIRED: usize = 12;
/// Thresholds per column besides the offered ones.
const SPLITS: usize = 8;
/// Most shapes in a library.
const LIBRARY: usize = 6000;
/// Most numbers in the table of all shapes.
const TABLE: usize = 30_000_000;
/// Most terms in a sum.
const TERMS: usize = 8;
/// Shapes ranked between two looks at the clock.
const ASKED: usize = 64;
/// First terms from which a sum is built.
const STARTS: usize = 4;

/// A library of shapes, evaluated.
struct Library {
    shapes: Vec<Tree>,
    /// Weighted values, each column of unit length.
    columns: Vec<Vec<f64>>,
}

impl Library {
    fn new(trees: Vec<Tree>, problem: &Problem, scratch: &mut Scratch) -> Self {
        let most = (TABLE / problem.rows().max(1)).clamp(64, LIBRARY);
        let (mut shapes, mut columns) = (Vec::new(), Vec::new());
        for tree in trees {
            if shapes.len() == most || scratch.is_over() {
                break;
            }
            let Some(mut column) = weighted_column(&tree, problem, scratch) else {
                continue;
            };
            let length = linear::dot(&column, &column).sqrt();
            if length > 0.0 && length.is_finite() {
                for v in &mut column {
                    *v /= length;
                }
                shapes.push(tree);
                columns.push(column);
            }
        }
        Self { shapes, columns }
    }

    /// Share of `residual` that each shape explains beyond `basis`, best first; ties go to the earlier shape.
    fn ranked(&self, residual: &[f64], basis: &[Vec<f64>], scratch: &Scratch) -> Vec<usize> {
        let mut over = false;
        let gains: Vec<f64> = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                over |= at.is_multiple_of(ASKED) && scratch.is_over();
                if over {
                    return 0.0;
                }
                let along = linear::dot(column, residual);
                let taken: f64 = basis.iter().map(|q| linear::dot(q, column).powi(2)).sum();
                let new = 1.0 - taken;
                // Rounded, so that shapes equal on these rows are ties.
                if new > 1e-6 {
                    round(along * along / new)
                } else {
                    0.0
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..gains.len()).filter(|&i| gains[i] > 0.0).collect();
        order.sort_by(|&a, &b| gains[b].total_cmp(&gains[a]).then(a.cmp(&b)));
        order
    }
}

/// Nine significant digits.
pub(crate) fn round(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let unit = 10_f64.powi(8 - x.abs().log10().floor() as i32);
    (x * unit).round() / unit
}

/// Shapes of one column, in the order of simplicity; a logarithm is kept above 0 where the column is not.
fn shapes_of(column: usize, problem: &Problem) -> Vec<Tree> {
    let x = Tree::var(column);
    let positive = problem.levels[column][0] > 0.0;
    let inside = if positive {
        x.clone()
    } else {
        Tree::node(Op::Max, &[&x, &Tree::constant(1.0)])
    };
    let log = Tree::node(Op::Log, &[&inside]);
    let square = Tree::node(Op::Mul, &[&x, &x]);
    let mut shapes = vec![
        x.clone(),
        square.clone(),
        Tree::node(Op::Mul, &[&x, &log]),
        log.clone(),
    ];
    if problem.levels[column][0] >= 0.0 {
        shapes.push(Tree::node(Op::Pow, &[&x, &Tree::constant(0.5)]));
        shapes.push(Tree::node(Op::Pow, &[&x, &Tree::constant(1.5)]));
    }
    shapes.push(Tree::node(Op::Mul, &[&square, &x]));
    shapes.push(Tree::node(Op::Mul, &[&square, &log]));
    if positive {
        shapes.push(Tree::node(Op::Div, &[&Tree::constant(1.0), &x]));
    }
    shapes
}

/// `if(column > limit) value else 0`.
fn case(column: usize, limit: Op, value: &Tree) -> Tree {
    let condition = Tree::node(Op::Greater, &[&Tree::var(column), &Tree::leaf(limit)]);
    Tree::node(Op::If, &[&condition, value, &Tree::constant(0.0)])
}

/// All shapes: of single columns, of pairs, of cases with offered constants, of cases with round numbers.
fn all_shapes(columns: &[usize], problem: &Problem) -> Vec<Tree> {
    let mut shapes: Vec<Tree> = Vec::new();
    let near: Vec<usize> = columns.iter().copied().take(PAIRED).collect();
    shapes.extend(columns.iter().flat_map(|&c| shapes_of(c, problem)));
    let mut values = vec![Tree::constant(1.0)];
    values.extend(near.iter().map(|&c| Tree::var(c)));
    for offered in [true, false] {
        for &column in columns.iter().take(4 * PAIRED) {
            let limits: Vec<Op> = if offered {
                problem.given_within(column).map(Op::Given).collect()
            } else {
                let round = problem.thresholds(column, SPLITS);
                round.into_iter().map(Op::Const).collect()
            };
            for limit in limits {
                let cases = values.iter().map(|value| case(column, limit, value));
                shapes.extend(cases);
            }
        }
        if offered {
            for (i, &a) in near.iter().enumerate() {
                for &b in &near[i + 1..] {
                    let (a, b) = (Tree::var(a), Tree::var(b));
                    shapes.push(Tree::node(Op::Mul, &[&a, &b]));
                }
            }
        }
    }
    shapes
}

/// Columns by how much of the target they explain alone.
pub(crate) fn by_relevance(problem: &Problem, scratch: &mut Scratch) -> Vec<usize> {
    let mut gains: Vec<(f64, usize)> = (0..problem.columns.len())
        .map(|c| {
            let mut best = 0.0_f64;
            for tree in shapes_of(c, problem).into_iter().take(4) {
                if scratch.is_over() {
                    break;
                }
                let mut one = Individual::new(vec![tree], true);
                if one.fit(problem, scratch).is_some() {
                    best = best.max(1.0 - one.error);
                }
            }
            (round(best), c)
        })
        .collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    gains.into_iter().map(|g| g.1).collect()
}

/// Candidates of simple shape, fitted: those found until the work is to stop.
pub fn seeds(problem: &Problem, scratch: &mut Scratch) -> Vec<Individual> {
    let mut found: Vec<Individual> = Vec::new();
    let mut keep = |mut one: Individual, scratch: &mut Scratch| {
        if one.error.is_finite() || one.fit(problem, scratch).is_some() {
            found.push(one);
        }
        found.last().is_some_and(Individual::is_exact)
    };
    keep(Individual::new(Vec::new(), true), scratch);
    if problem.columns.is_empty() {
        return found;
    }
    let columns = by_relevance(problem, scratch);
    for &column in &columns {
        for tree in shapes_of(column, problem) {
            if scratch.is_over() {
                return found;
            }
            for intercept in [false, true] {
                if keep(Individual::new(vec![tree.clone()], intercept), scratch) {
                    return found;
                }
            }
        }
    }
    let library = Library::new(all_shapes(&columns, problem), problem, scratch);
    for intercept in [true, false] {
        let none = Individual::new(Vec::new(), intercept);
        let (residual, basis) = rest_of(&none, problem, scratch);
        let firsts = library.ranked(&residual, &basis, scratch);
        for &first in firsts.iter().take(STARTS) {
            if scratch.is_over() {
                return found;
            }
            for sum in pursuit(&library, first, intercept, problem, scratch) {
                if keep(sum, scratch) {
                    return found;
                }
            }
        }
    }
    found
}

fn rest_of(
    individual: &Individual,
    problem: &Problem,
    scratch: &mut Scratch,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    match individual.clone().fit(problem, scratch) {
        Some(solution) => (solution.residual, solution.basis),
        None => (problem.weighted.clone(), Vec::new()),
    }
}

/// Sums that begin with one shape and take the most telling next one, as long as the description shrinks; each step's
/// pruned sum is returned.
fn pursuit(
    library: &Library,
    first: usize,
    intercept: bool,
    problem: &Problem,
    scratch: &mut Scratch,
) -> Vec<Individual> {
    let mut path = Vec::new();
    let mut current = Individual::new(vec![library.shapes[first].clone()], intercept);
    if current.fit(problem, scratch).is_none() {
        return path;
    }
    tune::thresholds(&mut current, problem, scratch);
    let mut fruitless = 0;
    let mut best = current.description_length(problem);
    path.push(current.clone());
    while current.terms.len() < TERMS && !current.is_exact() && fruitless < 2 && !scratch.is_over()
    {
        let (residual, basis) = rest_of(&current, problem, scratch);
        let Some(&next) = library.ranked(&residual, &basis, scratch).first() else {
            break;
        };
        let mut terms = current.terms.clone();
        terms.push(library.shapes[next].clone());
        let mut longer = Individual::new(terms, intercept);
        if longer.fit(problem, scratch).is_none() || longer.terms.len() <= current.terms.len() {
            break;
        }
        tune::thresholds(&mut longer, problem, scratch);
        let pruned = prune(&longer, problem, scratch);
        let length = pruned.description_length(problem);
        fruitless = if length < best - 1e-6 {
            0
        } else {
            fruitless + 1
        };
        best = best.min(length);
        path.push(pruned.clone());
        current = if fruitless == 0 { pruned } else { longer };
    }
    path
}

/// Leaves out terms and conditions as long as the description shrinks.
pub fn prune(individual: &Individual, problem: &Problem, scratch: &mut Scratch) -> Individual {
    let mut best = individual.clone();
    let mut length = best.description_length(problem);
    loop {
        let mut better = None;
        for mut shorter in shortened(&best) {
            if scratch.is_over() {
                break;
            }
            if shorter.fit(problem, scratch).is_none() {
                continue;
            }
            let candidate = shorter.description_length(problem);
            if candidate < length - 1e-6 {
                length = candidate;
                better = Some(shorter);
            }
        }
        match better {
            Some(shorter) => best = shorter,
            None => return best,
        }
    }
}

/// The candidate without its constant, without each term, and with each case replaced by one of its branches.
fn shortened(of: &Individual) -> Vec<Individual> {
    let mut found = Vec::new();
    if of.intercept {
        found.push(Individual::new(of.terms.clone(), false));
    }
    for (at, term) in of.terms.iter().enumerate() {
        let mut terms = of.terms.clone();
        terms.remove(at);
        found.push(Individual::new(terms, of.intercept));
        if term.root() == Op::If {
            for branch in &term.children()[1..] {
                let mut terms = of.terms.clone();
                terms[at] = branch.clone();
                found.push(Individual::new(terms, of.intercept));
            }
        }
    }
    found
}
