//! `if`: a test of a number against a small constant tells sizes, any other condition does not.

use super::lower::{Env, Fact, Lower, Lowered, Map, Value};
use super::{Arm, Atom, Block, Question, Right};
use crate::core::{Expr, Operator};
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
        let branch = |l: &mut Self, holds: bool| {
            l.block(|l| l.expr(if holds { yes } else { no }, env, map, tail), ty)
        };
        if let Some((number, test, swapped)) = self.number_test(condition)
            && let Expr::Operate(operator, arguments, at) = condition
        {
            let value = self.expr(number, env, map, false)?;
            self.charge_operation(*operator, arguments, *at);
            if let Value::Atom(atom, _) = value {
                let site = std::ptr::from_ref(condition).addr();
                let block = self.ask(atom, test, site, ty, &mut |l, holds| {
                    branch(l, holds != swapped)
                })?;
                return Ok(self.splice(block, ty));
            }
        }
        self.expr(condition, env, map, false)?;
        let (yes, no) = (branch(self, true)?, branch(self, false)?);
        Ok(self.choose(vec![yes, no], ty))
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

    /// The number, what is asked, and whether the answer is the other way round.
    fn number_test(&mut self, condition: &'p Expr) -> Option<(&'p Expr, Test, bool)> {
        use Operator as O;
        let Expr::Operate(operator, arguments, ty) = condition else {
            return None;
        };
        let ty = self.types.expand(*ty);
        let Node::Constructor(types::INT, _) = self.types.node(ty) else {
            return None;
        };
        let (number, n, turned) = match &arguments[..] {
            [number, Expr::Int(n)] => (number, *n, false),
            [Expr::Int(n), number] => (number, *n, true),
            _ => return None,
        };
        let operator = match (operator, turned) {
            (O::Less, true) => O::Greater,
            (O::LessEqual, true) => O::GreaterEqual,
            (O::Greater, true) => O::Less,
            (O::GreaterEqual, true) => O::LessEqual,
            (other, _) => *other,
        };
        Some(match operator {
            O::Equal => (number, Test::Equals(n), false),
            O::NotEqual => (number, Test::Equals(n), true),
            O::LessEqual => (number, Test::AtMost(n), false),
            O::Less => (number, Test::AtMost(n.checked_sub(1)?), false),
            O::Greater => (number, Test::AtMost(n), true),
            O::GreaterEqual => (number, Test::AtMost(n.checked_sub(1)?), true),
            _ => return None,
        })
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
