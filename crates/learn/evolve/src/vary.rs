//! Random trees, crossover and mutation.
//!
//! Subtree crossover and subtree mutation are Koza's (1993); exchange of whole terms is multi-gene programming's. From
//! Krogmann, Kuperberg & Reussner (2010, section 3.3) come the mutation of constants, genes for constants found in code,
//! case splits, and the mutation that removes one variable from a whole individual and so forces abstraction. All
//! operators keep trees well-typed; what grows beyond the limits is refused by the caller.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::individual::Individual;
use crate::problem::{Problem, roundest};
use crate::tree::{Kind, Op, Tree};

/// Operations of two numbers, by how often they are drawn.
const BINARY: [Op; 12] = [
    Op::Add,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mul,
    Op::Mul,
    Op::Mul,
    Op::Div,
    Op::Div,
    Op::Min,
    Op::Max,
    Op::Pow,
];

/// Random choices for one offspring.
pub struct Variation<'a> {
    /// The data, for columns and constants.
    pub problem: &'a Problem,
    /// Most terms of a sum.
    pub terms: usize,
    /// Deepest random tree.
    pub depth: u32,
    /// Random numbers.
    pub random: Pcg64Mcg,
}

impl Variation<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end.max(1))
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let index = self.below(from.len());
        from[index].clone()
    }

    /// A random candidate.
    pub fn individual(&mut self) -> Individual {
        let count = 1 + self.below(3);
        let terms = (0..count).map(|_| self.number(self.depth)).collect();
        let intercept = self.chance(50);
        Individual::new(terms, intercept)
    }

    /// A constant: offered, a power of ten, or anything in between.
    fn constant(&mut self) -> Op {
        if !self.problem.given.is_empty() && self.chance(50) {
            return Op::Given(self.below(self.problem.given.len()) as u16);
        }
        match self.below(3) {
            0 => Op::Const(10_f64.powi(self.below(7) as i32 - 2)),
            1 => Op::Const((1 + self.below(9)) as f64),
            _ => Op::Const(self.random.random_range(0.0..1.0)),
        }
    }

    /// A limit for a comparison with a column.
    fn limit(&mut self, column: usize) -> Op {
        let given: Vec<u16> = self.problem.given_within(column).collect();
        if !given.is_empty() && self.chance(60) {
            return Op::Given(self.pick(&given));
        }
        let levels = &self.problem.levels[column];
        let gap = self.below(levels.len().saturating_sub(1));
        Op::Const(roundest(
            levels[gap],
            levels[(gap + 1).min(levels.len() - 1)],
        ))
    }

    fn column(&mut self) -> usize {
        self.below(self.problem.columns.len())
    }

    fn leaf(&mut self) -> Tree {
        if self.problem.columns.is_empty() || self.chance(25) {
            Tree::leaf(self.constant())
        } else {
            Tree::var(self.column())
        }
    }

    /// A random number-valued tree of at most `depth` levels.
    pub fn number(&mut self, depth: u32) -> Tree {
        if depth <= 1 || self.chance(25) {
            return self.leaf();
        }
        match self.below(20) {
            0..=11 => {
                let op = self.pick(&BINARY);
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                Tree::node(op, &[&a, &b])
            }
            12..=15 => {
                let op = self.pick(&[Op::Log, Op::Log, Op::Log, Op::Exp, Op::Sin]);
                Tree::node(op, &[&self.number(depth - 1)])
            }
            _ => {
                let condition = self.condition(depth - 1);
                let yes = self.number(depth - 1);
                let no = if self.chance(50) {
                    Tree::constant(0.0)
                } else {
                    self.number(depth - 1)
                };
                Tree::node(Op::If, &[&condition, &yes, &no])
            }
        }
    }

    /// A random condition.
    fn condition(&mut self, depth: u32) -> Tree {
        let op = self.pick(&[
            Op::Greater,
            Op::Greater,
            Op::GreaterEqual,
            Op::Less,
            Op::LessEqual,
        ]);
        if self.problem.columns.is_empty() {
            return Tree::node(op, &[&Tree::constant(0.0), &Tree::constant(1.0)]);
        }
        let column = self.column();
        let right = if depth > 2 && self.chance(15) {
            self.number(depth - 1)
        } else if self.chance(15) {
            Tree::var(self.column())
        } else {
            Tree::leaf(self.limit(column))
        };
        Tree::node(op, &[&Tree::var(column), &right])
    }

    /// Position of a random subtree of one kind; operators are taken nine times out of ten where there are any (Koza).
    fn place(&mut self, tree: &Tree, kind: Kind) -> Option<usize> {
        let fits = |inner: bool| -> Vec<usize> {
            let ops = tree.ops().iter().enumerate();
            let found = ops.filter(|(_, op)| op.kind() == kind && (op.arity() > 0) == inner);
            found.map(|(at, _)| at).collect()
        };
        let (inner, leaves) = (fits(true), fits(false));
        let from = if leaves.is_empty() || (!inner.is_empty() && self.chance(90)) {
            inner
        } else {
            leaves
        };
        (!from.is_empty()).then(|| self.pick(&from))
    }

    /// A child of two parents.
    pub fn crossover(&mut self, one: &Individual, two: &Individual) -> Individual {
        if one.terms.is_empty() || two.terms.is_empty() {
            return self.mutation(one);
        }
        let mut terms = one.terms.clone();
        let donor = self.pick(&two.terms);
        let at = self.below(terms.len());
        match self.below(10) {
            0..=3 if terms.len() < self.terms => terms.push(donor),
            0..=5 => terms[at] = donor,
            _ => {
                let kind = if self.chance(15) {
                    Kind::Condition
                } else {
                    Kind::Number
                };
                if let (Some(here), Some(there)) =
                    (self.place(&terms[at], kind), self.place(&donor, kind))
                {
                    terms[at] = terms[at].replaced(here, &donor.subtree(there));
                } else {
                    terms[at] = donor;
                }
            }
        }
        let intercept = if self.chance(50) {
            one.intercept
        } else {
            two.intercept
        };
        Individual::new(terms, intercept)
    }

    /// A changed copy.
    pub fn mutation(&mut self, of: &Individual) -> Individual {
        let mut terms = of.terms.clone();
        if terms.is_empty() {
            return Individual::new(vec![self.number(3)], true);
        }
        let mut intercept = of.intercept;
        let at = self.below(terms.len());
        match self.below(100) {
            0..20 => {
                if let Some(place) = self.place(&terms[at], Kind::Number) {
                    terms[at] = terms[at].replaced(place, &self.number(3));
                }
            }
            20..35 => terms[at] = self.point(&terms[at]),
            35..50 => terms[at] = self.shaken(&terms[at]),
            50..65 if terms.len() < self.terms => terms.push(self.number(3)),
            50..70 if terms.len() > 1 => drop(terms.remove(at)),
            70..75 => {
                if let Some(place) = self.place(&terms[at], Kind::Number) {
                    terms[at] = terms[at].subtree(place); // hoist
                }
            }
            75..85 => {
                let condition = self.condition(1);
                let case = Tree::node(Op::If, &[&condition, &terms[at], &Tree::constant(0.0)]);
                if terms.len() < self.terms && self.chance(50) {
                    terms.push(case);
                } else {
                    terms[at] = case;
                }
            }
            85..95 => {
                let variables = of.variables();
                if variables.len() > 1 {
                    let gone = self.pick(&variables);
                    terms = terms.iter().filter_map(|t| without(t, gone)).collect();
                } else {
                    terms[at] = self.number(3);
                }
            }
            _ => intercept = !intercept,
        }
        Individual::new(terms, intercept)
    }

    /// One operation replaced by another with the same operands.
    fn point(&mut self, tree: &Tree) -> Tree {
        let mut out = tree.clone();
        let at = self.below(out.ops.len());
        out.ops[at] = match out.ops[at] {
            Op::Var(_) => Op::Var(self.column() as u16),
            Op::Const(_) | Op::Given(_) => self.constant(),
            Op::Log | Op::Exp | Op::Sin => self.pick(&[Op::Log, Op::Exp, Op::Sin]),
            Op::If => Op::If,
            op if op.is_comparison() => {
                self.pick(&[Op::Greater, Op::GreaterEqual, Op::Less, Op::LessEqual])
            }
            _ => self.pick(&[
                Op::Add,
                Op::Sub,
                Op::Mul,
                Op::Div,
                Op::Min,
                Op::Max,
                Op::Pow,
            ]),
        };
        out
    }

    /// One constant moved; a limit of a comparison moves to another limit.
    fn shaken(&mut self, tree: &Tree) -> Tree {
        let mut out = tree.clone();
        let constants: Vec<usize> = (0..out.ops.len())
            .filter(|&i| matches!(out.ops[i], Op::Const(_) | Op::Given(_)))
            .collect();
        if constants.is_empty() {
            return self.point(tree);
        }
        let at = self.pick(&constants);
        let compared = at > 0 && out.ops.get(at + 1).is_some_and(|op| op.is_comparison());
        out.ops[at] = match (out.ops[at], compared.then(|| out.ops[at - 1])) {
            (_, Some(Op::Var(column))) => self.limit(usize::from(column)),
            (Op::Const(value), _) if self.chance(70) => {
                let factor: f64 = self.random.random_range(-1.0..1.0);
                Op::Const(value * factor.exp2() + if value == 0.0 { factor } else { 0.0 })
            }
            _ => self.constant(),
        };
        out
    }
}

