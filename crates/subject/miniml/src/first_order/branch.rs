//! `if`: a test of a number against a small constant tells sizes, any other condition does not.

use super::distance::Asked;
use super::lower::{Env, Fact, Lower, Lowered, Map, Value};
use super::{Arm, Atom, Block, Question, Right, Var};
use crate::construct::Construct;
use crate::core::{Expr, Operator, VarId};
use crate::types::{self, Node, Ty};

/// Constants up to which a test is one of sizes.
pub(super) const SMALL: i64 = 3;

/// What is asked of a number.
#[derive(Clone, Copy)]
pub(super) enum Test {
    AtMost(i64),
    Equals(i64),
}

impl<'p> Lower<'p> {
    pub fn conditional(
        &mut self,
        condition: &'p Expr,
        yes: &'p Expr,
        no: &'p Expr,
        env: &Env<'p>,
        map: &Map,
        tail: bool,
    ) -> Lowered<Value<'p>> {
        let ty = self.types.variable();
        self.decide(condition, env, map, ty, &mut |l, holds| {
            l.block(|l| l.expr(if holds { yes } else { no }, env, map, tail), ty)
        })
    }

    /// A condition, and what is done where it holds and where it does not.
    fn decide(
        &mut self,
        condition: &'p Expr,
        env: &Env<'p>,
        map: &Map,
        ty: Ty,
        branch: &mut dyn FnMut(&mut Self, bool) -> Lowered<Block>,
    ) -> Lowered<Value<'p>> {
        match condition {
            Expr::And(a, b) | Expr::Or(a, b) if self.tells(a) || self.tells(b) => {
                let and = matches!(condition, Expr::And(..));
                return self.decide(a, env, map, ty, &mut |l, holds| {
                    l.block(
                        |l| {
                            l.charge(
                                if and {
                                    Construct::BoolAnd
                                } else {
                                    Construct::BoolOr
                                },
                                1,
                            );
                            if holds == and {
                                return l.decide(b, env, map, ty, branch);
                            }
                            let block = branch(l, holds)?;
                            Ok(l.splice(block, ty))
                        },
                        ty,
                    )
                });
            }
            Expr::Operate(Operator::BoolNot, inner, _) if inner.iter().all(|e| self.tells(e)) => {
                return self.decide(&inner[0], env, map, ty, &mut |l, holds| {
                    l.block(
                        |l| {
                            l.charge(Construct::BoolNot, 1);
                            let block = branch(l, !holds)?;
                            Ok(l.splice(block, ty))
                        },
                        ty,
                    )
                });
            }
            _ => {}
        }
        let Some((operator, sides, at)) = self.comparison(condition) else {
            self.expr(condition, env, map, false)?;
            let (yes, no) = (branch(self, true)?, branch(self, false)?);
            return Ok(self.choose(vec![yes, no], ty));
        };
        let [left, right] = sides else {
            unreachable!("a comparison has two sides")
        };
        let y = self.expr(right, env, map, false)?;
        let x = self.expr(left, env, map, false)?;
        self.charge_operation(operator, sides, at);
        let asked = self.questions(&(x, left), &(y, right), operator, env);
        let site = std::ptr::from_ref(condition).addr();
        let block = self.questioned(&asked, None, site, ty, branch)?;
        Ok(self.splice(block, ty))
    }

    /// What a comparison of two values asks of numbers.
    fn questions(
        &mut self,
        left: &(Value<'p>, &Expr),
        right: &(Value<'p>, &Expr),
        operator: Operator,
        env: &Env<'p>,
    ) -> Vec<Asked> {
        let (Value::Atom(x, _), Value::Atom(y, _)) = (&left.0, &right.0) else {
            return vec![];
        };
        let turned = mirrored(operator);
        let mut asked = Vec::new();
        for (number, limit, operator) in [(*x, *y, operator), (*y, *x, turned)] {
            asked.extend(self.asked(number, limit, operator));
        }
        // A square is no less than its root, so where the root is beyond a limit, the square is.
        for (square, limit, operator) in [(left.1, *y, operator), (right.1, *x, turned)] {
            if let Some(root) = root(square)
                && !matches!(operator, Operator::Equal | Operator::NotEqual)
                && let Some(Value::Atom(root, _)) = env.get(&root)
            {
                let weak = self.asked(*root, limit, operator);
                asked.extend(weak.map(|a| Asked { weak: true, ..a }));
            }
        }
        if asked.is_empty() {
            asked.extend(match (*x, *y) {
                (Atom::Var(number), Atom::Constant(n)) => number_test(number, n, operator),
                (Atom::Constant(n), Atom::Var(number)) => number_test(number, n, turned),
                _ => None,
            });
        }
        asked
    }

    /// Asks one question after the other; what the first one tells is the answer.
    fn questioned(
        &mut self,
        asked: &[Asked],
        answer: Option<bool>,
        site: usize,
        ty: Ty,
        branch: &mut dyn FnMut(&mut Self, bool) -> Lowered<Block>,
    ) -> Lowered<Block> {
        let Some((first, rest)) = asked.split_first() else {
            if let Some(holds) = answer {
                return branch(self, holds);
            }
            let (yes, no) = (branch(self, true)?, branch(self, false)?);
            return self.block(|l| Ok(l.choose(vec![yes, no], ty)), ty);
        };
        self.ask(
            Atom::Var(first.number),
            first.test,
            site,
            ty,
            &mut |l, holds| {
                let found = (holds || !first.weak).then_some(holds != first.swapped);
                // An expression is more than a few bytes long, so this is no other's address.
                l.questioned(rest, answer.or(found), site + 1, ty, branch)
            },
        )
    }

    /// A comparison of numbers, its sides, and the type it is at.
    fn comparison(&mut self, condition: &'p Expr) -> Option<(Operator, &'p [Expr], Ty)> {
        use Operator as O;
        let Expr::Operate(operator, sides, ty) = condition else {
            return None;
        };
        let at = self.types.expand(*ty);
        let ints = matches!(self.types.node(at), Node::Constructor(types::INT, _));
        let compares = matches!(
            operator,
            O::Equal | O::NotEqual | O::Less | O::LessEqual | O::Greater | O::GreaterEqual
        );
        (ints && compares && sides.len() == 2).then_some((*operator, &sides[..], *ty))
    }

    /// Whether a condition may say anything of sizes.
    fn tells(&mut self, condition: &'p Expr) -> bool {
        match condition {
            Expr::And(a, b) | Expr::Or(a, b) => self.tells(a) || self.tells(b),
            Expr::Operate(Operator::BoolNot, inner, _) => inner.iter().all(|e| self.tells(e)),
            _ => self
                .comparison(condition)
                .is_some_and(|(_, sides, _)| sides.iter().all(is_plain)),
        }
    }

    /// The steps of a block, here.
    pub fn splice(&mut self, block: Block, ty: Ty) -> Value<'p> {
        for step in block.steps {
            self.step(step);
        }
        if let Some(atom) = block.value {
            Value::Atom(atom, ty)
        } else {
            self.failed = true;
            Value::Atom(Atom::Constant(0), ty)
        }
    }

    /// A question about a number, and what is done for both answers.
    pub fn ask(
        &mut self,
        atom: Atom,
        test: Test,
        site: usize,
        ty: Ty,
        branch: &mut dyn FnMut(&mut Self, bool) -> Lowered<Block>,
    ) -> Lowered<Block> {
        let n = match test {
            Test::AtMost(n) | Test::Equals(n) => n,
        };
        let var = match atom {
            Atom::Constant(c) => {
                let holds = if matches!(test, Test::AtMost(_)) {
                    c <= n
                } else {
                    c == n
                };
                return branch(self, holds);
            }
            Atom::Var(var) => var,
        };
        let less = match test {
            Test::AtMost(n) => Test::AtMost(n - 1),
            Test::Equals(n) => Test::Equals(n - 1),
        };
        match self.facts.get(&var).cloned() {
            Some(Fact::Zero { exact: true }) => {
                let holds = if matches!(test, Test::AtMost(_)) {
                    0 <= n
                } else {
                    n == 0
                };
                return branch(self, holds);
            }
            Some(Fact::Zero { exact: false }) if matches!(test, Test::AtMost(n) if n >= 0) => {
                return branch(self, true);
            }
            // What comes before a positive number is not negative.
            Some(Fact::Successor(_)) if n <= 0 => return branch(self, false),
            Some(Fact::Successor(before)) => {
                return self.ask(Atom::Var(before), less, site, ty, branch);
            }
            _ => {}
        }
        let equals = matches!(test, Test::Equals(_));
        if n < 0
            || (n > SMALL && equals)
            || self.facts.contains_key(&var)
            || (equals && self.banned.contains(&site))
        {
            let (yes, no) = (branch(self, true)?, branch(self, false)?);
            return self.block(|l| Ok(l.choose(vec![yes, no], ty)), ty);
        }
        let int = self.types.basic(types::INT);
        let before = self.var(int);
        self.distances.is_sum(before, atom, -1);
        let positive = !equals;
        if equals {
            self.sites.insert(before, site);
        }
        let facts = self.facts.clone();
        self.facts.insert(var, Fact::Zero { exact: !positive });
        let zero = branch(self, positive || n == 0)?;
        self.facts.clone_from(&facts);
        self.facts.insert(var, Fact::Successor(before));
        let more = if n == 0 {
            branch(self, false)?
        } else if n > SMALL {
            // Positive is all that is known, whatever the answer.
            let (yes, no) = (branch(self, true)?, branch(self, false)?);
            self.block(|l| Ok(l.choose(vec![yes, no], ty)), ty)?
        } else {
            self.ask(Atom::Var(before), less, site, ty, branch)?
        };
        self.facts = facts;
        let arms = vec![
            Arm {
                constructor: None,
                fields: vec![],
                block: zero,
            },
            Arm {
                constructor: Some(0),
                fields: vec![before],
                block: more,
            },
        ];
        let question = if positive {
            Question::Positive
        } else {
            Question::Zero
        };
        self.block(|l| Ok(l.case(var, arms, question, ty)), ty)
    }

    /// A question with its arms.
    pub fn case(&mut self, var: u32, arms: Vec<Arm>, question: Question, ty: Ty) -> Value<'p> {
        let failed = arms.iter().all(|a| a.block.value.is_none());
        let value = self.bind(Right::Case(var, arms, question), ty);
        self.failed |= failed;
        value
    }
}

