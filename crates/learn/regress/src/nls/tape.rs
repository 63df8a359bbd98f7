//! Several formulas over the same rows as one list of instructions.
//!
//! Equal parts become one node (hash-consing; Ershov 1958), so what a formula and its derivatives share is computed once.
//! A node without parameters is computed once for all rows and all evaluations, one without columns once per evaluation as
//! a scalar, and only the rest row by row, in blocks of rows that stay in the cache. The operations and their order are
//! those of [`Formula::evaluate`], so that the stored formula predicts what was fitted.

use std::collections::HashMap;
use std::ops::Range;

use pricetag_cost_model::{Comparison, Formula};

/// Rows of one block: a node's values are two kilobytes.
const BLOCK: usize = 256;

/// What a node does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Add,
    Multiply,
    Divide,
    Power,
    Log,
    Exp,
    Sin,
    Arctan,
    Min,
    Max,
    Compare(Comparison),
    /// The second operand where the first holds, else the third.
    Choose,
}

/// A part of a formula; operands are earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// By its bits, so that −0 is not 0.
    Constant(u64),
    Column(usize),
    Parameter(usize),
    /// Operands that the operation does not take repeat the first.
    Apply(Operation, [usize; 3]),
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Column(usize),
    Parameter(usize),
}

/// Where the value of a node is found while the tape runs.
#[derive(Clone, Copy, Debug)]
enum Place {
    Scalar(usize),
    Column(usize),
    /// Computed once for all rows.
    Fixed(usize),
    /// Computed for the rows of a block.
    Slot(usize),
}

#[derive(Clone, Copy, Debug)]
struct Instruction {
    operation: Operation,
    operands: [Place; 3],
}

/// Compiled formulas.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    rows: usize,
    /// Constants, then parameters, then what is computed from them.
    scalars: Vec<f64>,
    parameters: Vec<(usize, usize)>,
    once: Vec<(usize, Instruction)>,
    fixed: Vec<Vec<f64>>,
    by_row: Vec<Instruction>,
    outputs: Vec<Place>,
    /// Instructions by row that the first output needs.
    first: usize,
}

/// The value of a node in the rows of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'a> {
    One(f64),
    Rows(&'a [f64]),
}

impl Tape {
    /// Compiles formulas whose names are columns of equal length or parameters; the first unknown name is the error.
    pub(super) fn new(
        formulas: &[&Formula],
        resolve: &dyn Fn(&str) -> Option<Name>,
        columns: &[Vec<f64>],
        rows: usize,
    ) -> Result<Self, String> {
        let mut graph = Graph::default();
        let mut roots = Vec::new();
        let mut first = 0;
        for formula in formulas {
            roots.push(graph.add(formula, resolve)?);
            if roots.len() == 1 {
                first = graph.nodes.len();
            }
        }
        Ok(graph.compiled(&roots, first, columns, rows))
    }

    /// Hands the values of the first `outputs` formulas in every block of rows to `take`.
    pub(super) fn run(
        &self,
        columns: &[Vec<f64>],
        parameters: &[f64],
        outputs: usize,
        mut take: impl FnMut(usize, Range<usize>, View<'_>),
    ) {
        let scalars = self.scalars(parameters);
        let needed = if outputs > 1 {
            self.by_row.len()
        } else {
            self.first
        };
        let mut slots = vec![0.0; needed * BLOCK];
        let mut from = 0;
        while from < self.rows {
            let range = from..self.rows.min(from + BLOCK);
            for (at, instruction) in self.by_row[..needed].iter().enumerate() {
                let (done, rest) = slots.split_at_mut(at * BLOCK);
                let view = |place| self.view(place, &scalars, columns, done, &range);
                compute(
                    instruction.operation,
                    instruction.operands.map(view),
                    &mut rest[..range.len()],
                );
            }
            for (k, &place) in self.outputs[..outputs].iter().enumerate() {
                let view = self.view(place, &scalars, columns, &slots, &range);
                take(k, range.clone(), view);
            }
            from = range.end;
        }
    }

    /// The values of the first formula.
    pub(super) fn values(&self, columns: &[Vec<f64>], parameters: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.rows);
        self.run(columns, parameters, 1, |_, range, view| match view {
            View::One(x) => out.extend(range.map(|_| x)),
            View::Rows(values) => out.extend_from_slice(values),
        });
        out
    }