/// The tree without one column: operators keep their other operand, cases without a condition keep a branch; none when
/// nothing remains.
pub fn without(tree: &Tree, column: u16) -> Option<Tree> {
    let mut stack: Vec<Option<Tree>> = Vec::new();
    for &op in tree.ops() {
        let base = stack.len() - op.arity();
        let operands: Vec<Option<Tree>> = stack.drain(base..).collect();
        stack.push(match (op, operands.as_slice()) {
            (Op::Var(c), _) => (c != column).then(|| Tree::leaf(op)),
            (_, []) => Some(Tree::leaf(op)),
            (_, [Some(a)]) => Some(Tree::node(op, &[a])),
            (_, [Some(a), Some(b)]) => Some(Tree::node(op, &[a, b])),
            (Op::If, [Some(c), Some(a), Some(b)]) => Some(Tree::node(op, &[c, a, b])),
            (Op::If, [_, Some(rest), _] | [_, None, Some(rest)]) => Some(rest.clone()),
            (_, [Some(rest), None] | [None, Some(rest)]) if !op.is_comparison() => {
                Some(rest.clone())
            }
            _ => None,
        });
    }
    stack.pop().flatten()
}

#[cfg(test)]
mod tests {
    use super::{Variation, without};
    use crate::individual::Individual;
    use crate::problem::Problem;
    use crate::tree::{Op, Tree};
    use pricetag_estimator::{Column, Design, Values};
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    #[test]
    fn a_variable_disappears_everywhere() {
        let (x, y, c) = (Tree::var(0), Tree::var(1), Tree::constant(2.0));
        let product = Tree::node(Op::Mul, &[&x, &y]);
        assert_eq!(without(&product, 0), Some(y.clone()));
        assert_eq!(without(&Tree::node(Op::Log, &[&x]), 0), None);
        let condition = Tree::node(Op::Greater, &[&x, &c]);
        let case = Tree::node(Op::If, &[&condition, &product, &c]);
        assert_eq!(without(&case, 0), Some(y.clone()));
        assert_eq!(
            without(&case, 1),
            Some(Tree::node(Op::If, &[&condition, &x, &c]))
        );
        assert_eq!(without(&Tree::node(Op::Sub, &[&case, &x]), 0), Some(y));
    }

    #[test]
    fn offspring_are_well_typed() {
        let column = |name: &str, step: f64| Column {
            name: name.into(),
            values: Values::Dense((0..20).map(|i| f64::from(i) * step % 7.0).collect()),
        };
        let design = Design::new(vec![column("a", 1.5), column("b", 2.3)], vec![1.0; 20]);
        let problem = Problem::new(&design, &[2.5, 1e6]);
        let mut vary = Variation {
            problem: &problem,
            terms: 5,
            depth: 5,
            random: Pcg64Mcg::seed_from_u64(7),
        };
        let mut population: Vec<Individual> = (0..30).map(|_| vary.individual()).collect();
        for round in 0..3000 {
            let (one, two) = (round % 30, round * 7 % 30);
            let child = if round % 2 == 0 {
                let (a, b) = (population[one].clone(), population[two].clone());
                vary.crossover(&a, &b)
            } else {
                let parent = population[one].clone();
                vary.mutation(&parent)
            };
            for term in &child.terms {
                assert!(term.is_valid(2, 2), "{term:?}");
            }
            if child.complexity < 60 {
                population[two] = child;
            }
        }
    }
}
