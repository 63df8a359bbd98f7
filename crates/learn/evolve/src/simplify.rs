//! Simplification of trees that keeps their values.
//!
//! Bottom-up, one rule at a time: constants are folded, neutral elements and cases that cannot differ disappear. Rules
//! hold wherever all parts of the original are finite; 0·x → 0 and x/x → 1 also give a value where x is not, or is 0.

use crate::tree::{Op, Tree};

/// The simplified tree.
pub fn tree(original: &Tree) -> Tree {
    let mut stack: Vec<Tree> = Vec::new();
    for &op in original.ops() {
        let base = stack.len() - op.arity();
        let operands: Vec<Tree> = stack.drain(base..).collect();
        stack.push(node(op, &operands));
    }
    stack.pop().unwrap_or_else(|| Tree::constant(0.0))
}

fn constant(tree: &Tree) -> Option<f64> {
    match tree.ops() {
        [Op::Const(value)] => Some(*value),
        _ => None,
    }
}

/// `op` over simplified operands, simplified.
fn node(op: Op, operands: &[Tree]) -> Tree {
    let refs: Vec<&Tree> = operands.iter().collect();
    let plain = || Tree::node(op, &refs);
    let known: Vec<Option<f64>> = operands.iter().map(constant).collect();
    if !operands.is_empty()
        && !op.is_comparison()
        && op != Op::If
        && known.iter().all(Option::is_some)
    {
        let at = |i: usize| known.get(i).copied().flatten().unwrap_or(0.0);
        let value = op.apply(at(0), at(1), at(2), &[]);
        return if value.is_finite() {
            Tree::constant(value)
        } else {
            plain()
        };
    }
    match op {
        Op::Add if known[0] == Some(0.0) => operands[1].clone(),
        Op::Add | Op::Sub if known[1] == Some(0.0) => operands[0].clone(),
        Op::Sub if operands[0] == operands[1] => Tree::constant(0.0),
        Op::Mul if known.contains(&Some(0.0)) => Tree::constant(0.0),
        Op::Mul if known[0] == Some(1.0) => operands[1].clone(),
        Op::Mul | Op::Div | Op::Pow if known[1] == Some(1.0) => operands[0].clone(),
        Op::Pow if known[1] == Some(0.0) => Tree::constant(1.0),
        Op::Div if known[0] == Some(0.0) => Tree::constant(0.0),
        Op::Div if operands[0] == operands[1] => Tree::constant(1.0),
        Op::Min | Op::Max if operands[0] == operands[1] => operands[0].clone(),
        Op::Log if operands[0].root() == Op::Exp => operands[0].children()[0].clone(),
        Op::If => case(operands),
        _ => plain(),
    }
}

fn case(operands: &[Tree]) -> Tree {
    let [condition, yes, no] = operands else {
        return Tree::constant(0.0);
    };
    if yes == no {
        return yes.clone();
    }
    let sides = condition.children();
    let root = condition.root();
    if sides[0] == sides[1] {
        let holds = matches!(root, Op::GreaterEqual | Op::LessEqual);
        return if holds { yes.clone() } else { no.clone() };
    }
    if let (Some(a), Some(b)) = (constant(&sides[0]), constant(&sides[1])) {
        let holds = root.apply(a, b, 0.0, &[]) != 0.0;
        return if holds { yes.clone() } else { no.clone() };
    }
    // A case inside a branch that asks the same question has its answer.
    let inner = |branch: &Tree, taken: usize| {
        if branch.root() == Op::If && branch.children()[0] == *condition {
            branch.children()[taken].clone()
        } else {
            branch.clone()
        }
    };
    let (yes, no) = (inner(yes, 1), inner(no, 2));
    if yes == no {
        return yes;
    }
    Tree::node(Op::If, &[condition, &yes, &no])
}