    fn scalars(&self, parameters: &[f64]) -> Vec<f64> {
        let mut scalars = self.scalars.clone();
        for &(at, parameter) in &self.parameters {
            scalars[at] = parameters[parameter];
        }
        for &(at, instruction) in &self.once {
            let mut out = [0.0];
            let view = |place| self.view(place, &scalars, &[], &[], &(0..1));
            let operands = instruction.operands.map(view);
            compute(instruction.operation, operands, &mut out);
            scalars[at] = out[0];
        }
        scalars
    }

    fn view<'a>(
        &'a self,
        place: Place,
        scalars: &[f64],
        columns: &'a [Vec<f64>],
        slots: &'a [f64],
        range: &Range<usize>,
    ) -> View<'a> {
        match place {
            Place::Scalar(at) => View::One(scalars[at]),
            Place::Column(at) => View::Rows(&columns[at][range.clone()]),
            Place::Fixed(at) => View::Rows(&self.fixed[at][range.clone()]),
            Place::Slot(at) => View::Rows(&slots[at * BLOCK..at * BLOCK + range.len()]),
        }
    }
}

/// Nodes in an order in which operands come first.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    known: HashMap<Node, usize>,
}

impl Graph {
    fn node(&mut self, node: Node) -> usize {
        let Self { nodes, known } = self;
        *known.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    }

    fn constant(&mut self, value: f64) -> usize {
        self.node(Node::Constant(value.to_bits()))
    }

