//! Typed expression trees in postfix order.
//!
//! A tree is a vector of operations, operands before operators, as in Operon (Burlacu, Kronberger & Kommenda 2020): it
//! is copied with one `memcpy`, and a subtree is a slice. There are two types, numbers and conditions; a condition stands
//! only in the first operand of `If`.
//!
//! **Semantics are those of IEEE arithmetic, nothing is protected.** Other systems define x/0 = 1 or log x = log|x|, and
//! the formula they print is not the one they evaluated. Here a formula that is not finite on every training row is no
//! candidate, so what is delivered means what it says.

use serde::{Deserialize, Serialize};

/// One operation of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// A constant that local optimisation may move.
    Const(f64),
    /// A constant offered from outside, by its index; it is never moved.
    Given(u16),
    /// A column, by its index.
    Var(u16),
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Power.
    Pow,
    /// Natural logarithm.
    Log,
    /// Exponential.
    Exp,
    /// Sine.
    Sin,
    /// Smaller of two.
    Min,
    /// Larger of two.
    Max,
    /// a > b.
    Greater,
    /// a ≥ b.
    GreaterEqual,
    /// a < b.
    Less,
    /// a ≤ b.
    LessEqual,
    /// Condition, value if it holds, value if not.
    If,
}

/// What an expression yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// True or false.
    Condition,
}

impl Op {
    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Const(_) | Self::Given(_) | Self::Var(_) => 0,
            Self::Log | Self::Exp | Self::Sin => 1,
            Self::If => 3,
            _ => 2,
        }
    }

    /// What it yields.
    pub fn kind(self) -> Kind {
        if self.is_comparison() {
            Kind::Condition
        } else {
            Kind::Number
        }
    }

    /// Whether it compares two numbers.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Greater | Self::GreaterEqual | Self::Less | Self::LessEqual
        )
    }

    /// What its operand number `position` must be.
    pub fn takes(self, position: usize) -> Kind {
        if self == Self::If && position == 0 {
            Kind::Condition
        } else {
            Kind::Number
        }
    }

    /// Share of the operation in the complexity of a formula: what costs a reader more counts more.
    pub fn weight(self) -> u32 {
        match self {
            Self::Log | Self::Div | Self::Min | Self::Max => 2,
            Self::Pow | Self::Exp => 3,
            Self::Sin => 4,
            _ => 1,
        }
    }

    /// Value for three operands; operands beyond the arity are ignored, and a condition is 1 or 0.
    pub fn apply(self, a: f64, b: f64, c: f64, given: &[f64]) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Const(value) => value,
            Self::Given(index) => given[usize::from(index)],
            Self::Var(_) => f64::NAN,
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Pow => a.powf(b),
            Self::Log => a.ln(),
            Self::Exp => a.exp(),
            Self::Sin => a.sin(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Greater => truth(a > b),
            Self::GreaterEqual => truth(a >= b),
            Self::Less => truth(a < b),
            Self::LessEqual => truth(a <= b),
            Self::If => {
                if a == 0.0 {
                    c
                } else {
                    b
                }
            }
        }
    }
}

/// An expression in postfix order; well-formed by construction or by [`Tree::is_valid`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub(crate) ops: Vec<Op>,
}