/// The same comparison with its sides exchanged.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
        other => other,
    }
}

/// What a comparison with a constant asks of a number.
fn number_test(number: Var, n: i64, operator: Operator) -> Option<Asked> {
    use Operator as O;
    let (test, swapped) = match operator {
        O::Equal => (Test::Equals(n), false),
        O::NotEqual => (Test::Equals(n), true),
        O::LessEqual => (Test::AtMost(n), false),
        O::Less => (Test::AtMost(n.checked_sub(1)?), false),
        O::Greater => (Test::AtMost(n), true),
        _ => (Test::AtMost(n.checked_sub(1)?), true),
    };
    Some(Asked {
        number,
        test,
        swapped,
        weak: false,
    })
}

/// The variable that an expression is the square of.
fn root(e: &Expr) -> Option<VarId> {
    match e {
        Expr::Operate(Operator::IntMul, sides, _) => match &sides[..] {
            [Expr::Local(a), Expr::Local(b)] if a == b => Some(*a),
            _ => None,
        },
        _ => None,
    }
}

/// A number whose distance from others may be known.
fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Int(_) | Expr::Local(_) => true,
        Expr::Operate(Operator::IntAdd | Operator::IntSub, sides, _) => sides.iter().all(is_plain),
        _ => root(e).is_some(),
    }
}