    fn value(&self, at: usize) -> Option<f64> {
        match self.nodes[at] {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// An operation; of constants alone it is carried out at once.
    fn apply(&mut self, operation: Operation, operands: [usize; 3]) -> usize {
        let values = operands.map(|at| self.value(at));
        match (operation, values) {
            (Operation::Choose, [Some(x), ..]) => {
                return operands[if holds(x) { 1 } else { 2 }];
            }
            // Exact: 1·x is x to the bit.
            (Operation::Multiply, [Some(1.0), ..]) => return operands[1],
            (_, [Some(a), Some(b), Some(c)]) => {
                let mut out = [0.0];
                compute(operation, [a, b, c].map(View::One), &mut out);
                return self.constant(out[0]);
            }
            _ => {}
        }
        self.node(Node::Apply(operation, operands))
    }

    fn add(
        &mut self,
        formula: &Formula,
        resolve: &dyn Fn(&str) -> Option<Name>,
    ) -> Result<usize, String> {
        let unary = |graph: &mut Self, operation, a: &Formula| {
            let a = graph.add(a, resolve)?;
            Ok(graph.apply(operation, [a; 3]))
        };
        let binary = |graph: &mut Self, operation, a: &Formula, b: &Formula| {
            let (a, b) = (graph.add(a, resolve)?, graph.add(b, resolve)?);
            Ok(graph.apply(operation, [a, b, a]))
        };
        match formula {
            Formula::Constant(c) => Ok(self.constant(*c)),
            Formula::Feature(name) => self.named(name, resolve),
            Formula::Linear { intercept, terms } => {
                let mut sum = self.constant(*intercept);
                for (coefficient, name) in terms.iter().filter(|term| term.0 != 0.0) {
                    let (c, x) = (self.constant(*coefficient), self.named(name, resolve)?);
                    let term = self.apply(Operation::Multiply, [c, x, c]);
                    sum = self.apply(Operation::Add, [sum, term, sum]);
                }
                Ok(sum)
            }
            Formula::Sum(parts) => self.folded(Operation::Add, 0.0, parts, resolve),
            Formula::Product(parts) => self.folded(Operation::Multiply, 1.0, parts, resolve),
            Formula::Quotient(a, b) => binary(self, Operation::Divide, a, b),
            Formula::Power(a, b) => binary(self, Operation::Power, a, b),
            Formula::Log(a) => unary(self, Operation::Log, a),
            Formula::Exp(a) => unary(self, Operation::Exp, a),
            Formula::Min(a, b) => binary(self, Operation::Min, a, b),
            Formula::Max(a, b) => binary(self, Operation::Max, a, b),
            Formula::Sin(a) => unary(self, Operation::Sin, a),
            Formula::Arctan(a) => unary(self, Operation::Arctan, a),
            Formula::Compare(how, a, b) => binary(self, Operation::Compare(*how), a, b),
            Formula::If {
                condition,
                then,
                otherwise,
            } => {
                let parts = [
                    self.add(condition, resolve)?,
                    self.add(then, resolve)?,
                    self.add(otherwise, resolve)?,
                ];
                Ok(self.apply(Operation::Choose, parts))
            }
        }
    }

    fn folded(
        &mut self,
        operation: Operation,
        neutral: f64,
        parts: &[Formula],
        resolve: &dyn Fn(&str) -> Option<Name>,
    ) -> Result<usize, String> {
        let mut all = self.constant(neutral);
        for part in parts {
            let part = self.add(part, resolve)?;
            all = self.apply(operation, [all, part, all]);
        }
        Ok(all)
    }

    fn named(
        &mut self,
        name: &str,
        resolve: &dyn Fn(&str) -> Option<Name>,
    ) -> Result<usize, String> {
        match resolve(name).ok_or_else(|| name.to_owned())? {
            Name::Column(at) => Ok(self.node(Node::Column(at))),
            Name::Parameter(at) => Ok(self.node(Node::Parameter(at))),
        }
    }

    /// Nodes that the roots need.
    fn live(&self, roots: &[usize]) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        for &root in roots {
            live[root] = true;
        }
        for at in (0..self.nodes.len()).rev() {
            if let (true, Node::Apply(_, operands)) = (live[at], self.nodes[at]) {
                for operand in operands {
                    live[operand] = true;
                }
            }
        }
        live
    }

    /// Gives every live node its place; `first` nodes serve the first root.
    fn compiled(&self, roots: &[usize], first: usize, columns: &[Vec<f64>], rows: usize) -> Tape {
        let live = self.live(roots);
        let mut tape = Tape {
            rows,
            scalars: Vec::new(),
            parameters: Vec::new(),
            once: Vec::new(),
            fixed: Vec::new(),
            by_row: Vec::new(),
            outputs: Vec::new(),
            first: 0,
        };
        let mut places = vec![Place::Scalar(0); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if at == first {
                tape.first = tape.by_row.len();
            }
            if live[at] {
                places[at] = tape.place(*node, &places, columns);
            }
        }
        if first == self.nodes.len() {
            tape.first = tape.by_row.len();
        }
        tape.outputs = roots.iter().map(|&root| places[root]).collect();
        tape.drop_unused();
        tape
    }
}

impl Tape {
    fn place(&mut self, node: Node, places: &[Place], columns: &[Vec<f64>]) -> Place {
        let (operation, operands) = match node {
            Node::Constant(bits) => {
                self.scalars.push(f64::from_bits(bits));
                return Place::Scalar(self.scalars.len() - 1);
            }
            Node::Column(at) => return Place::Column(at),
            Node::Parameter(parameter) => {
                self.parameters.push((self.scalars.len(), parameter));
                self.scalars.push(f64::NAN);
                return Place::Scalar(self.scalars.len() - 1);
            }
            Node::Apply(operation, operands) => (operation, operands.map(|at| places[at])),
        };
        let instruction = Instruction {
            operation,
            operands,
        };
        let changes = |at: usize| {
            let of_parameter = self.parameters.iter().any(|p| p.0 == at);
            of_parameter || self.once.iter().any(|o| o.0 == at)
        };
        if operands.iter().all(|p| matches!(p, Place::Scalar(_))) {
            self.once.push((self.scalars.len(), instruction));
            self.scalars.push(f64::NAN);
            return Place::Scalar(self.scalars.len() - 1);
        }
        let varies = |place: &Place| match place {
            Place::Scalar(at) => changes(*at),
            Place::Slot(_) => true,
            Place::Column(_) | Place::Fixed(_) => false,
        };
        if operands.iter().any(varies) {
            self.by_row.push(instruction);
            return Place::Slot(self.by_row.len() - 1);
        }
        let mut values = vec![0.0; self.rows];
        let view = |place| self.view(place, &self.scalars, columns, &[], &(0..self.rows));
        compute(operation, operands.map(view), &mut values);
        self.fixed.push(values);
        Place::Fixed(self.fixed.len() - 1)
    }