impl Tree {
    /// A tree of one operation without operands.
    pub fn leaf(op: Op) -> Self {
        Self { ops: vec![op] }
    }

    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self::leaf(Op::Const(value))
    }

    /// A column.
    pub fn var(column: usize) -> Self {
        Self::leaf(Op::Var(column as u16))
    }

    /// `op` applied to operands.
    pub fn node(op: Op, operands: &[&Self]) -> Self {
        let mut ops = Vec::with_capacity(1 + operands.iter().map(|t| t.ops.len()).sum::<usize>());
        for operand in operands {
            ops.extend_from_slice(&operand.ops);
        }
        ops.push(op);
        Self { ops }
    }

    /// Operations in postfix order.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The operation applied last.
    pub fn root(&self) -> Op {
        self.ops[self.ops.len() - 1]
    }

    /// Whether operands fit operators in number and type, indices exist, constants are finite, and one number remains.
    pub fn is_valid(&self, columns: usize, given: usize) -> bool {
        let mut stack: Vec<Kind> = Vec::new();
        for &op in &self.ops {
            let known = match op {
                Op::Const(value) => value.is_finite(),
                Op::Given(index) => usize::from(index) < given,
                Op::Var(index) => usize::from(index) < columns,
                _ => true,
            };
            let Some(base) = stack.len().checked_sub(op.arity()) else {
                return false;
            };
            if !known || (0..op.arity()).any(|i| stack[base + i] != op.takes(i)) {
                return false;
            }
            stack.truncate(base);
            stack.push(op.kind());
        }
        stack == [Kind::Number]
    }

    /// Where the subtree ending at `end` begins.
    pub fn start(&self, end: usize) -> usize {
        let mut open = 1;
        let mut at = end;
        loop {
            open = open - 1 + self.ops[at].arity();
            if open == 0 {
                return at;
            }
            at -= 1;
        }
    }

    /// Positions of the operands of the operation at `at`, in order.
    pub fn operands(&self, at: usize) -> Vec<usize> {
        let mut found = Vec::with_capacity(self.ops[at].arity());
        let mut end = at;
        for _ in 0..self.ops[at].arity() {
            end -= 1;
            found.push(end);
            end = self.start(end);
        }
        found.reverse();
        found
    }

    /// The subtree ending at `end`.
    #[must_use]
    pub fn subtree(&self, end: usize) -> Self {
        Self {
            ops: self.ops[self.start(end)..=end].to_vec(),
        }
    }

    /// The operands of the root.
    pub fn children(&self) -> Vec<Self> {
        let root = self.ops.len() - 1;
        self.operands(root)
            .iter()
            .map(|&end| self.subtree(end))
            .collect()
    }

    /// The tree with the subtree ending at `end` replaced.
    #[must_use]
    pub fn replaced(&self, end: usize, with: &Self) -> Self {
        let start = self.start(end);
        let mut ops = Vec::with_capacity(self.ops.len() + with.ops.len());
        ops.extend_from_slice(&self.ops[..start]);
        ops.extend_from_slice(&with.ops);
        ops.extend_from_slice(&self.ops[end + 1..]);
        Self { ops }
    }

    /// Sum of the operations' weights.
    pub fn complexity(&self) -> u32 {
        self.ops.iter().map(|op| op.weight()).sum()
    }

    /// Number of levels; 1 for a leaf.
    pub fn depth(&self) -> u32 {
        let mut stack: Vec<u32> = Vec::new();
        for op in &self.ops {
            let base = stack.len() - op.arity();
            let below = stack[base..].iter().copied().max().unwrap_or(0);
            stack.truncate(base);
            stack.push(below + 1);
        }
        stack.last().copied().unwrap_or(0)
    }

    /// Columns that occur, ascending, each once.
    pub fn variables(&self) -> Vec<u16> {
        let mut found: Vec<u16> = self
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Var(index) => Some(*index),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The movable constants, in postfix order.
    pub fn constants(&self) -> Vec<f64> {
        self.ops
            .iter()
            .filter_map(|op| match op {
                Op::Const(value) => Some(*value),
                _ => None,
            })
            .collect()
    }

    /// Replaces the movable constants, in postfix order.
    pub fn set_constants(&mut self, values: &[f64]) {
        let mut values = values.iter();
        for op in &mut self.ops {
            if let Op::Const(value) = op
                && let Some(new) = values.next()
            {
                *value = *new;
            }
        }
    }

    /// Whether no column occurs.
    pub fn is_constant(&self) -> bool {
        !self.ops.iter().any(|op| matches!(op, Op::Var(_)))
    }

    /// Value for one row by recursion over the definition: slow, and shares nothing with the evaluator.
    pub fn value(&self, row: &dyn Fn(usize) -> f64, given: &[f64]) -> f64 {
        self.value_at(self.ops.len() - 1, row, given)
    }

    fn value_at(&self, at: usize, row: &dyn Fn(usize) -> f64, given: &[f64]) -> f64 {
        let op = self.ops[at];
        if let Op::Var(index) = op {
            return row(usize::from(index));
        }
        let operands = self.operands(at);
        let operand = |i: usize| {
            operands
                .get(i)
                .map_or(0.0, |&end| self.value_at(end, row, given))
        };
        op.apply(operand(0), operand(1), operand(2), given)
    }
}

#[cfg(test)]
mod tests {
    use super::{Op, Tree};

    fn split() -> Tree {
        let condition = Tree::node(Op::Greater, &[&Tree::var(0), &Tree::leaf(Op::Given(0))]);
        let product = Tree::node(Op::Mul, &[&Tree::constant(3.0), &Tree::var(1)]);
        Tree::node(Op::If, &[&condition, &product, &Tree::constant(7.0)])
    }

    #[test]
    fn measures_of_a_case_split() {
        let tree = split();
        assert!(tree.is_valid(2, 1));
        assert!(!tree.is_valid(1, 1), "column 1 does not exist");
        assert!(!tree.is_valid(2, 0), "constant 0 does not exist");
        assert_eq!((tree.depth(), tree.complexity()), (3, 8));
        assert_eq!(tree.variables(), [0, 1]);
        assert_eq!(tree.operands(7), [2, 5, 6]);
        let at = |x: f64, y: f64| tree.value(&|i| [x, y][i], &[10.0]);
        assert_eq!((at(11.0, 2.0), at(10.0, 2.0)), (6.0, 7.0));
    }

    #[test]
    fn a_condition_is_no_number() {
        let condition = Tree::node(Op::Less, &[&Tree::var(0), &Tree::constant(1.0)]);
        assert!(!condition.is_valid(1, 0));
        let sum = Tree::node(Op::Add, &[&condition, &Tree::constant(1.0)]);
        assert!(!sum.is_valid(1, 0));
        let truncated = Tree {
            ops: split().ops[1..].to_vec(),
        };
        assert!(!truncated.is_valid(2, 1));
    }

    #[test]
    fn replacing_a_subtree() {
        let tree = split();
        let new = tree.replaced(5, &Tree::var(0));
        assert!(new.is_valid(2, 1));
        assert_eq!(new.ops().len(), 6);
        assert_eq!(new.value(&|_| 20.0, &[10.0]), 20.0);
    }
}
