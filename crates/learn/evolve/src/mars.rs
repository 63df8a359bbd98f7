//! What MARS finds, as members of the first generation.
//!
//! Krogmann, Kuperberg & Reussner (2010, section 3.3) translate the result of MARS (Friedman 1991) into an individual, so
//! that genetic programming never ends up worse. Here three runs are translated: additive, with interactions, and with
//! steps, which hinges cannot represent. A lone hinge max(0, x − k) is written as max(x, k) minus a constant, which the
//! least-squares intercept takes up. Of wide tables only the most relevant columns are given to MARS.

use pricetag_estimator::{Checked, Column, Design, Values};
use pricetag_regress::Mars;
use pricetag_regress::mars::{Factor, Shape, Term};

use crate::individual::Individual;
use crate::problem::Problem;
use crate::tree::{Op, Tree};

/// Numbers in the table given to MARS, at most.
const TABLE: usize = 200_000;

/// Individuals for the runs of MARS, not fitted; `columns` are ordered by relevance, `stop` is asked between runs.
pub fn seeds(problem: &Problem, columns: &[usize], stop: &dyn Fn() -> bool) -> Vec<Individual> {
    let most = (TABLE / problem.rows().max(1)).max(2);
    let columns = &columns[..columns.len().min(most)];
    let Some(design) = design(problem, columns) else {
        return Vec::new();
    };
    let additive = Mars::default();
    let interacting = Mars {
        degree: 2,
        ..Mars::default()
    };
    let stepping = Mars {
        step_bases: true,
        ..interacting.clone()
    };
    let mut found = Vec::new();
    for mars in [additive, interacting, stepping] {
        if stop() {
            break;
        }
        // A design that MARS refuses (too few rows) has no seeds.
        if let Ok(model) = mars.model(&design) {
            let terms = model.terms.iter().filter(|t| !t.factors.is_empty());
            let trees = terms.map(|term| tree(term, columns)).collect();
            found.push(Individual::new(trees, true));
        }
    }
    found
}

/// The problem as a design: scaled target, normalised weights.
fn design(problem: &Problem, columns: &[usize]) -> Option<Checked<Design>> {
    if columns.is_empty() {
        return None;
    }
    let columns = columns.iter().map(|&c| Column {
        name: problem.names[c].clone(),
        values: Values::Dense(problem.columns[c].clone()),
    });
    let mut design = Design::new(columns.collect(), problem.target.clone());
    let largest = problem.roots.iter().fold(0.0_f64, |m, r| m.max(*r));
    design.weights = problem
        .roots
        .iter()
        .map(|r| (r / largest).powi(2))
        .collect();
    design.check().ok()
}

fn tree(term: &Term, columns: &[usize]) -> Tree {
    if let [factor] = term.factors.as_slice() {
        let x = Tree::var(columns[factor.variable]);
        match factor.shape {
            Shape::Above(knot) => return Tree::node(Op::Max, &[&x, &Tree::constant(knot)]),
            Shape::Below(knot) => return Tree::node(Op::Min, &[&x, &Tree::constant(knot)]),
            Shape::Linear | Shape::Step(_) => {}
        }
    }
    let mut product: Option<Tree> = None;
    let smooth = |f: &&Factor| !matches!(f.shape, Shape::Step(_));
    for factor in term.factors.iter().filter(smooth) {
        let one = smooth_factor(factor, columns);
        product = Some(match product {
            None => one,
            Some(product) => Tree::node(Op::Mul, &[&product, &one]),
        });
    }
    let mut out = product.unwrap_or_else(|| Tree::constant(1.0));
    for factor in &term.factors {
        if let Shape::Step(knot) = factor.shape {
            let x = Tree::var(columns[factor.variable]);
            let condition = Tree::node(Op::Greater, &[&x, &Tree::constant(knot)]);
            out = Tree::node(Op::If, &[&condition, &out, &Tree::constant(0.0)]);
        }
    }
    out
}

fn smooth_factor(factor: &Factor, columns: &[usize]) -> Tree {
    let x = Tree::var(columns[factor.variable]);
    let difference = match factor.shape {
        Shape::Above(knot) => Tree::node(Op::Sub, &[&x, &Tree::constant(knot)]),
        Shape::Below(knot) => Tree::node(Op::Sub, &[&Tree::constant(knot), &x]),
        Shape::Linear | Shape::Step(_) => return x,
    };
    Tree::node(Op::Max, &[&difference, &Tree::constant(0.0)])
}