    /// Frees columns that were steps towards others only.
    fn drop_unused(&mut self) {
        let mut used = vec![false; self.fixed.len()];
        let operands = self.by_row.iter().flat_map(|i| i.operands);
        for place in operands.chain(self.outputs.iter().copied()) {
            if let Place::Fixed(at) = place {
                used[at] = true;
            }
        }
        for (values, used) in self.fixed.iter_mut().zip(used) {
            if !used {
                *values = Vec::new();
            }
        }
    }
}

fn holds(condition: f64) -> bool {
    !(condition == 0.0 || condition.is_nan())
}

/// One operation over rows.
fn compute(operation: Operation, [a, b, c]: [View<'_>; 3], out: &mut [f64]) {
    match operation {
        Operation::Add => pairwise(a, b, out, |x, y| x + y),
        Operation::Multiply => pairwise(a, b, out, |x, y| x * y),
        Operation::Divide => pairwise(a, b, out, |x, y| x / y),
        Operation::Power => pairwise(a, b, out, f64::powf),
        Operation::Min => pairwise(a, b, out, f64::min),
        Operation::Max => pairwise(a, b, out, f64::max),
        Operation::Compare(how) => pairwise(a, b, out, |x, y| f64::from(how.holds(x, y))),
        Operation::Log => each(a, out, f64::ln),
        Operation::Exp => each(a, out, f64::exp),
        Operation::Sin => each(a, out, f64::sin),
        Operation::Arctan => each(a, out, f64::atan),
        Operation::Choose => {
            for (row, out) in out.iter_mut().enumerate() {
                *out = if holds(a.at(row)) { b } else { c }.at(row);
            }
        }
    }
}

fn each(a: View<'_>, out: &mut [f64], function: impl Fn(f64) -> f64) {
    match a {
        View::One(x) => out.fill(function(x)),
        View::Rows(a) => {
            for (out, &x) in out.iter_mut().zip(a) {
                *out = function(x);
            }
        }
    }
}

fn pairwise(a: View<'_>, b: View<'_>, out: &mut [f64], function: impl Fn(f64, f64) -> f64) {
    match (a, b) {
        (View::One(x), View::One(y)) => out.fill(function(x, y)),
        (View::One(x), View::Rows(b)) => {
            for (out, &y) in out.iter_mut().zip(b) {
                *out = function(x, y);
            }
        }
        (View::Rows(a), View::One(y)) => {
            for (out, &x) in out.iter_mut().zip(a) {
                *out = function(x, y);
            }
        }
        (View::Rows(a), View::Rows(b)) => {
            for ((out, &x), &y) in out.iter_mut().zip(a).zip(b) {
                *out = function(x, y);
            }
        }
    }
}

impl View<'_> {
    /// The value in a row of the block.
    pub(super) fn at(&self, row: usize) -> f64 {
        match self {
            Self::One(x) => *x,
            Self::Rows(values) => values[row],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 4] = ["x", "y", "p", "q"];

    fn formulas() -> impl Strategy<Value = Formula> {
        let leaf = prop_oneof![
            prop::sample::select(&[-2.0, -0.0, 0.0, 0.5, 1.0, 3.0][..]).prop_map(Formula::Constant),
            prop::sample::select(&NAMES[..]).prop_map(|n| Formula::Feature(n.into())),
            Just(Formula::Linear {
                intercept: 2.0,
                terms: vec![(0.0, "x".into()), (1.5, "y".into()), (-1.0, "p".into())],
            }),
        ];
        leaf.prop_recursive(5, 60, 3, |part| {
            let boxed = || part.clone().prop_map(Box::new);
            prop_oneof![
                prop::collection::vec(part.clone(), 0..4).prop_map(Formula::Sum),
                prop::collection::vec(part.clone(), 0..4).prop_map(Formula::Product),
                (boxed(), boxed()).prop_map(|(a, b)| Formula::Quotient(a, b)),
                (boxed(), boxed()).prop_map(|(a, b)| Formula::Power(a, b)),
                (boxed(), boxed()).prop_map(|(a, b)| Formula::Min(a, b)),
                (boxed(), boxed()).prop_map(|(a, b)| Formula::Max(a, b)),
                (boxed(), boxed()).prop_map(|(a, b)| Formula::Compare(
                    Comparison::LessOrEqual,
                    a,
                    b
                )),
                boxed().prop_map(Formula::Log),
                boxed().prop_map(Formula::Exp),
                boxed().prop_map(Formula::Sin),
                boxed().prop_map(Formula::Arctan),
                (boxed(), boxed(), boxed()).prop_map(|(condition, then, otherwise)| {
                    Formula::If {
                        condition,
                        then,
                        otherwise,
                    }
                }),
            ]
        })
    }

    fn resolved(name: &str) -> Option<Name> {
        match name {
            "x" => Some(Name::Column(0)),
            "y" => Some(Name::Column(1)),
            "p" => Some(Name::Parameter(0)),
            "q" => Some(Name::Parameter(1)),
            _ => None,
        }
    }

    proptest! {
        /// Every output in every row is `Formula::evaluate`'s value to the bit, across block borders.
        #[test]
        fn a_tape_says_what_the_formulas_say(
            all in prop::collection::vec(formulas(), 1..4),
            p in -3.0..3.0_f64,
            q in -3.0..3.0_f64,
        ) {
            let rows = BLOCK + 3;
            let x: Vec<f64> = (0..rows).map(|i| (i % 7) as f64 - 2.0).collect();
            let y: Vec<f64> = (0..rows).map(|i| 0.1 * (i % 11) as f64).collect();
            let columns = [x, y];
            let tape = Tape::new(&all.iter().collect::<Vec<_>>(), &resolved, &columns, rows).unwrap();
            let mut found = vec![vec![f64::NAN; rows]; all.len()];
            tape.run(&columns, &[p, q], all.len(), |k, range, view| {
                for (at, row) in range.enumerate() {
                    found[k][row] = view.at(at);
                }
            });
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            for (k, formula) in all.iter().enumerate() {
                for row in [0, 1, 2, 3, 4, 5, 6, BLOCK - 1, BLOCK, rows - 1] {
                    let value = |name: &str| Some(match name {
                        "x" => columns[0][row],
                        "y" => columns[1][row],
                        "p" => p,
                        _ => q,
                    });
                    let expected = formula.evaluate(&value).unwrap();
                    prop_assert!(same(found[k][row], expected), "{} {expected}", found[k][row]);
                }
            }
            let first = tape.values(&columns, &[p, q]);
            prop_assert!(first.iter().zip(&found[0]).all(|(a, b)| same(*a, *b)));
        }
    }

    #[test]
    fn what_formulas_share_is_computed_once() {
        let value = Formula::parse("p*log(x)*x^q").unwrap();
        let derivatives = ["p", "q"].map(|name| value.derivative(name).simplified());
        let all = [&value, &derivatives[0], &derivatives[1]];
        let columns = [vec![1.0, 2.0, 4.0], vec![0.0; 3]];
        let tape = Tape::new(&all, &resolved, &columns, 3).unwrap();
        let powers = tape
            .by_row
            .iter()
            .filter(|i| i.operation == Operation::Power);
        assert_eq!(powers.count(), 1, "{tape:?}");
        assert!(tape.by_row.iter().all(|i| i.operation != Operation::Log));
        assert!(
            tape.first < tape.by_row.len(),
            "the value needs less than all"
        );
    }
}
