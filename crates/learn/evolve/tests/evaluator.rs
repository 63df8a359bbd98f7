//! The blocked evaluator against recursion over the definition, the simplifier against the evaluator, and formulas
//! against trees.

use pricetag_estimator::{Column, Design, Values};
use pricetag_evolve::evaluate::{BLOCK, Program, Scratch};
use pricetag_evolve::vary::Variation;
use pricetag_evolve::{Problem, Tree, convert, simplify};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

const ROWS: usize = BLOCK + 37;

fn problem() -> Problem {
    let column = |name: &str, f: &dyn Fn(f64) -> f64| Column {
        name: name.into(),
        values: Values::Dense((0..ROWS).map(|i| f(i as f64)).collect()),
    };
    let columns = vec![
        column("a", &|i| (i * 7.0) % 31.0 - 4.0),
        column("b", &|i| 0.25 + i / 50.0),
        column("c", &|i| (i * i) % 17.0),
    ];
    let target = (0..ROWS).map(|i| 1.0 + i as f64).collect();
    Problem::new(&Design::new(columns, target), &[2.5, 10.0, 300.0])
}

fn random_tree(seed: u64, problem: &Problem) -> Tree {
    let mut vary = Variation {
        problem,
        terms: 4,
        depth: 6,
        random: Pcg64Mcg::seed_from_u64(seed),
    };
    vary.number(6)
}

fn run(tree: &Tree, problem: &Problem) -> Vec<f64> {
    let mut out = vec![0.0; ROWS];
    Program::new(tree, &problem.given).run(&problem.columns, &mut Scratch::default(), &mut out);
    out
}

/// Equal up to the last digits of `exp` and `log`, which nested powers may amplify.
fn close(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Whether the last digit of a part may change the value a lot: parts are huge, so that a sine of them or a difference
/// is arbitrary, or a tiny change of the columns shows.
fn unstable(tree: &Tree, problem: &Problem, row: usize) -> bool {
    let at = |tree: &Tree, factor: f64| {
        tree.value(&|c| problem.columns[c][row] * factor, &problem.given)
    };
    let huge = |end: usize| {
        let value = at(&tree.subtree(end), 1.0).abs();
        value.is_finite() && value > 1e6
    };
    (0..tree.ops().len()).any(huge) || !close(at(tree, 1.0 - 1e-13), at(tree, 1.0 + 1e-13))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn blocks_agree_with_recursion(seed in any::<u64>()) {
        let problem = problem();
        let tree = random_tree(seed, &problem);
        prop_assert!(tree.is_valid(3, 3));
        for (row, value) in run(&tree, &problem).into_iter().enumerate() {
            let expected = tree.value(&|c| problem.columns[c][row], &problem.given);
            prop_assert!(
                close(value, expected) || unstable(&tree, &problem, row),
                "row {}: {} instead of {} by {:?}", row, value, expected, tree
            );
        }
    }

    #[test]
    fn simplification_keeps_values_of_finite_parts(seed in any::<u64>()) {
        let problem = problem();
        let tree = random_tree(seed, &problem);
        let simple = simplify::tree(&tree);
        prop_assert!(simple.is_valid(3, 3) && simple.complexity() <= tree.complexity());
        let parts: Vec<Tree> = (0..tree.ops().len()).map(|end| tree.subtree(end)).collect();
        for row in (0..ROWS).step_by(7) {
            let value = |t: &Tree| t.value(&|c| problem.columns[c][row], &problem.given);
            if parts.iter().all(|part| value(part).is_finite()) && !unstable(&tree, &problem, row) {
                let (a, b) = (value(&tree), value(&simple));
                prop_assert!(close(a, b), "row {}: {} became {} from {:?} to {:?}", row, a, b, tree, simple);
            }
        }
    }

    #[test]
    fn formulas_have_the_values_of_trees(seed in any::<u64>()) {
        let problem = problem();
        let tree = random_tree(seed, &problem);
        let formula = convert::of_tree(&tree, &problem.names, &problem.given);
        let parts: Vec<Tree> = (0..tree.ops().len()).map(|end| tree.subtree(end)).collect();
        for row in (0..ROWS).step_by(11) {
            let feature = |name: &str| {
                let column = problem.names.iter().position(|n| n == name)?;
                Some(problem.columns[column][row])
            };
            let value = formula.evaluate(&feature).unwrap();
            let expected = tree.value(&|c| problem.columns[c][row], &problem.given);
            // A formula multiplies in another order, in which an overflow may meet a zero.
            let overflows =
                || parts.iter().any(|part| !part.value(&|c| problem.columns[c][row], &problem.given).is_finite());
            prop_assert!(
                close(value, expected) || unstable(&tree, &problem, row) || overflows(),
                "{} instead of {} by {}", value, expected, formula.text()
            );
        }
    }
}
